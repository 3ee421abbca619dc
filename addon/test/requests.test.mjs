// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, run } from './run.mjs';

const SERVER = `
const http = require('node:http');
const { Cart } = require('./cart.js');
const server = http.createServer(function handle(request, response) {
  const cart = new Cart();
  response.statusCode = request.url.startsWith('/missing') ? 404 : 200;
  response.end(String(cart.sum(10)));
});
const ask = (path, headers) => new Promise((resolve) => {
  http.get({ port: server.address().port, path, headers, agent: false }, (response) => {
    response.resume().on('end', resolve);
  });
});
server.listen(0, async () => {
  await ask('/one', { 'x-request-id': 'first', traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
  await ask('/missing?q=1', { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01' });
  server.close();
});
`;
const CART = `
exports.Cart = class Cart {
  constructor() { this.items = []; }
  sum(n) { return n < 2 ? n : this.sum(n - 1) + this.sum(n - 2); }
};
`;

for (const by of ['import', 'require']) {
  test(`a server's requests are traced, loaded by --${by}`, async (t) => {
    const cwd = folder(t, { 'server.js': SERVER, 'cart.js': CART });
    const { code, stderr, traces } = await run(t, cwd, ['server.js'], { by });
    assert.equal(stderr, '');
    assert.equal(code, 0);
    const [first, second] = traces.filter((trace) => trace.source === 'http');
    assert.deepEqual([first.id, first.uri, first.method, first.status], ['first', '/one', 'GET', 200]);
    assert.deepEqual([second.uri, second.status, second.aborted], ['/missing?q=1', 404, false]);
    assert.deepEqual([first.parent, second.parent], ['4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7', undefined]);
    assert.match(second.id, /^[0-9a-f]{8}-[0-9a-f]{4}-/);
    assert.equal(first.pid, second.pid);
    assert.equal(first.functions['Cart.sum'].calls, 177);
    assert.deepEqual(first.functions['Cart.sum'].callers['Cart.sum'].calls, 176);
    assert.deepEqual(first.functions['Cart.sum'].callers.handle.calls, 1);
    assert.equal(first.functions.handle.calls, 1);
    assert.equal(first.functions['Cart.constructor'].calls, 1);
    assert.ok(first.functions.handle.elapsed >= first.functions['Cart.sum'].elapsed);
    assert.ok(first.functions.handle.longest === first.functions.handle.elapsed);
    assert.ok(first.memory > 1e6);
  });
}

test('calls are written children first, with depth, inside of their parents', async (t) => {
  const cwd = folder(t, { 'server.js': SERVER, 'cart.js': CART });
  const { traces } = await run(t, cwd, ['server.js']);
  const { calls } = traces.find((trace) => trace.id === 'first');
  const handle = calls[calls.length - 1];
  assert.deepEqual([handle.name, handle.depth], ['handle', 0]);
  const sum = calls.filter((call) => call.name === 'Cart.sum');
  assert.equal(sum.length, 177);
  const outer = sum.filter((call) => call.depth === 1);
  assert.equal(outer.length, 1);
  assert.ok(outer[0].start >= handle.start && outer[0].end <= handle.end);
  assert.equal(Math.max(...sum.map((call) => call.depth)), 10);
});

test('ES modules are transformed, and those that CommonJS imports', async (t) => {
  const cwd = folder(t, {
    'server.mjs': `
      import http from 'node:http';
      import { load } from './load.mjs';
      const server = http.createServer(async (request, response) => response.end(await load()));
      server.listen(0, async () => {
        await (await fetch('http://localhost:' + server.address().port + '/esm')).text();
        server.close();
      });`,
    'load.mjs': `
      import { createRequire } from 'node:module';
      const inner = createRequire(import.meta.url)('./inner.cjs');
      export const load = async () => inner.text();`,
    'inner.cjs': `exports.text = () => 'text';`,
  });
  const { code, stderr, traces } = await run(t, cwd, ['server.mjs']);
  assert.equal(stderr, '');
  assert.equal(code, 0);
  const trace = traces.find((one) => one.uri === '/esm');
  assert.deepEqual(Object.keys(trace.functions).sort(), ['load', 'server.mjs:4 <anonymous>', 'text']);
  assert.equal(trace.functions.load.callers['server.mjs:4 <anonymous>'].calls, 1);
});

test('the classic probes fire for a tracer that knows only them', async (t) => {
  const cwd = folder(t, { 'server.js': SERVER, 'cart.js': CART });
  const watch = 'canary,http_request_init,http_function,http_request_shutdown';
  const { traces, classic } = await run(t, cwd, ['server.js'], { watch });
  assert.deepEqual(traces, []);
  assert.deepEqual(classic[0], ['httpInit', 'first', '/one', 'GET']);
  const names = classic.filter(([probe, id]) => probe === 'httpFunction' && id === 'first').map((args) => args[2]);
  assert.equal(names.length, 179);
  assert.equal(names.at(-1), 'handle');
  const [, id, status, duration] = classic.find(([probe]) => probe === 'httpShutdown');
  assert.deepEqual([id, status], ['first', 200]);
  assert.ok(duration > 0);
});

// A block tells more than a hit of the canary, and costs as much.
test('the canary is hit for whoever is not served by blocks', async (t) => {
  const cwd = folder(t, {
    'server.js': `
let hits = 0;
compassTest.binding.canary = () => hits++;
const http = require('node:http');
const server = http.createServer((request, response) => response.end('x'));
server.listen(0, async () => {
  for (const path of ['/a', '/b']) await (await fetch('http://localhost:' + server.address().port + path)).text();
  console.log(hits);
  server.close();
});`,
  });
  for (const [watch, hits] of [['canary', 2], ['canary,http_function', 2], ['canary,batch', 0], ['canary,batch,http_function', 2]]) {
    const { stdout, stderr } = await run(t, cwd, ['server.js'], { watch });
    assert.deepEqual([stdout, stderr], [`${hits}\n`, ''], watch);
  }
});

test('nothing is recorded while nobody watches', async (t) => {
  const cwd = folder(t, { 'server.js': SERVER, 'cart.js': CART });
  const { code, traces, classic } = await run(t, cwd, ['server.js'], { watch: '' });
  assert.equal(code, 0);
  assert.deepEqual([traces, classic], [[], []]);
});

// The tables of one request are used again for the next. The last ones have more functions than are kept.
test('each request has its own functions, callers and counts, whatever those before it called', async (t) => {
  const many = Array.from({ length: 1500 }, (_, n) => `exports.f${n} = function f${n}() { return leaf(${n}); };`).join('\n');
  const cwd = folder(t, {
    'many.js': `function leaf(n) { return n; }\n${many}`,
    'server.js': `
const http = require('node:http');
const many = require('./many.js');
const paths = ['/0-3', '/2-2', '/3-9', '/0-0', '/0-1500', '/1498-1500', '/0-2'];
const server = http.createServer((request, response) => {
  const [from, to] = request.url.slice(1).split('-').map(Number);
  for (let n = from; n < to; n++) many['f' + n]();
  response.end('x');
});
server.listen(0, async () => {
  for (const path of paths) {
    await new Promise((resolve) => http.get({ port: server.address().port, path, agent: false }, (r) => r.resume().on('end', resolve)));
  }
  server.close();
});`,
  });
  const { traces } = await run(t, cwd, ['server.js']);
  const requests = traces.filter((trace) => trace.source === 'http');
  assert.equal(requests.length, 7);
  for (const { uri, functions, functionsDropped } of requests) {
    const [from, to] = uri.slice(1).split('-').map(Number);
    const names = Array.from({ length: to - from }, (_, n) => `f${from + n}`);
    assert.deepEqual(Object.keys(functions).filter((name) => /^f\d/.test(name)).sort(), names.sort(), uri);
    assert.ok(names.every((name) => functions[name].calls === 1), uri);
    assert.equal(functions.leaf?.calls ?? 0, names.length, uri);
    assert.deepEqual(Object.keys(functions.leaf?.callers ?? {}).sort(), names, uri);
    assert.ok(Object.values(functions.leaf?.callers ?? {}).every(({ calls }) => calls === 1), uri);
    assert.equal(functionsDropped ?? 0, 0);
  }
});
