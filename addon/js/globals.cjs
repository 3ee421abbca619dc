// SPDX-License-Identifier: Apache-2.0
// The names that transformed source uses. The functions cannot be changed. Whether requests are
// recorded, __cps_w, can, by whoever calls what this returns; unless the application has frozen its
// globals meanwhile: then the number stays, and calls are recorded, or are not, as they were.
'use strict';

const { set } = Reflect;

function define(name, value, writable) {
  Object.defineProperty(globalThis, name, { value, writable, enumerable: false, configurable: false });
}

function defineCount() {
  define('__cps_w', 0, true);
  return (count) => set(globalThis, '__cps_w', count);
}

// entries: what recorder.calls.entries() gives.
function defineFunctions(entries) {
  const values = {
    __cps_e: entries.enter,
    __cps_b: entries.enterBorder,
    __cps_l: entries.leave,
    __cps_a: entries.enterSuspendable,
    __cps_m: entries.leaveSuspendable,
    __cps_p: entries.pause,
    __cps_r: entries.resume,
    __cps_x: entries.settle,
  };
  for (const [name, value] of Object.entries(values)) {
    define(name, value, false);
  }
}

// For a thread that nothing is recorded on, though it may load transformed source.
function defineIdle() {
  defineCount();
  const hand = (frame, value) => value;
  const nothing = () => null;
  defineFunctions({
    enter: nothing, enterBorder: nothing, leave: nothing, enterSuspendable: nothing, leaveSuspendable: nothing,
    pause: hand, resume: hand, settle: hand,
  });
}

module.exports = { defineCount, defineFunctions, defineIdle };
