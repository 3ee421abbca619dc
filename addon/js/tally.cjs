// SPDX-License-Identifier: Apache-2.0
// The totals of one request: of every function, and of every pair of function and caller. A
// function has a place in the arrays, which is also its symbol in the request's blocks. Tallies
// are used again, since making one costs more than a small request.
'use strict';

const MAX_PLACES = 8192;
const MAX_PAIRS = 32768;
const PAIR = 16384;

function grown(array) {
  const larger = new array.constructor(array.length * 2);
  larger.set(array);
  return larger;
}

// What a place holds in `sums`, and in `state`.
const SUMS = 8;
const CALLS = 0;
const ELAPSED = 1;
const SELF = 2;
const LONGEST = 3;
const SINCE = 4; // when the outermost open call began
const STATE = 4;
const ACTIVE = 0; // open calls
const LAST_CALLER = 1;
const LAST_PAIR = 2;

class Tally {
  constructor() {
    this.places = new Int32Array(1024); // by the number of a function: its place + 1
    this.used = []; // numbers that have a place
    this.byName = new Map();
    this.names = []; // by place
    this.count = 0;
    this.sums = new Float64Array(64 * SUMS);
    this.state = new Int32Array(64 * STATE);
    this.pairs = new Map();
    this.pairCount = 0;
    this.pairPlaces = new Int32Array(64 * 2); // callee, caller
    this.pairSums = new Float64Array(64 * 2); // calls, elapsed
    this.functionsDropped = 0;
    this.callersDropped = 0;
  }

  // The place of a name; -1 where there is none left.
  placeOf(name) {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    if (this.count === MAX_PLACES) return -1;
    if (this.count * SUMS === this.sums.length) {
      this.sums = grown(this.sums);
      this.state = grown(this.state);
    }
    const place = this.count++;
    this.byName.set(name, place);
    this.names[place] = name;
    this.sums.fill(0, place * SUMS, (place + 1) * SUMS);
    this.state.fill(0, place * STATE, (place + 1) * STATE);
    this.state[place * STATE + LAST_CALLER] = -1;
    return place;
  }

  // Remembers the place of the function with this number.
  link(number, place) {
    while (number >= this.places.length) this.places = grown(this.places);
    this.places[number] = place + 1;
    this.used.push(number);
  }

  // The pair of two places; -1 where there is no room.
  pair(callee, caller) {
    const key = callee * PAIR + caller;
    let pair = this.pairs.get(key);
    if (pair === undefined) {
      if (this.pairCount === MAX_PAIRS) return -1;
      pair = this.newPair(callee, caller);
      this.pairs.set(key, pair);
    }
    this.state[callee * STATE + LAST_CALLER] = caller;
    this.state[callee * STATE + LAST_PAIR] = pair;
    return pair;
  }

  newPair(callee, caller) {
    if (this.pairCount * 2 === this.pairSums.length) {
      this.pairSums = grown(this.pairSums);
      this.pairPlaces = grown(this.pairPlaces);
    }
    const pair = this.pairCount++;
    this.pairPlaces[pair * 2] = callee;
    this.pairPlaces[pair * 2 + 1] = caller;
    this.pairSums[pair * 2] = 0;
    this.pairSums[pair * 2 + 1] = 0;
    return pair;
  }

  reset() {
    for (const number of this.used) this.places[number] = 0;
    this.used.length = 0;
    this.byName.clear();
    this.names.length = 0;
    this.pairs.clear();
    this.count = 0;
    this.pairCount = 0;
    this.functionsDropped = 0;
    this.callersDropped = 0;
  }
}

module.exports = { Tally, SUMS, CALLS, ELAPSED, SELF, LONGEST, SINCE, STATE, ACTIVE, LAST_CALLER, LAST_PAIR };
