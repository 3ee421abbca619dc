// SPDX-License-Identifier: Apache-2.0
// The prices are read from a file, for every request, and nothing else runs meanwhile.
'use strict';
const fs = require('node:fs');
const wait = require('./wait.cjs');

function loadPrices() {
  let bytes = 0;
  for (let i = 0; i < 12; i++) bytes += fs.readFileSync(process.env.PRICES, 'latin1').length;
  return bytes;
}

async function stock() {
  return wait(5, 3);
}

exports.answer = async function answer() {
  return { bytes: loadPrices(), stock: await stock() };
};
