// SPDX-License-Identifier: Apache-2.0
// The answer would take 30 ms, if the report of another request did not compute meanwhile.
'use strict';
const wait = require('./wait.cjs');

function computeReport() {
  const end = performance.now() + 250;
  let rounds = 0;
  while (performance.now() < end) rounds++;
  return rounds > 0;
}

async function loadProfile() {
  return wait(30, 'profile');
}

exports.answer = async function profile() {
  return loadProfile();
};

exports.report = async function report() {
  return computeReport();
};
