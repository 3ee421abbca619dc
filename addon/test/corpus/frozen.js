// SPDX-License-Identifier: Apache-2.0
// A program that hardens itself after its start.
function one(n) { return n + 1; }
function two(n) { return one(n) * 2; }
function three(n) { return two(n) + one(n); }
function last() { console.log(three(3)); return true; }
Object.freeze(globalThis);
Object.freeze(Object.prototype);
Object.freeze(Array.prototype);
console.log(three(1), three(2));
setTimeout(last, 250);
