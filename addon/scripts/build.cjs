// SPDX-License-Identifier: Apache-2.0
// Builds compass.node with node-gyp, against the headers that came with this Node where they are
// there, so that nothing has to be downloaded.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

function nodeGyp() {
  if (process.env.npm_config_node_gyp) return process.env.npm_config_node_gyp;
  return path.resolve(process.execPath, '../../lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js');
}

// Answers whether there is a compass.node now.
function build() {
  const prefix = path.resolve(process.execPath, '../..');
  const options = fs.existsSync(path.join(prefix, 'include/node/node_api.h')) ? [`--nodedir=${prefix}`] : [];
  const result = spawnSync(process.execPath, [nodeGyp(), 'rebuild', ...options], {
    cwd: path.resolve(__dirname, '..'),
    stdio: 'inherit',
  });
  return result.status === 0;
}

module.exports = { build };
