// SPDX-License-Identifier: Apache-2.0
// The totals of one request: of every function, and of every pair of function and caller. A
// function has a place in the arrays, which is also its symbol in the request's blocks. Tallies
// are used again, since making one costs more than a small request.
'use strict';

const MAX_PLACES = 8192;
const MAX_PAIRS = 32768;
const PAIR = 16384;

function grown(array, length) {
  const larger = new array.constructor(length);
  larger.set(array);
  return larger;
}

class Tally {
  constructor() {
    this.places = new Int32Array(1024); // by the number of a function: its place + 1
    this.used = []; // numbers that have a place
    this.byName = new Map();
    this.count = 0;
    this.allocate(64);
    this.pairs = new Map();
    this.pairCount = 0;
    this.pairCaller = new Int32Array(64);
    this.pairCallee = new Int32Array(64);
    this.pairCalls = new Float64Array(64);
    this.pairElapsed = new Float64Array(64);
    this.functionsDropped = 0;
    this.callersDropped = 0;
  }

  allocate(length) {
    this.calls = new Float64Array(length);
    this.elapsed = new Float64Array(length);
    this.self = new Float64Array(length);
    this.longest = new Float64Array(length);
    this.since = new Float64Array(length); // when the outermost open call began
    this.active = new Int32Array(length); // open calls
    this.lastCaller = new Int32Array(length);
    this.lastPair = new Int32Array(length);
  }

  grow() {
    const length = this.calls.length * 2;
    for (const name of ['calls', 'elapsed', 'self', 'longest', 'since', 'active', 'lastCaller', 'lastPair']) {
      this[name] = grown(this[name], length);
    }
  }

  // The place of a name; -1 where there is none left. isNew tells whether the name is new.
  placeOf(name) {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    if (this.count === MAX_PLACES) return -1;
    if (this.count === this.calls.length) this.grow();
    const place = this.count++;
    this.byName.set(name, place);
    this.calls[place] = 0;
    this.elapsed[place] = 0;
    this.self[place] = 0;
    this.longest[place] = 0;
    this.active[place] = 0;
    this.lastCaller[place] = -1;
    return place;
  }

  // Remembers the place of the function with this number.
  link(number, place) {
    if (number >= this.places.length) this.places = grown(this.places, Math.max(number + 1, this.places.length * 2));
    this.places[number] = place + 1;
    this.used.push(number);
  }

  // The pair of two places; -1 where there is no room.
  pair(callee, caller) {
    const key = callee * PAIR + caller;
    let pair = this.pairs.get(key);
    if (pair === undefined) {
      if (this.pairCount === MAX_PAIRS) return -1;
      if (this.pairCount === this.pairCalls.length) this.growPairs();
      pair = this.pairCount++;
      this.pairs.set(key, pair);
      this.pairCallee[pair] = callee;
      this.pairCaller[pair] = caller;
      this.pairCalls[pair] = 0;
      this.pairElapsed[pair] = 0;
    }
    this.lastCaller[callee] = caller;
    this.lastPair[callee] = pair;
    return pair;
  }

  growPairs() {
    const length = this.pairCalls.length * 2;
    for (const name of ['pairCaller', 'pairCallee', 'pairCalls', 'pairElapsed']) this[name] = grown(this[name], length);
  }

  reset() {
    for (const number of this.used) this.places[number] = 0;
    this.used.length = 0;
    this.byName.clear();
    this.pairs.clear();
    this.count = 0;
    this.pairCount = 0;
    this.functionsDropped = 0;
    this.callersDropped = 0;
  }
}

module.exports = { Tally };
