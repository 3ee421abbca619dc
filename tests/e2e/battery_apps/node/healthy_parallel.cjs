// SPDX-License-Identifier: Apache-2.0
// Thirty waits, all at the same time.
'use strict';
const wait = require('./wait.cjs');

async function load(id) {
  return wait(10, id);
}

exports.answer = async function page() {
  const items = await Promise.all(Array.from({ length: 30 }, (_, id) => load(id)));
  return items.length;
};
