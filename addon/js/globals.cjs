// SPDX-License-Identifier: Apache-2.0
// The names that transformed source uses. They cannot be changed, so that the compiler may take
// them for constants.
'use strict';

function defineGlobals(recorder) {
  const values = {
    __cps_w: recorder.watching,
    __cps_e: recorder.enter,
    __cps_b: recorder.enterBorder,
    __cps_l: recorder.leave,
    __cps_a: recorder.enterSuspendable,
    __cps_m: recorder.leaveSuspendable,
    __cps_p: recorder.pause,
    __cps_r: recorder.resume,
    __cps_x: recorder.settle,
  };
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, writable: false, enumerable: false, configurable: false });
  }
}

module.exports = { defineGlobals };
