// SPDX-License-Identifier: Apache-2.0
// The numbers and names of all transformed functions of a thread. Where modules are transformed on
// the thread of the loader's hooks, that one takes numbers from the same counter, and sends the
// names, which are read from the port when a number is met that has no name yet.
'use strict';

const { receiveMessageOnPort } = require('node:worker_threads');

class Registry {
  constructor(counter) {
    this.counter = counter ?? new Int32Array(new SharedArrayBuffer(4));
    this.names = [];
    this.port = null;
  }

  // Takes numbers for a module's functions: the first of them.
  allocate(names) {
    const base = Atomics.add(this.counter, 0, names.length);
    this.store(base, names);
    return base;
  }

  store(base, names) {
    for (let i = 0; i < names.length; i++) this.names[base + i] = names[i];
  }

  drain() {
    if (this.port === null) return;
    for (;;) {
      const received = receiveMessageOnPort(this.port);
      if (received === undefined) return;
      this.store(received.message.base, received.message.names);
    }
  }

  name(number) {
    if (this.names[number] === undefined) this.drain();
    return this.names[number] ?? '<unknown>';
  }
}

module.exports = { Registry };
