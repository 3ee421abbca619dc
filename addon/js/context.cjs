// SPDX-License-Identifier: Apache-2.0
// Which request it is that what runs now belongs to. The storage is in use only while requests are
// recorded: on some versions of Node.js it costs every promise something.
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

const { apply } = Reflect;

class Context {
  constructor() {
    this.storage = new AsyncLocalStorage();
    this.used = false;
    this.process = null; // the request of what runs outside of all requests
  }

  // null where nothing is recorded.
  current() {
    return this.used ? (this.storage.getStore() ?? this.process) : this.process;
  }

  // Makes a request, or none, the context of what runs from here on.
  enter(request) {
    if (request === null) {
      if (this.used) this.storage.enterWith(undefined);
      return;
    }
    this.used = true;
    this.storage.enterWith(request);
  }

  run(request, callback, self, args) {
    if (request.tally === null) return apply(callback, self, args);
    this.used = true;
    return this.storage.run(request, apply, callback, self, args);
  }

  disable() {
    if (this.used) this.storage.disable();
    this.used = false;
  }
}

module.exports = { Context };
