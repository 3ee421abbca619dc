// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, plain, run } from './run.mjs';

const MS = 1e6;

// The functions of a script whose whole body is given.
async function script(t, text, options) {
  const cwd = folder(t, { 'script.js': text });
  const result = await run(t, cwd, ['script.js'], options);
  assert.equal(result.stderr, '');
  assert.equal(result.code, 0);
  return result.traces[0];
}

test('an async function lasts until it settles, and does not work while it waits', async (t) => {
  const trace = await script(
    t,
    `const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
     async function inner() { await sleep(60); return 1; }
     async function outer() { const a = await inner(); await sleep(40); return a; }
     outer();`,
  );
  const { outer, inner, sleep } = trace.functions;
  assert.ok(outer.elapsed >= 95 * MS && inner.elapsed >= 55 * MS);
  assert.ok(outer.self < 40 * MS && inner.self < 40 * MS);
  assert.equal(inner.callers.outer.calls, 1);
  assert.equal(sleep.callers.outer.calls, 1);
  assert.equal(sleep.callers.inner.calls, 1);
  assert.deepEqual(
    trace.calls.filter(({ name }) => ['outer', 'inner'].includes(name)).map(({ name, depth }) => [name, depth]),
    [['inner', 1], ['outer', 0]],
  );
});

test('a returned promise is waited for, and no thenable is called for it', async (t) => {
  const trace = await script(
    t,
    `let calls = 0;
     const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
     async function passes() { return sleep(50); }
     async function thenable() { return { then(resolve) { calls++; resolve(1); } }; }
     const arrow = async () => sleep(30);
     async function rejects() { return Promise.reject(new Error('no')); }
     (async () => {
       await passes(); await thenable(); await arrow();
       await rejects().catch(() => {});
       if (calls !== 1) process.exit(3);
     })();`,
  );
  assert.ok(trace.functions.passes.elapsed >= 45 * MS);
  assert.ok(trace.functions.arrow.elapsed >= 25 * MS);
  assert.equal(trace.functions.rejects.calls, 1);
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
  const trace = await script(
    t,
    `function work() { const end = performance.now() + 5; while (performance.now() < end); }
     function pause() { const end = performance.now() + 400; while (performance.now() < end); }
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
  assert.equal(numbers.calls, 2);
  assert.ok(numbers.longest < 300 * MS);
  assert.equal(work.callers.numbers.calls, 3);
  assert.equal(work.callers.consume.calls, 2);
  assert.equal(later.calls, 2);
  assert.equal(never.calls, 1);
});

test('exceptions unwind, and recursion is counted once', async (t) => {
  const trace = await script(
    t,
    `function deep(n) { if (n === 0) throw new Error('bottom'); deep(n - 1); }
     function top() { try { deep(20); } catch { after(); } }
     function after() {}
     top();`,
  );
  const { deep, top, after } = trace.functions;
  assert.equal(deep.calls, 21);
  assert.equal(after.callers.top.calls, 1);
  assert.ok(deep.elapsed <= top.elapsed);
  assert.ok(deep.elapsed === deep.longest);
});

test('a call of more than four seconds has its own record', async (t) => {
  const trace = await script(
    t,
    `async function long() { await new Promise((resolve) => setTimeout(resolve, 4400)); } long();`,
  );
  const call = trace.calls.find(({ name }) => name === 'long');
  assert.ok(call.elapsed > 4.3e9);
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
