// SPDX-License-Identifier: Apache-2.0
// The numbers and names of all transformed functions of a thread. Where modules are transformed on
// the thread of the loader's hooks, that one takes numbers from the same counter, and sends the
// names, which are read from the port when a number is met that has no name yet.
'use strict';

const { builtin } = require('./builtin.cjs');

const { parse } = JSON;

class Registry {
  constructor(counter) {
    this.counter = counter ?? new Int32Array(new SharedArrayBuffer(4));
    this.names = [];
    this.unread = []; // what was stored as text, until a name is asked for
    this.port = null;
  }

  // Takes numbers for `count` functions: the first of them.
  allocate(count) {
    return Atomics.add(this.counter, 0, count);
  }

  // names: an array, or one as JSON, which is only read when somebody wants to know.
  store(base, names) {
    if (typeof names === 'string') this.unread.push({ base, names });
    else for (let i = 0; i < names.length; i++) this.names[base + i] = names[i];
  }

  // An entry of the cache may be damaged: what it named stays without a name.
  read() {
    for (const { base, names } of this.unread.splice(0)) {
      try {
        this.store(base, parse(names));
      } catch {
        continue;
      }
    }
  }

  drain() {
    if (this.port === null) return;
    const { receiveMessageOnPort } = builtin('node:worker_threads');
    for (;;) {
      const received = receiveMessageOnPort(this.port);
      if (received === undefined) return;
      this.store(received.message.base, received.message.names);
    }
  }

  name(number) {
    if (this.names[number] === undefined) {
      this.drain();
      this.read();
    }
    return this.names[number] ?? '<unknown>';
  }
}

module.exports = { Registry };
