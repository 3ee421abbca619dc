// SPDX-License-Identifier: Apache-2.0
// A little of everything.
'use strict';
const wait = require('./wait.cjs');

async function load() {
  return wait(8, [1, 2, 3]);
}

function render(items) {
  return items.map((item) => `<li>${item}</li>`).join('');
}

exports.answer = async function page() {
  return render(await load());
};
