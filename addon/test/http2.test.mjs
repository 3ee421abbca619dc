// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, run } from './run.mjs';

// Serves with `serve`, asks with the functions ask and cancel, one client for all.
const h2 = (serve, asking) => `
const http2 = require('node:http2');
const { setTimeout: sleep } = require('node:timers/promises');
let come;
let gone;
const served = new Promise((resolve) => { come = resolve; });
const left = new Promise((resolve) => { gone = resolve; });
async function work(name) { await sleep(2); return inner(name); }
function inner(name) { return name; }
${serve}
server.listen(0, async () => {
  const client = http2.connect('http://localhost:' + server.address().port);
  const send = (path, more) => client.request({ ':path': path, 'x-request-id': 'id' + path, ...more });
  const ask = (path, body) => new Promise((resolve, reject) => {
    const stream = send(path, body && { ':method': 'POST', traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
    stream.on('error', reject).resume().on('end', resolve);
    stream.end(body);
  });
  const cancel = (path) => { const stream = send(path); stream.on('error', () => {}); return stream; };
  ${asking}
  client.close();
  server.close();
});`;

const ASKING = `
  await Promise.all(['/a', '/b', '/missing'].map((path) => ask(path)));
  await ask('/body', 'four');
  const stream = cancel('/left');
  await served;
  stream.close(http2.constants.NGHTTP2_CANCEL);
  await left;
  await ask('/after');`;

const SERVERS = {
  'requests and responses': `
    const server = http2.createServer(async function handle(request, response) {
      if (request.url === '/left') return come(request.on('aborted', gone));
      request.on('data', () => inner('part'));
      await work(request.url);
      response.writeHead(request.url === '/missing' ? 404 : 200);
      response.end('x');
    });`,
  streams: `
    const server = http2.createServer();
    server.on('stream', async function handle(stream, headers) {
      const path = headers[':path'];
      if (path === '/left') return come(stream.on('aborted', gone));
      stream.on('data', () => inner('part'));
      await work(path);
      stream.respond({ ':status': path === '/missing' ? 404 : 200 });
      stream.end('x');
    });`,
};

for (const [name, serve] of Object.entries(SERVERS)) {
  test(`HTTP/2: ${name}`, async (t) => {
    const cwd = folder(t, { 'server.js': h2(serve, ASKING) });
    const { code, stderr, traces } = await run(t, cwd, ['server.js']);
    assert.deepEqual([code, stderr], [0, '']);
    const requests = new Map(traces.filter(({ source }) => source === 'http').map((trace) => [trace.uri, trace]));
    assert.deepEqual([...requests.keys()].sort(), ['/a', '/after', '/b', '/body', '/left', '/missing']);
    for (const [uri, trace] of requests) {
      assert.deepEqual([trace.id, trace.ended, trace.aborted], [`id${uri}`, true, uri === '/left'], uri);
      assert.equal(trace.method, uri === '/body' ? 'POST' : 'GET');
      assert.equal(trace.parent, uri === '/body' ? '4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7' : undefined);
      if (uri === '/left') continue;
      assert.equal(trace.status, uri === '/missing' ? 404 : 200);
      assert.deepEqual([trace.functions.handle.calls, trace.functions.work.calls], [1, 1]);
      assert.equal(trace.functions.inner.calls, uri === '/body' ? 2 : 1, uri);
    }
  });
}

test('HTTP/2 is served unrecorded while nobody watches', async (t) => {
  const cwd = folder(t, { 'server.js': h2(SERVERS.streams, `await ask('/a'); console.log(__cps_w);`) });
  const { code, stdout, traces } = await run(t, cwd, ['server.js'], { watch: '' });
  assert.deepEqual([code, stdout, traces], [0, '0\n', []]);
});
