// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import defaultValue, { counter, increment, hoistedEarly } from './cycle-a.mjs';
import * as everything from './cycle-a.mjs';
const show = (...values) => console.log(...values);
const log = [];
const mark = (name) => log.push(name);
const tick = () => Promise.resolve();
show(defaultValue(), counter, increment(), counter, hoistedEarly, Object.keys(everything).join(), typeof this, import.meta.url.slice(0, 5));
async function order(name, steps) { for (let i = 0; i < steps; i++) { mark(name + i); await tick(); } return name; }
await Promise.all([order('a', 3), order('b', 3), (async () => { mark('c'); })()]);
show(log.join());
const ticks = [];
async function returnsPlain() { return 1; }
async function returnsPromise() { return tick(); }
async function returnsAwaited() { return await tick(); }
async function nothing() {}
for (const f of [returnsPlain, returnsPromise, returnsAwaited, nothing]) {
  let count = 0; let done = false;
  f().then(() => (done = true));
  while (!done) { count++; await null; }
  ticks.push(count);
}
show(ticks.join());
async function rejects() { throw new Error('rejected'); }
async function catches() { try { await rejects(); } catch ({ message }) { return message; } finally { show('finally'); } }
async function finallyWins() { try { return 'try'; } finally { await tick(); return 'finally'; } }
async function finallyOverPromise() { try { return Promise.resolve('p'); } finally { await tick(); } }
show(await catches(), await finallyWins(), await finallyOverPromise());
async function args() { return [arguments.length, this === undefined, await arguments[0]]; }
show(await args(Promise.resolve(3)), args.name, args.length);
async function defaults(a = Promise.resolve(1), b = (() => { throw new Error('default'); })()) {}
show(await defaults(1).catch((error) => error.message), await defaults(1, 2));
const arrows = [async (x) => x, async x => await x, async () => ({ a: await 1 }), async () => { return [await 1, await 2]; }, async (a, b) => (await a, await b)];
for (const f of arrows) show(await f(1, 2), f.name, f.length);
show(await (async () => -await 3)(), await (async () => typeof await 3)(), await (async () => `${await 'x'}`)(), await (async () => (await [1])[0])());
show(await (async () => { const { a = await 4, ...b } = { c: await 5 }; return [a, b.c]; })());
show(await (async () => { for (let i = await 0; i < await 2; i += await 1) mark(i); return await (await (await (async () => 7))()); })());
const nosemi = async () => {
  const x = 1
  await tick()
  const y = await 2
  await tick(), await tick()
  return x + y
}
show(await nosemi());
class Thenable { constructor(value) { this.value = value; } then(resolve) { mark('then'); resolve(this.value); } }
log.length = 0;
async function returnsThenable() { return new Thenable(5); }
show(await returnsThenable(), await new Thenable(6), log.join());
class MyPromise extends Promise {}
async function returnsSubclass() { return MyPromise.resolve(1); }
show(await returnsSubclass(), returnsSubclass() instanceof MyPromise);
async function* numbers() { try { yield 1; const x = await 2; yield x; yield Promise.resolve(3); return 4; } finally { show('closed'); } }
for await (const x of numbers()) show(x);
for await (const x of numbers()) { if (x === 2) break; }
async function loops() { const out = []; for await (const x of [1, Promise.resolve(2), 3]) { if (x === 2) continue; out.push(x); } return out; }
async function labels() { outer: for await (const x of [1, 2]) { for await (const y of [1, 2]) { if (y === 1) continue outer; } } return 'labels'; }
async function bare() { let s = 0; for await (const x of [1, 2]) s += x; if (s) for await (const y of [3]) s += y; else s = 0; return s; }
async function early() { for await (const x of numbers()) { return x; } }
async function declares() { for await (const x of [1, 2]) { const f = () => x; function g() { return f(); } var last = g(); } return last; }
show(await loops(), await labels(), await bare(), await early(), await declares());
const delegating = async function* () { const r = yield* numbers(); show('r', r); yield* [5]; };
for await (const x of delegating()) show(x);
const agen = numbers(); show(await agen.next(), await agen.throw(new Error('in')).catch((e) => e.message), await agen.next());
const { dynamic } = await import('./cycle-b.mjs'); show(await dynamic());
show((await readFile(new URL(import.meta.url), 'utf8')).length > 100);
export default async function () { return 'anonymous default'; }
export const later = async () => (await import('./cycle-b.mjs')).dynamic();
show(await later());
show(await Promise.allSettled([rejects(), tick()]).then((r) => r.map((x) => x.status).join()));
const stackOf = async () => { await tick(); return new Error('x').stack.split('\n')[1].replace(/^.*\/(\S+):\d+\)?$/, '$1'); };
show(await stackOf());
