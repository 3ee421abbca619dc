// SPDX-License-Identifier: Apache-2.0
// A script: what runs outside of all requests, from the start of the process to its end. A process
// that turns out to be a server ends being a script with its first request.
'use strict';

const { isMainThread } = require('node:worker_threads');

function observeProcess(recorder, command) {
  if (!isMainThread || !recorder.watched()) return { endProcess() {} };
  const record = recorder.beginProcess(command);
  if (record === null) return { endProcess() {} };
  const endProcess = () => recorder.end(record, 0, false);
  // The last listener, so that others' are still recorded; there is no end that does not come here
  // but a signal's.
  process.on('exit', endProcess);
  return { endProcess };
}

module.exports = { observeProcess };
