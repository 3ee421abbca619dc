// SPDX-License-Identifier: Apache-2.0
// Puts compass.node in its place: the one that came with the package where it is for this platform and
// loads (its C library may be newer than ours), else one that is built here. `npm install
// --build-from-source` always builds.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { build } = require('./build.cjs');
const { built, prebuilt } = require('./platform.cjs');

// In a process of its own: it might not survive a binary that is not for it.
function loads(file) {
  const script = `process.exit(typeof require(${JSON.stringify(file)}).clock === 'function' ? 0 : 1)`;
  const env = { ...process.env, NODE_OPTIONS: '' };
  return spawnSync(process.execPath, ['-e', script], { env, stdio: 'ignore' }).status === 0;
}

function usePrebuilt() {
  if (process.env.npm_config_build_from_source || !fs.existsSync(prebuilt) || !loads(prebuilt)) return false;
  fs.mkdirSync(path.dirname(built), { recursive: true });
  fs.copyFileSync(prebuilt, built);
  return true;
}

process.exitCode = usePrebuilt() || build() ? 0 : 1;
