// SPDX-License-Identifier: Apache-2.0
// The recorder: what requests begin and end. What they call is in calls.cjs.
'use strict';

const { Pool, Writer } = require('./blocks.cjs');
const { Calls } = require('./calls.cjs');
const { Context } = require('./context.cjs');
const { Tally, SUMS, CALLS, ELAPSED, SELF, LONGEST, SINCE, STATE, ACTIVE } = require('./tally.cjs');

const HTTP = 1;
const CLI = 2;
const MAX_TALLIES = 64;
const RSS_AGE = 1e8;
const SWEEP_MS = 100;
const START_TIMER = setInterval;
const STOP_TIMER = clearInterval;
const SOON = setImmediate;

class Request {
  constructor(binding, source, id, uri, method, parent) {
    this.binding = binding;
    this.source = source;
    this.id = id;
    this.uri = uri;
    this.method = method;
    this.parent = parent; // the ids of a W3C traceparent, '' without one
    this.tally = null; // null again when it has ended
    this.writer = null;
    this.classic = false;
    this.ending = false; // the answer is complete
    this.status = 0;
    this.callsDropped = 0;
    this.start = 0;
    this.memory = 0;
  }

  // A call over the threshold.
  record(place, depth, at, elapsed) {
    if (this.writer !== null) this.writer.call(this.tally.symbolOf(place), depth, at, elapsed, this.memory);
    if (this.classic) this.tellFunction(this.tally.names[place], elapsed);
  }

  tellFunction(name, elapsed) {
    if (this.source === HTTP) this.binding.httpFunction(this.id, name, elapsed, this.memory);
    else this.binding.cliFunction(name, elapsed, this.memory);
  }

  tellBegin() {
    if (this.source === HTTP) this.binding.httpInit(this.id, this.uri, this.method);
    else this.binding.cliInit(this.uri);
  }

  tellEnd(status, at) {
    if (this.source === HTTP) this.binding.httpShutdown(this.id, status, at - this.start);
    else this.binding.cliShutdown();
  }

  writeTotals(at) {
    const { tally, writer } = this;
    const { sums, state, used, pairPlaces, pairSums, usedPairs } = tally;
    for (let symbol = 0; symbol < tally.usedCount; symbol++) {
      const place = used[symbol];
      const first = place * SUMS;
      let elapsed = sums[first + ELAPSED];
      if (state[place * STATE + ACTIVE] > 0) elapsed += at - sums[first + SINCE];
      writer.totals(symbol, sums[first + CALLS], elapsed, sums[first + SELF], sums[first + LONGEST], at);
    }
    for (let i = 0; i < tally.usedPairCount; i++) {
      const pair = usedPairs[i] * 2;
      const callee = tally.symbolOf(pairPlaces[pair]);
      writer.caller(callee, tally.symbolOf(pairPlaces[pair + 1]), pairSums[pair], pairSums[pair + 1], at);
    }
  }

  writeEnd(status, aborted, peak, at) {
    this.writeTotals(at);
    const { callsDropped } = this;
    const { functionsDropped, callersDropped } = this.tally;
    this.writer.end({ status, aborted, peak, callsDropped, functionsDropped, callersDropped }, at);
  }
}

// Exceptions of the addon's own, which nobody sees.
class Faults {
  constructor() {
    this.count = 0;
    this.first = null;
  }

  add(error) {
    this.count++;
    this.first ??= error;
  }
}

class Recorder {
  // tell: called with 1 before a request is recorded, and with 0 some time after none is.
  constructor(binding, config, registry, tell) {
    this.binding = binding;
    this.tell = tell;
    this.told = 0;
    this.time = new Float64Array(binding.control, 0, 2);
    this.control = { ...binding.layout, u32: new Uint32Array(binding.control) };
    const own = new Uint16Array(binding.control, this.control.semaphores * 4, binding.probes.length);
    this.semaphores = binding.semaphores ? new Uint16Array(binding.semaphores) : own;
    this.probe = Object.fromEntries(binding.probes.map((name, index) => [name, index]));
    this.pool = new Pool(binding);
    this.tallies = [];
    this.recorded = new Set();
    this.complete = []; // requests whose answer is complete
    this.timer = null;
    this.memory = 0;
    this.memoryAt = -RSS_AGE;
    this.faults = new Faults();
    this.context = new Context();
    this.calls = new Calls(binding, config.threshold, registry, this.context, this.faults);
  }

  now() {
    this.binding.clock();
    return this.time[0];
  }

  isWatched(name) {
    return this.semaphores[this.probe[name]] !== 0;
  }

  watched() {
    if (!this.binding.semaphores) this.binding.refresh();
    return this.isWatched('canary');
  }

  classicWatched(source) {
    if (source === HTTP) {
      return this.isWatched('http_request_init') || this.isWatched('http_function') || this.isWatched('http_request_shutdown');
    }
    return this.isWatched('cli_request_init') || this.isWatched('cli_function') || this.isWatched('cli_request_shutdown');
  }

  // The compiler is told at most ten times a second that nothing is recorded any more, see sweep().
  say(whether) {
    if (this.told === whether) return;
    this.told = whether;
    this.tell(whether);
  }

  // The resident set, read at most every RSS_AGE: reading it takes as long as hundreds of calls.
  residentSet(at) {
    if (at - this.memoryAt > RSS_AGE) {
      this.memory = process.memoryUsage.rss();
      this.memoryAt = at;
    }
    return this.memory;
  }

  // Begins to record, where somebody watches; null where nobody does.
  begin(source, id, uri, method, parent = '') {
    if (!this.watched()) return null;
    const batch = this.isWatched('batch');
    const classic = this.classicWatched(source);
    // Its semaphore is what the sidecar uses: being hit would cost it as much as a block does.
    if (classic || !batch) this.binding.canary();
    if (!batch && !classic) return null;
    this.binding.moment();
    const at = this.time[0];
    const request = new Request(this.binding, source, id, uri, method, parent);
    request.start = at;
    request.memory = this.residentSet(at);
    request.classic = classic;
    request.tally = this.tallies.pop() ?? new Tally();
    if (batch) request.writer = this.newWriter(request, at);
    if (classic) request.tellBegin();
    this.recorded.add(request);
    this.say(1);
    this.startTimer();
    return request;
  }

  newWriter(request, at) {
    this.binding.nextRequest();
    const writer = new Writer(this.binding, this.pool, this.control, this.time[1]);
    writer.begin(request, at);
    return writer;
  }

  startTimer() {
    if (this.timer !== null) return;
    this.timer = START_TIMER(() => this.sweep(), SWEEP_MS);
    this.timer.unref();
  }

  end(request, status, aborted) {
    if (request.tally === null) return;
    const at = this.now();
    const peak = Math.max(request.memory, this.residentSet(at));
    if (request.writer !== null) request.writeEnd(status, aborted, peak, at);
    if (request.classic) request.tellEnd(status, at);
    this.forget(request);
  }

  // Ends a request whose answer is complete once what gave it has had its turn to return.
  endSoon(request, status) {
    if (request.ending) return;
    request.ending = true;
    request.status = status;
    this.complete[this.complete.length] = request;
    if (this.complete.length === 1) SOON(() => this.endComplete());
  }

  endComplete() {
    const requests = this.complete;
    this.complete = [];
    for (let i = 0; i < requests.length; i++) {
      try {
        this.end(requests[i], requests[i].status, false);
      } catch (error) {
        this.faults.add(error);
      }
    }
  }

  // The process ends: what still runs and what is still open ends with it.
  endAll() {
    this.calls.leaveAll();
    for (const request of this.recorded) this.end(request, request.status, !request.ending && request.source === HTTP);
  }

  forget(request) {
    const { tally } = request;
    request.tally = null;
    request.writer?.drop();
    tally.reset();
    if (this.tallies.length < MAX_TALLIES) this.tallies.push(tally);
    this.recorded.delete(request);
    if (this.context.process === request) this.context.process = null;
  }

  // Ten times a second while somebody watches. What was recorded is told while its request waits, so
  // that little is lost when the process is killed. When the last tracer has gone, all is dropped, and
  // the context is put out of use.
  sweep() {
    if (this.watched()) {
      const at = this.now();
      for (const request of this.recorded) request.writer?.tellOld(at);
      if (this.recorded.size === 0) this.say(0);
      return;
    }
    for (const request of this.recorded) this.forget(request);
    this.say(0);
    this.context.disable();
    STOP_TIMER(this.timer);
    this.timer = null;
  }

  beginProcess(command) {
    this.context.process = this.begin(CLI, '', command, '');
    return this.context.process;
  }
}

module.exports = { Recorder, HTTP, CLI };
