// SPDX-License-Identifier: Apache-2.0
// The recorder: what the transformed functions call, and what requests begin and end.
//
// There is one stack, of what runs now. A plain function is on it from its first line to its last.
// A function that can be suspended has a frame of its own, which is on the stack while it runs and
// off it while it waits; its elapsed time goes on, its self time does not. Everything on the stack
// was entered in the present turn of the event loop, so a function is the child of the one below
// it, if both belong to the same request. Which request that is, the context says (the store of an
// AsyncLocalStorage, entered only for recorded requests); outside of all requests it is the
// process's own, a script's.
//
// Totals count every call. A call over the threshold becomes a record too. After the end of its
// request a frame has no tally any more, and everything about it is ignored.
//
// An exception of the recorder would be the application's: the entry points below cannot throw but
// for a stack that is exhausted, which the function itself was about to find.
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { Pool, Writer } = require('./blocks.cjs');
const { isOrdinary } = require('./promises.cjs');
const { Tally, SUMS, CALLS, ELAPSED, SELF, LONGEST, SINCE, STATE, ACTIVE, LAST_CALLER, LAST_PAIR, SYMBOL } = require('./tally.cjs');

const HTTP = 1;
const CLI = 2;
const MAX_STACK = 16384;
// What a place on the stack holds in `times`, and in `stack`.
const TIMES = 2;
const START = 0;
const CHILDREN = 1;
const WHAT = 4;
const PLACE = 0;
const DEPTH = 1;
const PAIR = 2;
const BORDER = 3;
const MAX_TALLIES = 64;
const RSS_AGE = 1e8;
const SWEEP_MS = 100;
const START_TIMER = setInterval;
const STOP_TIMER = clearInterval;
const SOON = setImmediate;

class Request {
  constructor(source, id, uri, method, parent) {
    this.source = source;
    this.id = id;
    this.uri = uri;
    this.method = method;
    this.parent = parent; // the ids of a W3C traceparent, '' without one
    this.tally = null;
    this.writer = null;
    this.classic = false;
    this.ending = false; // the answer is complete
    this.status = 0;
    this.callsDropped = 0;
    this.start = 0;
    this.memory = 0;
  }
}

class Frame {
  constructor(request, place, depth, pair, start, generator, border) {
    this.request = request;
    this.place = place;
    this.depth = depth;
    this.pair = pair;
    this.start = start;
    this.generator = generator;
    this.border = border;
    this.at = 0; // where it is on the stack; 0 is nowhere
    this.ran = 0; // time on the stack
    this.settling = false; // its promise waits for another one
    this.finished = false;
  }
}

// tell: called with 1 before a request is recorded, and with 0 some time after none is.
function createRecorder(binding, config, registry, tell) {
  const { clock } = binding;
  const time = new Float64Array(binding.control, 0, 2);
  const control = { ...binding.layout, u32: new Uint32Array(binding.control) };
  const own = new Uint16Array(binding.control, control.semaphores * 4, binding.probes.length);
  const shared = binding.semaphores ? new Uint16Array(binding.semaphores) : null;
  const semaphores = shared ?? own;
  const probe = Object.fromEntries(binding.probes.map((name, index) => [name, index]));
  const threshold = config.threshold;
  const pool = new Pool(binding);
  const tallies = [];
  const recorded = new Set();
  const faults = { count: 0, first: null }; // exceptions of the addon's own, which nobody sees
  const storage = new AsyncLocalStorage();
  const { then } = Promise.prototype;
  const apply = Reflect.apply;

  let entered = false; // the storage is in use
  let told = 0;
  let complete = []; // requests whose answer is complete
  let process_ = null; // the request of what runs outside of all requests
  let timer = null;
  let memory = 0;
  let memoryAt = -RSS_AGE;
  let working = false; // a method that the recorder uses, and the application may have replaced, is running

  // The stack; its first place stays empty.
  let top = 0;
  const stackRequest = new Array(MAX_STACK).fill(null);
  const stackFrame = new Array(MAX_STACK).fill(null);
  const times = new Float64Array(MAX_STACK * TIMES);
  const stack = new Int32Array(MAX_STACK * WHAT);

  function now() {
    clock();
    return time[0];
  }

  function watched() {
    if (shared === null) binding.refresh();
    return semaphores[probe.canary] !== 0;
  }

  function currentRequest() {
    if (!entered) return process_;
    return storage.getStore() ?? process_;
  }

  // The place of a function that the request has not called yet; -1 where there is none left.
  function newPlace(request, number, at) {
    const place = namedPlace(request, registry.name(number), at);
    if (place >= 0) request.tally.link(number, place);
    return place;
  }

  function pairOf(tally, place, caller) {
    return tally.pair(place, caller);
  }

  // Does what uses such methods: what they throw is a fault and -1, and what they enter is not recorded.
  function alone(work, a, b, c) {
    working = true;
    try {
      return work(a, b, c);
    } catch (error) {
      fault(error);
      return -1;
    } finally {
      working = false;
    }
  }

  // The place of a name that the request calls; -1 where there is none left.
  function namedPlace(request, name, at) {
    const { tally } = request;
    const place = tally.placeOf(name);
    if (place < 0) tally.functionsDropped++;
    return place < 0 || tally.symbolOf(place) >= 0 ? place : use(request, place, at);
  }

  // Begins to use a place that an earlier request may have known.
  function use(request, place, at) {
    const { tally, writer } = request;
    if (tally.full()) {
      tally.functionsDropped++;
      return -1;
    }
    // Told first: where that fails, in a stack that is nearly exhausted, the place is not in use.
    if (writer !== null) writer.symbol(tally.usedCount, tally.names[place], at);
    tally.use(place);
    return place;
  }

  // Puts what is entered on the stack, and counts it. Its place there; 0 where it is not recorded.
  function push(request, number, border) {
    const { tally } = request;
    if (tally === null || working) return 0;
    if (top + 1 >= MAX_STACK) {
      tally.functionsDropped++;
      return 0;
    }
    clock();
    const at = time[0];
    let place = tally.places[number] - 1;
    if (!(place >= 0)) {
      place = alone(newPlace, request, number, at);
      if (place < 0) return 0;
    } else if (tally.state[place * STATE + SYMBOL] === 0) {
      place = alone(use, request, place, at);
      if (place < 0) return 0;
    }
    const below = top;
    const { state } = tally;
    let depth = 0;
    let pair = -1;
    if (below !== 0 && stackRequest[below] === request) {
      const caller = stack[below * WHAT + PLACE];
      depth = stack[below * WHAT + DEPTH] + 1;
      if (state[place * STATE + LAST_CALLER] === caller) pair = state[place * STATE + LAST_PAIR];
      else pair = alone(pairOf, tally, place, caller);
      if (pair >= 0) tally.callPair(pair);
      else tally.callersDropped++;
    }
    tally.sums[place * SUMS + CALLS]++;
    if (state[place * STATE + ACTIVE]++ === 0) tally.sums[place * SUMS + SINCE] = at;
    const index = below + 1;
    stackRequest[index] = request;
    setStack(index, place, depth, pair, border, at);
    top = index;
    return index;
  }

  function setStack(index, place, depth, pair, border, at) {
    stack[index * WHAT + PLACE] = place;
    stack[index * WHAT + DEPTH] = depth;
    stack[index * WHAT + PAIR] = pair;
    stack[index * WHAT + BORDER] = border;
    times[index * TIMES + START] = at;
    times[index * TIMES + CHILDREN] = 0;
  }

  // Takes off what is above a place: functions that an exception left without their finally.
  function cutTo(index) {
    while (top > index) {
      const frame = stackFrame[top];
      if (frame !== null) {
        frame.at = 0;
        stackFrame[top] = null;
      }
      top--;
    }
  }

  function record(request, place, depth, at, elapsed) {
    if (request.writer !== null) request.writer.call(request.tally.symbolOf(place), depth, at, elapsed, request.memory);
    if (request.classic) classicFunction(request, place, elapsed);
  }

  function classicFunction(request, place, elapsed) {
    const name = request.tally.names[place];
    if (request.source === HTTP) binding.httpFunction(request.id, name, elapsed, request.memory);
    else binding.cliFunction(name, elapsed, request.memory);
  }

  function add(request, place, depth, pair, at, elapsed, self) {
    const { tally } = request;
    const { sums } = tally;
    const first = place * SUMS;
    sums[first + SELF] += self;
    if (elapsed > sums[first + LONGEST]) sums[first + LONGEST] = elapsed;
    if (--tally.state[place * STATE + ACTIVE] === 0) {
      sums[first + ELAPSED] += at - sums[first + SINCE];
      if (pair >= 0) tally.pairSums[pair * 2 + 1] += elapsed;
    }
    if (elapsed > threshold || threshold === 0) tryRecord(request, place, depth, at, elapsed);
  }

  // A record needs more of the stack than entering did. Where there is none left, it is the record
  // that is lost, and counted, not the value that the function is about to return.
  function tryRecord(request, place, depth, at, elapsed) {
    try {
      record(request, place, depth, at, elapsed);
    } catch {
      request.callsDropped++;
    }
  }

  // What a plain function begins with: its place on the stack, or 0.
  function enter(number) {
    const request = entered ? (storage.getStore() ?? process_) : process_;
    return request === null ? 0 : push(request, number, 0);
  }

  // The same for what a package exports: recorded only where the application calls it.
  function enterBorder(number) {
    if (top === 0 || stack[top * WHAT + BORDER] === 1) return 0;
    const request = currentRequest();
    if (request === null || request !== stackRequest[top]) return 0;
    return push(request, number, 1);
  }

  function leave(index) {
    if (index > top) return;
    clock();
    const at = time[0];
    if (index !== top) cutTo(index);
    const elapsed = at - times[index * TIMES + START];
    const self = elapsed - times[index * TIMES + CHILDREN];
    top = index - 1;
    times[top * TIMES + CHILDREN] += elapsed;
    const request = stackRequest[index];
    if (request.tally === null) return;
    const what = index * WHAT;
    add(request, stack[what + PLACE], stack[what + DEPTH], stack[what + PAIR], at, elapsed, self);
  }

  // What a function that can be suspended begins with: its frame, or null.
  function enterSuspendable(number, generator, border) {
    if (border === 1 && (top === 0 || stack[top * WHAT + BORDER] === 1)) return null;
    const request = currentRequest();
    if (request === null) return null;
    const index = push(request, number, border === 1 ? 1 : 0);
    if (index === 0) return null;
    const what = index * WHAT;
    const frame = new Frame(
      request,
      stack[what + PLACE],
      stack[what + DEPTH],
      stack[what + PAIR],
      times[index * TIMES + START],
      generator === 1,
      stack[what + BORDER],
    );
    frame.at = index;
    stackFrame[index] = frame;
    return frame;
  }

  // Takes a frame off the stack.
  function suspend(frame, at) {
    const index = frame.at;
    cutTo(index);
    const ran = at - times[index * TIMES + START];
    const { tally } = frame.request;
    if (tally !== null) tally.sums[frame.place * SUMS + SELF] += ran - times[index * TIMES + CHILDREN];
    if (frame.generator && tally !== null) rest(tally, frame.place, at);
    frame.ran += ran;
    frame.at = 0;
    stackFrame[index] = null;
    top = index - 1;
    times[top * TIMES + CHILDREN] += ran;
  }

  // A generator's time, unlike an async function's, is what it ran: while it waits it is not active.
  function rest(tally, place, at) {
    if (--tally.state[place * STATE + ACTIVE] === 0) tally.sums[place * SUMS + ELAPSED] += at - tally.sums[place * SUMS + SINCE];
  }

  function goOn(tally, place, at) {
    if (tally.state[place * STATE + ACTIVE]++ === 0) tally.sums[place * SUMS + SINCE] = at;
  }

  function pause(frame, value) {
    if (frame !== null && frame.at !== 0) suspend(frame, now());
    return value;
  }

  function resume(frame, value) {
    if (frame !== null && frame.at === 0) putBack(frame);
    return value;
  }

  function putBack(frame) {
    const { tally } = frame.request;
    if (tally === null || top + 1 >= MAX_STACK) return;
    const index = top + 1;
    const at = now();
    if (frame.generator) goOn(tally, frame.place, at);
    stackRequest[index] = frame.request;
    stackFrame[index] = frame;
    setStack(index, frame.place, frame.depth, frame.pair, frame.border, at);
    frame.at = index;
    top = index;
  }

  // What an async function returns. A promise that is returned is waited for by the function's own,
  // which adopts it in the next moment; so looking at it as well changes nothing. No other thenable
  // is touched, and no promise whose own `then` would run code of the application's.
  function settle(frame, value) {
    if (frame === null) return value;
    frame.settling = isOrdinary(value);
    if (!frame.settling) return value;
    const done = () => finish(frame, now());
    try {
      apply(then, value, [done, done]);
    } catch {
      frame.settling = false;
    }
    return value;
  }

  function leaveSuspendable(frame) {
    const at = now();
    if (frame.at !== 0) suspend(frame, at);
    if (!frame.settling) finish(frame, at);
  }

  function finish(frame, at) {
    const { request, place } = frame;
    if (request.tally === null || frame.finished) return;
    frame.finished = true;
    if (frame.generator) goOn(request.tally, place, at);
    const elapsed = frame.generator ? frame.ran : at - frame.start;
    add(request, place, frame.depth, frame.pair, at, elapsed, 0);
  }

  // A call that is only waiting, seen from outside: begun now, by what runs now; null where
  // nothing is recorded.
  function beginSpan() {
    if (recorded.size === 0) return null;
    const request = currentRequest();
    if (request === null || request.tally === null) return null;
    const inside = top !== 0 && stackRequest[top] === request;
    return {
      request,
      depth: inside ? stack[top * WHAT + DEPTH] + 1 : 0,
      caller: inside ? stack[top * WHAT + PLACE] : -1,
      start: now(),
    };
  }

  function endSpan(span, name) {
    const { request, caller } = span;
    const { tally } = request;
    if (tally === null) return;
    const at = now();
    const place = alone(namedPlace, request, name, at);
    if (place < 0) return;
    const elapsed = at - span.start;
    const pair = caller < 0 ? -1 : alone(pairOf, tally, place, caller);
    tally.sums[place * SUMS + CALLS]++;
    if (pair >= 0) tally.callPair(pair);
    if (tally.state[place * STATE + ACTIVE]++ === 0) tally.sums[place * SUMS + SINCE] = span.start;
    add(request, place, span.depth, pair, at, elapsed, elapsed);
  }

  // The resident set, read at most every RSS_AGE: reading it takes as long as hundreds of calls.
  function residentSet(at) {
    if (at - memoryAt > RSS_AGE) {
      memory = process.memoryUsage.rss();
      memoryAt = at;
    }
    return memory;
  }

  function classicWatched(source) {
    const first = source === HTTP ? probe.http_request_init : probe.cli_request_init;
    const last = source === HTTP ? probe.http_request_shutdown : probe.cli_request_shutdown;
    const function_ = source === HTTP ? probe.http_function : probe.cli_function;
    return semaphores[first] !== 0 || semaphores[function_] !== 0 || semaphores[last] !== 0;
  }

  // The compiler is told at most ten times a second that nothing is recorded any more, see sweep().
  function say(whether) {
    if (told === whether) return;
    told = whether;
    tell(whether);
  }

  // Begins to record, where somebody watches; null where nobody does.
  function begin(source, id, uri, method, parent = '') {
    if (!watched()) return null;
    const batch = semaphores[probe.batch] !== 0;
    const classic = classicWatched(source);
    // Its semaphore is what the sidecar uses: being hit would cost it as much as a block does.
    if (classic || !batch) binding.canary();
    if (!batch && !classic) return null;
    const request = new Request(source, id, uri, method, parent);
    binding.moment();
    const at = time[0];
    request.start = at;
    request.memory = residentSet(at);
    request.classic = classic;
    request.tally = tallies.pop() ?? new Tally();
    if (batch) {
      binding.nextRequest();
      request.writer = new Writer(binding, pool, control, time[1]);
      request.writer.begin(request, at);
    }
    if (classic && source === HTTP) binding.httpInit(id, uri, method);
    if (classic && source === CLI) binding.cliInit(uri);
    recorded.add(request);
    say(1);
    if (timer === null) {
      timer = START_TIMER(sweep, SWEEP_MS);
      timer.unref();
    }
    return request;
  }

  function writeTotals(request, at) {
    const { tally, writer } = request;
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

  function end(request, status, aborted) {
    const { tally, writer } = request;
    if (tally === null) return;
    const at = now();
    const peak = Math.max(request.memory, residentSet(at));
    if (writer !== null) {
      writeTotals(request, at);
      const { functionsDropped, callersDropped } = tally;
      const { callsDropped } = request;
      writer.end({ status, aborted, peak, callsDropped, functionsDropped, callersDropped }, at);
    }
    if (request.classic && request.source === HTTP) binding.httpShutdown(request.id, status, at - request.start);
    if (request.classic && request.source === CLI) binding.cliShutdown();
    forget(request);
  }

  // Ends a request whose answer is complete once what gave it has had its turn to return.
  function endSoon(request, status) {
    if (request.ending) return;
    request.ending = true;
    request.status = status;
    complete[complete.length] = request;
    if (complete.length === 1) SOON(endComplete);
  }

  function endComplete() {
    const requests = complete;
    complete = [];
    for (let i = 0; i < requests.length; i++) {
      try {
        end(requests[i], requests[i].status, false);
      } catch (error) {
        fault(error);
      }
    }
  }

  // The process ends: what still runs and what is still open ends with it.
  function endAll() {
    while (top > 0) {
      const frame = stackFrame[top];
      if (frame === null) leave(top);
      else leaveSuspendable(frame);
    }
    for (const request of recorded) end(request, request.status, !request.ending && request.source === HTTP);
  }

  function forget(request) {
    const { tally } = request;
    request.tally = null;
    request.writer?.drop();
    tally.reset();
    if (tallies.length < MAX_TALLIES) tallies.push(tally);
    recorded.delete(request);
    if (process_ === request) process_ = null;
  }

  // Ten times a second while somebody watches. What was recorded is told while its request waits, so
  // that little is lost when the process is killed. When the last tracer has gone, all is dropped, and
  // the storage, which costs every promise something, is put out of use.
  function sweep() {
    if (watched()) {
      const at = now();
      for (const request of recorded) request.writer?.tellOld(at);
      if (recorded.size === 0) say(0);
      return;
    }
    for (const request of recorded) forget(request);
    say(0);
    if (entered) storage.disable();
    entered = false;
    STOP_TIMER(timer);
    timer = null;
  }

  // Makes a request, or none, the context of what runs from here on.
  function enterRequest(request) {
    if (request === null) {
      if (entered) storage.enterWith(undefined);
      return;
    }
    entered = true;
    storage.enterWith(request);
  }

  function runIn(request, callback, self, args) {
    if (request.tally === null) return apply(callback, self, args);
    entered = true;
    return storage.run(request, apply, callback, self, args);
  }

  function fault(error) {
    faults.count++;
    faults.first ??= error;
  }

  function beginProcess(command) {
    process_ = begin(CLI, '', command, '');
    return process_;
  }

  return {
    enter,
    enterBorder,
    leave,
    enterSuspendable,
    leaveSuspendable,
    pause,
    resume,
    settle,
    watched,
    begin,
    end,
    endSoon,
    endAll,
    enterRequest,
    runIn,
    beginProcess,
    fault,
    faults,
    beginSpan,
    endSpan,
    HTTP,
    CLI,
  };
}

module.exports = { createRecorder };
