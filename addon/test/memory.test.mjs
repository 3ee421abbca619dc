// SPDX-License-Identifier: Apache-2.0
// What recording leaves behind after many requests: nothing. COMPASS_TEST_REQUESTS says how many
// (100,000 in the long run of `make soak`).
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, indexCjs, run } from './run.mjs';

const REQUESTS = Number(process.env.COMPASS_TEST_REQUESTS ?? 20000);
const HEAP_KIB = 512;
// What the allocator keeps varies by half of this, whatever the number of requests.
const RSS_KIB = 32 * 1024;

// The semaphores are set, and nobody is behind the probes.
const WATCH = `
const binding = require(${JSON.stringify(indexCjs.replace('js/index.cjs', 'build/Release/compass.node'))});
new Uint16Array(binding.semaphores).fill(100, 0, 2);`;

// One connection, a hundred requests at a time; memory is read after a fifth of them and at the end. Some
// leave things behind on purpose: a promise never settled, a generator never resumed, a client that goes.
const SERVER = `
const http = require('node:http');
const net = require('node:net');
const total = ${REQUESTS};
let answered = 0;
function* numbers() { yield 1; yield 2; }
async function query(n) { await null; return Array.from({ length: n }, (_, i) => i + 1); }
async function waits() { await Promise.race([new Promise(() => {}), query(1)]); }
async function stays() { await new Promise((resolve) => {}); }
const server = http.createServer(async function handle(request, response) {
  const rows = await query(20);
  stays();
  numbers().next();
  await waits();
  response.end(String(rows.map((row) => row * 2).length));
  await null;
  answered++;
});
function memory() {
  gc();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: (heapUsed + external) >> 10, rss: process.memoryUsage.rss() >> 10 };
}
const batch = (n) => 'GET /' + n + ' HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n';
async function ask(port, until) {
  while (answered < until) {
    const socket = net.connect(port);
    const goal = answered + 100;
    for (let n = 0; n < 100; n++) socket.write(batch(n));
    socket.resume();
    while (answered < goal) await new Promise(setImmediate);
    socket.destroy();
  }
}
server.listen(0, async () => {
  const { port } = server.address();
  await ask(port, total / 5);
  const early = memory();
  await ask(port, total);
  const late = memory();
  console.log(JSON.stringify({ answered, heap: late.heap - early.heap, rss: late.rss - early.rss }));
  process.exit(0);
});`;

test(`after ${REQUESTS} recorded requests heap and resident set are what they were`, async (t) => {
  const cwd = folder(t, { 'server.js': SERVER, 'watch.cjs': WATCH });
  const { code, stdout, stderr } = await run(t, cwd, ['server.js'], { watch: null, by: 'require', node: ['--expose-gc', '--require', './watch.cjs'] });
  assert.deepEqual([code, stderr], [0, '']);
  const { answered, heap, rss } = JSON.parse(stdout);
  t.diagnostic(`${answered} requests: heap ${heap} KiB, resident set ${rss} KiB more`);
  assert.ok(answered >= REQUESTS);
  assert.ok(heap < HEAP_KIB, `heap: ${heap} KiB more`);
  assert.ok(rss < RSS_KIB, `resident set: ${rss} KiB more`);
});
