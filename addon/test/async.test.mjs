// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, plain, run } from './run.mjs';

const MS = 1e6;
// Where the clock is played (watch.cjs): what takes that long to compute, and to wait for.
const CLOCK = `
  const { advance: takes } = compassTest;
  const sleep = (ms) => new Promise((resolve) => setImmediate(() => { takes(ms); resolve(); }));`;

// The trace of a script whose whole body is given.
async function script(t, text, options) {
  const cwd = folder(t, { 'script.js': text });
  const result = await run(t, cwd, ['script.js'], options);
  assert.equal(result.stderr, '');
  assert.equal(result.code, 0);
  return result.traces[0];
}

const timed = (t, text) => script(t, CLOCK + text, { env: { COMPASS_TEST_CLOCK: '1' } });

// What the clock says of a function, in milliseconds.
const times = ({ calls, elapsed, self, longest }) => [calls, elapsed / MS, self / MS, longest / MS];

test('an async function lasts until it settles, and does not work while it waits', async (t) => {
  const trace = await timed(
    t,
    `async function inner() { takes(1); await sleep(60); takes(2); return 1; }
     async function outer() { takes(4); const a = await inner(); takes(8); await sleep(40); takes(16); return a; }
     outer();`,
  );
  const { outer, inner, sleep } = trace.functions;
  assert.deepEqual([outer, inner].map(times), [[1, 131, 28, 131], [1, 63, 3, 63]]);
  assert.equal(inner.callers.outer.elapsed, 63 * MS);
  assert.equal(inner.callers.outer.calls, 1);
  assert.equal(sleep.callers.outer.calls, 1);
  assert.equal(sleep.callers.inner.calls, 1);
  assert.deepEqual(
    trace.calls.filter(({ name }) => ['outer', 'inner'].includes(name)).map(({ name, depth }) => [name, depth]),
    [['inner', 1], ['outer', 0]],
  );
});

test('a returned promise is waited for, and no thenable is called for it', async (t) => {
  const trace = await timed(
    t,
    `let calls = 0;
     async function passes() { return sleep(50); }
     async function thenable() { return { then(resolve) { calls++; takes(7); resolve(1); } }; }
     const arrow = async () => sleep(30);
     async function rejects() { return Promise.reject(new Error('no')); }
     (async () => {
       await passes(); await thenable(); await arrow();
       await rejects().catch(() => {});
       if (calls !== 1) process.exit(3);
     })();`,
  );
  const { passes, arrow, thenable, rejects } = trace.functions;
  assert.deepEqual([passes, arrow, thenable, rejects].map(times), [[1, 50, 0, 50], [1, 30, 0, 30], [1, 0, 0, 0], [1, 0, 0, 0]]);
});

test('a returned promise of a class of the application notices nothing', async (t) => {
  const text = `
    const log = [];
    class Sub extends Promise { static get [Symbol.species]() { log.push('species'); return Promise; } }
    const own = Promise.resolve(1);
    Object.defineProperty(own, 'constructor', { get() { log.push('constructor'); return Promise; } });
    async function subclass() { return Sub.resolve(4); }
    async function getter() { return own; }
    async function replaced() { return Promise.resolve(2); }
    const sorted = async () => {
      await subclass(); await getter();
      const { constructor } = Promise.prototype;
      Object.defineProperty(Promise.prototype, 'constructor', { configurable: true, get() { log.push('prototype'); return constructor; } });
      const promise = replaced();
      await null;
      Object.defineProperty(Promise.prototype, 'constructor', { configurable: true, writable: true, value: constructor });
      await promise;
      console.log(log.join());
    };
    sorted();`;
  const cwd = folder(t, { 'script.js': text });
  const { stdout, traces } = await run(t, cwd, ['script.js']);
  assert.equal(stdout, (await plain(cwd, ['script.js'])).stdout);
  assert.ok(stdout.includes('species'));
  assert.equal(traces[0].functions.subclass.calls, 1);
});

test('an unhandled rejection stays one', async (t) => {
  const cwd = folder(t, { 'a.js': `async function f() { return Promise.reject(new Error('lost')); } f();` });
  const { code, stderr } = await run(t, cwd, ['a.js']);
  assert.equal(code, 1);
  assert.match(stderr, /Error: lost/);
});

test('what runs while a function waits is not its child', async (t) => {
  const trace = await script(
    t,
    `const tick = () => new Promise((resolve) => setImmediate(resolve));
     function work() {}
     async function waits() { try { await tick(); await Promise.reject(1); } catch { work(); } }
     function other() { work(); }
     waits();
     setImmediate(other);`,
  );
  assert.deepEqual(Object.keys(trace.functions.work.callers).sort(), ['other', 'waits']);
  assert.equal(trace.functions.work.callers.waits.calls, 1);
  assert.equal(trace.functions.other.callers.waits, undefined);
});

test('generators work while they run, and those that are left do not leak', async (t) => {
  const trace = await timed(
    t,
    `function work() { takes(5); }
     function pause() { takes(400); }
     function* numbers() { work(); yield 1; work(); yield* [2, 3]; }
     async function* later() { yield 1; await null; yield 2; }
     const it = numbers(); it.next(); pause(); for (const _ of it);
     const left = numbers(); left.next();
     async function consume() { for await (const x of later()) work(x); for await (const y of later()) { if (y) continue; } }
     async function never() { await new Promise(() => {}); }
     never();
     consume();`,
  );
  const { numbers, later, work, never } = trace.functions;
  assert.deepEqual(times(numbers), [2, 15, 0, 10]);
  assert.equal(work.callers.numbers.calls, 3);
  assert.equal(work.callers.consume.calls, 2);
  assert.equal(later.calls, 2);
  assert.equal(never.calls, 1);
});

test("a generator's time is what it ran, of one that is left and of several at a time too", async (t) => {
  const { functions, calls } = await timed(
    t,
    `function* numbers() { takes(1); yield 1; takes(2); yield 2; takes(4); }
     const [a, b, left] = [numbers(), numbers(), numbers()];
     for (const it of [a, left, b, a, b, a, b]) { takes(100); it.next(); }`,
  );
  assert.deepEqual(times(functions.numbers), [3, 15, 15, 7]);
  assert.deepEqual(calls.map(({ name, elapsed }) => [name, elapsed / MS]), [['numbers', 7], ['numbers', 7]]);
});

test('what has not returned when its request ends has its self time, and its call where the process ends', async (t) => {
  const { functions, calls } = await timed(
    t,
    `function leave() { takes(2); process.exit(0); }
     function* gives() { takes(8); leave(); }
     async function waits() { takes(16); await new Promise(() => {}); }
     async function job() { takes(1); waits(); await null; takes(4); for (const _ of gives()); }
     job();`,
  );
  const { leave, gives, waits, job } = functions;
  assert.deepEqual([leave, gives, job, waits].map(times), [[1, 2, 2, 2], [1, 10, 8, 10], [1, 31, 5, 31], [1, 30, 16, 0]]);
  const named = calls.filter(({ name }) => !name.includes('anonymous'));
  assert.deepEqual(named.map(({ name, depth }) => [name, depth]), [['leave', 2], ['gives', 1], ['job', 0]]);
});

test('exceptions unwind, and recursion is counted once', async (t) => {
  const trace = await timed(
    t,
    `function deep(n) { takes(1); if (n === 0) throw new Error('bottom'); deep(n - 1); }
     function top() { try { deep(20); } catch { after(); } }
     function after() {}
     top();`,
  );
  const { deep, top, after } = trace.functions;
  assert.equal(after.callers.top.calls, 1);
  assert.deepEqual([times(deep), times(top)], [[21, 21, 21, 21], [1, 21, 0, 21]]);
});

test('a call of more than four seconds has its own record', async (t) => {
  const trace = await timed(t, `async function long() { await sleep(4400); } long();`);
  const call = trace.calls.find(({ name }) => name === 'long');
  assert.equal(call.elapsed, 4400 * MS);
});

test('more than a block of records arrives whole and in order', async (t) => {
  const trace = await script(t, `function f() {} for (let i = 0; i < 5000; i++) f();`);
  assert.equal(trace.calls.length, 5000);
  assert.ok(trace.blocks >= 4);
  assert.equal(trace.functions.f.calls, 5000);
});

test('where the stack is nearly full, records are lost and values are not', async (t) => {
  const trace = await script(
    t,
    `let deepest = 0;
     function down(n) { deepest = n; down(n + 1); return n; }
     function leaf(n) { return n; }
     function back(n) { if (n < limit) back(n + 1); if (leaf(n) !== n) process.exit(4); return n; }
     for (let i = 0; i < 20; i++) { try { down(0); process.exit(5); } catch (error) { if (!(error instanceof RangeError)) process.exit(6); } }
     const limit = Math.floor(deepest * 0.5);
     if (back(0) !== 0) process.exit(7);`,
  );
  assert.equal(trace.ended, true);
  assert.ok(trace.functions.back.calls > 100);
  assert.equal(trace.functions.back.calls, trace.functions.leaf.calls);
});
