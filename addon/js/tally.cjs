// SPDX-License-Identifier: Apache-2.0
// The totals of one request: of every function, and of every pair of function and caller. A
// function has a place in the arrays. Tallies are used again, and keep the places, the pairs and the
// caller last seen from one request to the next, which mostly calls the same functions: then nothing
// is looked up by its name. What the request itself has called is listed, in order; where a function
// is in that list is its symbol in the request's blocks.
'use strict';

// Of one request.
const MAX_PLACES = 8192;
const MAX_PAIRS = 32768;
// What a tally keeps for the next request at most, before it begins anew.
const KEPT_PLACES = 1024;
const KEPT_PAIRS = 4096;
// All that one ever holds. The key of a pair is callee * PAIR + caller.
const PAIR = MAX_PLACES + KEPT_PLACES;
const ALL_PAIRS = MAX_PAIRS + KEPT_PAIRS;

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
const SYMBOL = 3; // its symbol + 1; 0 where the request has not called it

class Tally {
  constructor() {
    this.sums = new Float64Array(64 * SUMS);
    this.state = new Int32Array(64 * STATE);
    this.used = new Int32Array(64); // by symbol: the place
    this.pairPlaces = new Int32Array(64 * 2); // callee, caller
    this.pairSums = new Float64Array(64 * 2); // calls, elapsed
    this.usedPairs = new Int32Array(64);
    this.usedCount = 0;
    this.usedPairCount = 0;
    this.functionsDropped = 0;
    this.callersDropped = 0;
    this.begin();
  }

  // Knows nothing.
  begin() {
    this.places = new Int32Array(1024); // by the number of a function: its place + 1
    this.byName = new Map();
    this.names = []; // by place
    this.count = 0;
    this.pairs = new Map();
    this.pairCount = 0;
  }

  // The place of a name; -1 where there is no room.
  placeOf(name) {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    if (this.full() || this.count === PAIR) return -1;
    const place = this.count++;
    if (this.count * SUMS > this.sums.length) {
      this.sums = grown(this.sums);
      this.state = grown(this.state);
    }
    this.byName.set(name, place);
    this.names[place] = name;
    this.state[place * STATE + SYMBOL] = 0;
    this.state[place * STATE + LAST_CALLER] = -1;
    return place;
  }

  // Whether the request has called all that it has room for.
  full() {
    return this.usedCount === MAX_PLACES;
  }

  // Counts a place among what the request calls. Not full.
  use(place) {
    if (this.usedCount === this.used.length) this.used = grown(this.used);
    const symbol = this.usedCount++;
    this.used[symbol] = place;
    const first = place * SUMS;
    this.sums[first + CALLS] = 0;
    this.sums[first + ELAPSED] = 0;
    this.sums[first + SELF] = 0;
    this.sums[first + LONGEST] = 0;
    this.state[place * STATE + ACTIVE] = 0;
    this.state[place * STATE + SYMBOL] = symbol + 1;
  }

  symbolOf(place) {
    return this.state[place * STATE + SYMBOL] - 1;
  }

  // Remembers the place of the function with this number.
  link(number, place) {
    while (number >= this.places.length) this.places = grown(this.places);
    this.places[number] = place + 1;
  }

  // The pair of two places; -1 where there is no room.
  pair(callee, caller) {
    const key = callee * PAIR + caller;
    let pair = this.pairs.get(key);
    if (pair === undefined) {
      if (this.usedPairCount >= MAX_PAIRS || this.pairCount === ALL_PAIRS) return -1;
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

  // A call of a pair.
  callPair(pair) {
    if (this.pairSums[pair * 2]++ > 0) return;
    if (this.usedPairCount === this.usedPairs.length) this.usedPairs = grown(this.usedPairs);
    this.usedPairs[this.usedPairCount++] = pair;
  }

  // Ready for another request.
  reset() {
    const { state, used, pairSums, usedPairs } = this;
    for (let i = 0; i < this.usedCount; i++) state[used[i] * STATE + SYMBOL] = 0;
    for (let i = 0; i < this.usedPairCount; i++) {
      pairSums[usedPairs[i] * 2] = 0;
      pairSums[usedPairs[i] * 2 + 1] = 0;
    }
    this.usedCount = 0;
    this.usedPairCount = 0;
    this.functionsDropped = 0;
    this.callersDropped = 0;
    if (this.count > KEPT_PLACES || this.pairCount > KEPT_PAIRS) this.begin();
  }
}

module.exports = { Tally, SUMS, CALLS, ELAPSED, SELF, LONGEST, SINCE, STATE, ACTIVE, LAST_CALLER, LAST_PAIR, SYMBOL };
