// SPDX-License-Identifier: Apache-2.0
// A program that replaces methods of the language, as polyfills and instruments do.
const { get, set } = Map.prototype;
const { push } = Array.prototype;
let calls = 0;
Map.prototype.get = function replacedGet(key) { calls++; return get.call(this, key); };
Map.prototype.set = function replacedSet(key, value) { calls++; return set.call(this, key, value); };
Array.prototype.push = function replacedPush(...values) { return push.apply(this, values); };
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function keep(n) { const list = []; for (let i = 0; i < n; i++) list.push(fib(i)); return list; }
function count(words) { const seen = new Map(); for (const word of words) seen.set(word, (seen.get(word) ?? 0) + 1); return [...seen]; }
console.log(fib(5), keep(8), count(['a', 'b', 'a']), calls > 0);
Map.prototype.get = get;
Map.prototype.set = set;
Array.prototype.push = push;
