// SPDX-License-Identifier: Apache-2.0
// The calls of requests: what the transformed functions call.
//
// There is one stack, of what runs now. A plain function is on it from its first line to its last.
// A function that can be suspended has a frame of its own, which is on the stack while it runs and
// off it while it waits; its elapsed time goes on, its self time does not. Everything on the stack
// was entered in the present turn of the event loop, so a function is the child of the one below
// it, if both belong to the same request.
//
// Totals count every call. A call over the threshold becomes a record too. After the end of its
// request a frame has no tally any more, and everything about it is ignored.
//
// An exception of the recorder would be the application's: what entries() gives cannot throw but
// for a stack that is exhausted, which the function itself was about to find.
'use strict';

const { isOrdinary } = require('./promises.cjs');
const { SUMS, CALLS, ELAPSED, SELF, LONGEST, SINCE, STATE, ACTIVE, LAST_CALLER, LAST_PAIR, SYMBOL } = require('./tally.cjs');

const { then } = Promise.prototype;
const { apply } = Reflect;

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

// The place of a function that the request has not called yet; -1 where there is none left.
function newPlace(request, number, at, registry) {
  const place = namedPlace(request, registry.name(number), at);
  if (place >= 0) request.tally.link(number, place);
  return place;
}

// The same for a name.
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

function pairOf(tally, place, caller) {
  return tally.pair(place, caller);
}

// A generator's time, unlike an async function's, is what it ran: while it waits it is not active.
function rest(tally, place, at) {
  if (--tally.state[place * STATE + ACTIVE] === 0) tally.sums[place * SUMS + ELAPSED] += at - tally.sums[place * SUMS + SINCE];
}

function goOn(tally, place, at) {
  if (tally.state[place * STATE + ACTIVE]++ === 0) tally.sums[place * SUMS + SINCE] = at;
}

// registry: the functions' names. faults: what counts exceptions of the addon's own.
class Calls {
  constructor(binding, threshold, registry, context, faults) {
    this.clock = binding.clock;
    this.threshold = threshold;
    this.registry = registry;
    this.context = context;
    this.faults = faults;
    this.time = new Float64Array(binding.control, 0, 1);
    this.working = false; // see alone()
    // The stack; its first place stays empty.
    this.top = 0;
    this.stackRequest = new Array(MAX_STACK).fill(null);
    this.stackFrame = new Array(MAX_STACK).fill(null);
    this.times = new Float64Array(MAX_STACK * TIMES);
    this.stack = new Int32Array(MAX_STACK * WHAT);
  }

  now() {
    this.clock();
    return this.time[0];
  }

  // Does what uses methods that the application may have replaced by functions of its own: what they throw
  // is a fault and -1, and what they enter is not recorded.
  alone(work, a, b, c, d) {
    this.working = true;
    try {
      return work(a, b, c, d);
    } catch (error) {
      this.faults.add(error);
      return -1;
    } finally {
      this.working = false;
    }
  }

  // Puts what is entered on the stack, and counts it. Its place there; 0 where it is not recorded.
  push(request, number, border) {
    const { tally } = request;
    if (tally === null || this.working) return 0;
    if (this.top + 1 >= MAX_STACK) {
      tally.functionsDropped++;
      return 0;
    }
    this.clock();
    const at = this.time[0];
    let place = tally.places[number] - 1;
    if (!(place >= 0)) {
      place = this.alone(newPlace, request, number, at, this.registry);
      if (place < 0) return 0;
    } else if (tally.state[place * STATE + SYMBOL] === 0) {
      place = this.alone(use, request, place, at);
      if (place < 0) return 0;
    }
    const below = this.top;
    const { state } = tally;
    let depth = 0;
    let pair = -1;
    if (below !== 0 && this.stackRequest[below] === request) {
      const caller = this.stack[below * WHAT + PLACE];
      depth = this.stack[below * WHAT + DEPTH] + 1;
      if (state[place * STATE + LAST_CALLER] === caller) pair = state[place * STATE + LAST_PAIR];
      else pair = this.alone(pairOf, tally, place, caller);
      if (pair >= 0) tally.callPair(pair);
      else tally.callersDropped++;
    }
    tally.sums[place * SUMS + CALLS]++;
    if (state[place * STATE + ACTIVE]++ === 0) tally.sums[place * SUMS + SINCE] = at;
    const index = below + 1;
    this.stackRequest[index] = request;
    this.setStack(index, place, depth, pair, border, at);
    this.top = index;
    return index;
  }

  setStack(index, place, depth, pair, border, at) {
    this.stack[index * WHAT + PLACE] = place;
    this.stack[index * WHAT + DEPTH] = depth;
    this.stack[index * WHAT + PAIR] = pair;
    this.stack[index * WHAT + BORDER] = border;
    this.times[index * TIMES + START] = at;
    this.times[index * TIMES + CHILDREN] = 0;
  }

  // Takes off what is above a place: functions that an exception left without their finally.
  cutTo(index) {
    while (this.top > index) {
      const frame = this.stackFrame[this.top];
      if (frame !== null) {
        frame.at = 0;
        this.stackFrame[this.top] = null;
      }
      this.top--;
    }
  }

  add(request, place, depth, pair, at, elapsed, self) {
    const { tally } = request;
    const { sums } = tally;
    const first = place * SUMS;
    sums[first + SELF] += self;
    if (elapsed > sums[first + LONGEST]) sums[first + LONGEST] = elapsed;
    if (--tally.state[place * STATE + ACTIVE] === 0) {
      sums[first + ELAPSED] += at - sums[first + SINCE];
      if (pair >= 0) tally.pairSums[pair * 2 + 1] += elapsed;
    }
    if (elapsed > this.threshold || this.threshold === 0) this.tryRecord(request, place, depth, at, elapsed);
  }

  // A record needs more of the stack than entering did. Where there is none left, it is the record
  // that is lost, and counted, not the value that the function is about to return.
  tryRecord(request, place, depth, at, elapsed) {
    try {
      request.record(place, depth, at, elapsed);
    } catch {
      request.callsDropped++;
    }
  }

  // What a plain function begins with: its place on the stack, or 0.
  enter(number) {
    const request = this.context.current();
    return request === null ? 0 : this.push(request, number, 0);
  }

  // The same for what a package exports: recorded only where the application calls it.
  enterBorder(number) {
    if (this.top === 0 || this.stack[this.top * WHAT + BORDER] === 1) return 0;
    const request = this.context.current();
    if (request === null || request !== this.stackRequest[this.top]) return 0;
    return this.push(request, number, 1);
  }

  leave(index) {
    if (index > this.top) return;
    this.clock();
    const at = this.time[0];
    if (index !== this.top) this.cutTo(index);
    const elapsed = at - this.times[index * TIMES + START];
    const self = elapsed - this.times[index * TIMES + CHILDREN];
    this.top = index - 1;
    this.times[this.top * TIMES + CHILDREN] += elapsed;
    const request = this.stackRequest[index];
    if (request.tally === null) return;
    const what = index * WHAT;
    this.add(request, this.stack[what + PLACE], this.stack[what + DEPTH], this.stack[what + PAIR], at, elapsed, self);
  }

  // What a function that can be suspended begins with: its frame, or null.
  enterSuspendable(number, generator, border) {
    if (border === 1 && (this.top === 0 || this.stack[this.top * WHAT + BORDER] === 1)) return null;
    const request = this.context.current();
    if (request === null) return null;
    const index = this.push(request, number, border === 1 ? 1 : 0);
    if (index === 0) return null;
    const what = index * WHAT;
    const frame = new Frame(
      request,
      this.stack[what + PLACE],
      this.stack[what + DEPTH],
      this.stack[what + PAIR],
      this.times[index * TIMES + START],
      generator === 1,
      this.stack[what + BORDER],
    );
    frame.at = index;
    this.stackFrame[index] = frame;
    return frame;
  }

  // Takes a frame off the stack.
  suspend(frame, at) {
    const index = frame.at;
    this.cutTo(index);
    const ran = at - this.times[index * TIMES + START];
    const { tally } = frame.request;
    if (tally !== null) tally.sums[frame.place * SUMS + SELF] += ran - this.times[index * TIMES + CHILDREN];
    if (frame.generator && tally !== null) rest(tally, frame.place, at);
    frame.ran += ran;
    frame.at = 0;
    this.stackFrame[index] = null;
    this.top = index - 1;
    this.times[this.top * TIMES + CHILDREN] += ran;
  }

  pause(frame, value) {
    if (frame !== null && frame.at !== 0) this.suspend(frame, this.now());
    return value;
  }

  resume(frame, value) {
    if (frame !== null && frame.at === 0) this.putBack(frame);
    return value;
  }

  putBack(frame) {
    const { tally } = frame.request;
    if (tally === null || this.top + 1 >= MAX_STACK) return;
    const index = this.top + 1;
    const at = this.now();
    if (frame.generator) goOn(tally, frame.place, at);
    this.stackRequest[index] = frame.request;
    this.stackFrame[index] = frame;
    this.setStack(index, frame.place, frame.depth, frame.pair, frame.border, at);
    frame.at = index;
    this.top = index;
  }

  // What an async function returns. A promise that is returned is waited for by the function's own,
  // which adopts it in the next moment; so looking at it as well changes nothing. No other thenable
  // is touched, and no promise whose own `then` would run code of the application's.
  settle(frame, value) {
    if (frame === null) return value;
    frame.settling = isOrdinary(value);
    if (!frame.settling) return value;
    const done = () => this.finish(frame, this.now());
    try {
      apply(then, value, [done, done]);
    } catch {
      frame.settling = false;
    }
    return value;
  }

  leaveSuspendable(frame) {
    const at = this.now();
    if (frame.at !== 0) this.suspend(frame, at);
    if (!frame.settling) this.finish(frame, at);
  }

  finish(frame, at) {
    const { request, place } = frame;
    if (request.tally === null || frame.finished) return;
    frame.finished = true;
    if (frame.generator) goOn(request.tally, place, at);
    const elapsed = frame.generator ? frame.ran : at - frame.start;
    this.add(request, place, frame.depth, frame.pair, at, elapsed, 0);
  }

  // A call that is only waiting, seen from outside: begun now, by what runs now; null where
  // nothing is recorded.
  beginSpan() {
    const request = this.context.current();
    if (request === null || request.tally === null) return null;
    const inside = this.top !== 0 && this.stackRequest[this.top] === request;
    return {
      request,
      depth: inside ? this.stack[this.top * WHAT + DEPTH] + 1 : 0,
      caller: inside ? this.stack[this.top * WHAT + PLACE] : -1,
      start: this.now(),
    };
  }

  endSpan(span, name) {
    const { request, caller } = span;
    const { tally } = request;
    if (tally === null) return;
    const at = this.now();
    const place = this.alone(namedPlace, request, name, at);
    if (place < 0) return;
    const elapsed = at - span.start;
    const pair = caller < 0 ? -1 : this.alone(pairOf, tally, place, caller);
    tally.sums[place * SUMS + CALLS]++;
    if (pair >= 0) tally.callPair(pair);
    if (tally.state[place * STATE + ACTIVE]++ === 0) tally.sums[place * SUMS + SINCE] = span.start;
    this.add(request, place, span.depth, pair, at, elapsed, elapsed);
  }

  // What transformed source calls: the names have no object.
  entries() {
    return {
      enter: (number) => this.enter(number),
      enterBorder: (number) => this.enterBorder(number),
      leave: (index) => this.leave(index),
      enterSuspendable: (number, generator, border) => this.enterSuspendable(number, generator, border),
      leaveSuspendable: (frame) => this.leaveSuspendable(frame),
      pause: (frame, value) => this.pause(frame, value),
      resume: (frame, value) => this.resume(frame, value),
      settle: (frame, value) => this.settle(frame, value),
    };
  }

  // The process ends, and what still runs with it.
  leaveAll() {
    while (this.top > 0) {
      const frame = this.stackFrame[this.top];
      if (frame === null) this.leave(this.top);
      else this.leaveSuspendable(frame);
    }
  }
}

module.exports = { Calls };
