// SPDX-License-Identifier: Apache-2.0
// Where the binary of this platform lies in a package that was packed on one like it. Node-API is the
// same in every Node, so a binary depends on the processor and the C library alone.
'use strict';

const path = require('node:path');

function libc() {
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

const folder = path.resolve(__dirname, '../prebuilds');

module.exports = {
  folder,
  prebuilt: path.join(folder, `${process.platform}-${process.arch}-${libc()}`, 'compass.node'),
  built: path.resolve(__dirname, '../build/Release/compass.node'),
};
