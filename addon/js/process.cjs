// SPDX-License-Identifier: Apache-2.0
// A script: what runs outside of all requests, from the start of the process to its end. A process
// that turns out to be a server ends being a script with its first request.
'use strict';

// Returns what ends the script, and does nothing the next time.
function observeProcess(recorder, command, isMainThread) {
  // There is no end that does not come here but a signal's.
  process.on('exit', () => recorder.endAll());
  let record = isMainThread && recorder.watched() ? recorder.beginProcess(command) : null;
  return () => {
    if (record !== null) recorder.end(record, 0, false);
    record = null;
  };
}

module.exports = { observeProcess };
