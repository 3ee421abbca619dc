// SPDX-License-Identifier: Apache-2.0
// What the programs of the corpus print with: what each case gives, or how it fails.
'use strict';

const { inspect } = require('node:util');

const STYLE = { depth: 6, breakLength: Infinity, sorted: false };

function show(name, value) {
  console.log(`${name}: ${typeof value === 'string' ? value : inspect(value, STYLE)}`);
}

function showFailure(name, error) {
  console.log(`${name} failed: ${error instanceof Error ? `${error.name}: ${error.message}` : inspect(error, STYLE)}`);
}

function check(name, work) {
  try {
    show(name, work());
  } catch (error) {
    showFailure(name, error);
  }
}

// The same for what is asynchronous; resolves when it is shown.
async function later(name, work) {
  try {
    show(name, await work());
  } catch (error) {
    showFailure(name, error);
  }
}

module.exports = { check, later };
