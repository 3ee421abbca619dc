// SPDX-License-Identifier: Apache-2.0
// Before the package is packed: the headers of the probes, the licence, and compass.node for this platform.
// After it: takes them away again.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { build } = require('./build.cjs');
const { built, folder, prebuilt } = require('./platform.cjs');

const addon = path.resolve(__dirname, '..');
const probes = path.join(addon, 'probes');
const licence = path.join(addon, 'LICENSE');

function copySources() {
  const from = path.resolve(addon, '../probes');
  fs.mkdirSync(probes, { recursive: true });
  for (const name of fs.readdirSync(from)) {
    if (name.endsWith('.h')) fs.copyFileSync(path.join(from, name), path.join(probes, name));
  }
  // An image's build stage takes the two folders alone.
  const original = path.resolve(addon, '../LICENSE');
  if (fs.existsSync(original)) fs.copyFileSync(original, licence);
}

function copyBinary() {
  if (!build()) return false;
  fs.mkdirSync(path.dirname(prebuilt), { recursive: true });
  fs.copyFileSync(built, prebuilt);
  return true;
}

if (process.argv[2] === 'before') {
  copySources();
  if (!copyBinary()) process.exitCode = 1;
} else {
  for (const made of [probes, folder, licence]) fs.rmSync(made, { recursive: true, force: true });
}
