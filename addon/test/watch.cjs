// SPDX-License-Identifier: Apache-2.0
// Preloaded by tests before the addon's index: plays a tracer. Sets the semaphores of the probes in
// COMPASS_TEST_WATCH (canary and batch, where it is not set) and appends every block handed over,
// and every classic probe as a line, to files in the folder COMPASS_TEST_OUT. With COMPASS_TEST_CLOCK it
// plays the recorder's clock too: no time passes but what the script says, with compassTest.advance.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { isMainThread, parentPort } = require('node:worker_threads');

const CLASSIC = ['httpInit', 'httpFunction', 'httpShutdown', 'cliInit', 'cliFunction', 'cliShutdown'];

const START_NS = 1e15;

// The function that lets milliseconds pass.
function playClock(binding) {
  const { moment } = binding;
  const time = new Float64Array(binding.control, 0, 1);
  const monotonic = new BigUint64Array(binding.control, binding.layout.monotonic * 4, 1);
  let now = START_NS;
  binding.clock = () => {
    time[0] = now;
  };
  binding.moment = () => {
    moment();
    monotonic[0] = BigInt(now);
    time[0] = now;
  };
  return (ms) => {
    now += ms * 1e6;
  };
}

function watch() {
  const binding = require('../build/Release/compass.node');
  const semaphores = new Uint16Array(binding.semaphores);
  const out = process.env.COMPASS_TEST_OUT;
  const names = (process.env.COMPASS_TEST_WATCH ?? 'canary,batch').split(',');
  // Far from nothing: a real tracer that leaves meanwhile subtracts one.
  binding.probes.forEach((name, index) => {
    semaphores[index] = names.includes(name) ? 100 : 0;
  });
  const { arena, handOver } = binding;
  const arenas = [];
  const control = new Uint32Array(binding.control);
  binding.arena = () => {
    arenas.push(arena());
    return arenas[arenas.length - 1];
  };
  const blocks = fs.openSync(path.join(out, 'blocks'), 'a');
  // Little more than a system call, since a block may be full where the stack nearly is. The real
  // hand-over would hit a probe with nobody behind it: harmless, so it is made too.
  binding.handOver = () => {
    const index = control[binding.layout.block];
    const block = Buffer.from(arenas[index >> 3], (index & 7) * 32768, 32768);
    handOver();
    fs.writeSync(blocks, block, 0, block.readUInt32LE(8));
  };
  for (const name of CLASSIC) {
    const original = binding[name];
    binding[name] = (...args) => {
      fs.appendFileSync(path.join(out, 'classic'), `${JSON.stringify([name, ...args])}\n`);
      original(...args);
    };
  }
  // As where external memory is forbidden: only refresh() tells.
  if (process.env.COMPASS_TEST_COPIED) delete binding.semaphores;
  const advance = process.env.COMPASS_TEST_CLOCK ? playClock(binding) : null;
  globalThis.compassTest = { binding, semaphores, advance, recorded: () => globalThis.__cps_w };
}

if (isMainThread || parentPort !== null) watch();
