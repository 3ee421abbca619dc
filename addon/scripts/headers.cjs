// SPDX-License-Identifier: Apache-2.0
// Copies the headers of the probes into the package while it is packed, and removes them again.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const from = path.resolve(__dirname, '../../probes');
const to = path.resolve(__dirname, '../probes');

if (process.argv[2] === 'copy') {
  fs.mkdirSync(to, { recursive: true });
  for (const name of fs.readdirSync(from)) {
    if (name.endsWith('.h')) fs.copyFileSync(path.join(from, name), path.join(to, name));
  }
} else {
  fs.rmSync(to, { recursive: true, force: true });
}
