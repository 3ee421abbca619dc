// SPDX-License-Identifier: Apache-2.0
// The whole catalogue goes through JSON for one figure of it.
'use strict';
const wait = require('./wait.cjs');

const catalogue = Array.from({ length: 120000 }, (_, i) => ({ id: i, title: `Book ${i}`, tags: ['a', 'b'] }));

function copyCatalogue() {
  return JSON.parse(JSON.stringify(catalogue));
}

async function visitor() {
  return wait(5, 'somebody');
}

exports.answer = async function answer() {
  await visitor();
  return copyCatalogue().length;
};
