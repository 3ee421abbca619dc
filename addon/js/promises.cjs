// SPDX-License-Identifier: Apache-2.0
// Promises that can be looked at unnoticed: Promise.prototype.then reads `constructor` of the promise
// and Symbol.species of that, which may be the application's.
'use strict';

const { isPromise } = require('node:util').types;

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { prototype } = Promise;
const { species } = Symbol;
const SPECIES = getOwnPropertyDescriptor(Promise, species).get;

// Whether a value is a promise of this realm, with nothing of its own that `then` would read.
function isOrdinary(value) {
  if (!isPromise(value) || getPrototypeOf(value) !== prototype) return false;
  if (getOwnPropertyDescriptor(value, 'constructor') !== undefined) return false;
  const constructor = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return constructor === Promise && getOwnPropertyDescriptor(constructor, species)?.get === SPECIES;
}

module.exports = { isOrdinary };
