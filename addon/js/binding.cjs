// SPDX-License-Identifier: Apache-2.0
// compass.node, from where node-gyp builds it or from where it is installed.
'use strict';

const path = require('node:path');

// The binary's CPS_ADDON_INTERFACE that this code was written for.
const INTERFACE = 3;
const PLACES = ['../build/Release/compass.node', '../compass.node'];

function check(binding, file) {
  if (binding.interface === INTERFACE) return binding;
  const how = typeof binding.clock === 'function' ? 'is of another version of Compass' : 'could not be set up';
  throw new Error(`${file} ${how}`);
}

// Throws where there is none that can be loaded.
function loadBinding() {
  let failure;
  for (const place of PLACES) {
    const file = path.join(__dirname, place);
    try {
      return check(require(file), file);
    } catch (error) {
      if (failure === undefined || error.code !== 'MODULE_NOT_FOUND') failure = error;
    }
  }
  throw failure;
}

module.exports = { loadBinding };
