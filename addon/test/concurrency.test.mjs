// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, run } from './run.mjs';

test('200 concurrent requests never exchange a call', async (t) => {
  const names = Array.from({ length: 200 }, (_, i) => `tagged${i}`);
  const cwd = folder(t, {
    'server.js': `
      const http = require('node:http');
      ${names.map((name) => `async function ${name}() { await turn(); ${name}Inner(); await turn(); await Promise.resolve(); ${name}Inner(); }
      function ${name}Inner() {}`).join('\n')}
      const handlers = { ${names.join()} };
      let waiting = [];
      // Everybody waits for everybody, and goes on in another order.
      function turn() {
        return new Promise((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 200) { const all = waiting.reverse(); waiting = []; for (const one of all) setImmediate(one); }
        });
      }
      const server = http.createServer(async (q, r) => { await handlers[q.url.slice(1)](); r.end(); });
      server.listen(0, async () => {
        const port = server.address().port;
        const agent = new http.Agent({ keepAlive: true });
        const ask = (name) => new Promise((resolve) => http.get({ port, path: '/' + name, agent }, (r) => r.resume().on('end', resolve)));
        for (let round = 0; round < 2; round++) await Promise.all(Object.keys(handlers).map(ask));
        process.exit();
      });`,
  });
  const { code, stderr, traces } = await run(t, cwd, ['server.js']);
  assert.deepEqual([code, stderr], [0, '']);
  const requests = traces.filter(({ source }) => source === 'http');
  assert.equal(requests.length, 400);
  for (const { uri, functions } of requests) {
    const name = uri.slice(1);
    assert.deepEqual(Object.keys(functions).filter((one) => one.startsWith('tagged')).sort(), [name, `${name}Inner`]);
    assert.equal(functions[name].calls, 1);
    assert.equal(functions[`${name}Inner`].calls, 2);
    assert.equal(functions[`${name}Inner`].callers[name].calls, 2);
    assert.equal(functions.turn.calls, 2);
  }
});

const raw = (body) => `
  const http = require('node:http');
  const net = require('node:net');
  const server = http.createServer(handle);
  const until = async (socket, count) => {
    let text = '';
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      text += chunk;
      if (text.split('HTTP/1.1 200').length > count) return;
    }
  };
  const become = async (condition) => { while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1)); };
  server.listen(0, async () => {
    const connect = () => net.connect(server.address().port).setEncoding('utf8');
    ${body}
    process.exit();
  });`;

test('a timer of the first request that fires during the second belongs to the first', async (t) => {
  const cwd = folder(t, {
    'server.js':
      raw(`
        const socket = connect();
        socket.write('GET /first HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'); await until(socket, 1);
        socket.write('GET /second HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'); await until(socket, 1);`) +
      `
      let proceed;
      function ofFirst() {}
      function ofSecond() {}
      function handle(q, r) {
        if (q.url === '/first') return void later(r);
        proceed = () => { ofSecond(); r.end('y'); };
        ofSecond();
      }
      function later(r) {
        const timer = setInterval(() => {
          if (proceed === undefined) return;
          clearInterval(timer);
          ofFirst();
          proceed();
        }, 1);
        r.end('x');
      }`,
  });
  const { traces } = await run(t, cwd, ['server.js']);
  const [first, second] = ['/first', '/second'].map((uri) => traces.find((trace) => trace.uri === uri));
  assert.equal(first.functions.ofSecond, undefined);
  assert.equal(second.functions.ofFirst, undefined);
  assert.equal(second.functions.ofSecond.calls, 1);
});

test('pipelined requests, and the parts of bodies, belong to their own', async (t) => {
  const cwd = folder(t, {
    'server.js':
      raw(`
        const socket = connect();
        const post = (n) => 'POST /' + n + ' HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 4\\r\\n\\r\\nbo';
        socket.write(post('a'));
        await become(() => arrived === 1);
        socket.write('dy' + post('b') + 'dy' + post('c'));
        await become(() => arrived === 4);
        socket.write('dy');
        await until(socket, 3);`) +
      `
      let arrived = 0;
      function part_a() {} function part_b() {} function part_c() {}
      const parts = { part_a, part_b, part_c };
      function handle(q, r) {
        const name = 'part_' + q.url.slice(1);
        q.on('data', () => { arrived++; parts[name](); });
        q.on('end', async () => { parts[name](); await null; parts[name](); r.end('done'); });
      }`,
  });
  const { traces } = await run(t, cwd, ['server.js']);
  const requests = traces.filter(({ source }) => source === 'http');
  assert.deepEqual(requests.map(({ uri }) => uri), ['/a', '/b', '/c']);
  for (const { uri, functions } of requests) {
    const own = `part_${uri[1]}`;
    assert.deepEqual(Object.keys(functions).filter((name) => name.startsWith('part_')), [own]);
    assert.equal(functions[own].calls, uri === '/b' ? 3 : 4, uri);
  }
});

test('a client that goes away ends its request as aborted, and the next ten are whole', async (t) => {
  const cwd = folder(t, {
    'server.js':
      raw(`
        const socket = connect();
        socket.write('GET /left HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n');
        await new Promise((resolve) => { arrived = resolve; });
        socket.destroy();
        await new Promise((resolve) => { gone = resolve; });
        for (let i = 0; i < 10; i++) {
          const next = connect();
          next.write('GET /' + i + ' HTTP/1.1\\r\\nhost: x\\r\\nx-request-id: id' + i + '\\r\\n\\r\\n');
          await until(next, 1);
          next.destroy();
        }
        await become(() => compassTest.recorded() === 0);`) +
      `
      let arrived; let gone;
      function handle(q, r) { if (q.url === '/left') { arrived(); r.on('close', () => gone()); } else r.end('x'); }`,
  });
  const { traces } = await run(t, cwd, ['server.js']);
  const left = traces.find(({ uri }) => uri === '/left');
  assert.deepEqual([left.ended, left.aborted], [true, true]);
  const rest = traces.filter(({ id }) => /^id\d$/.test(id));
  assert.equal(new Set(rest.map(({ id }) => id)).size, 10);
  assert.ok(rest.every(({ aborted, status, ended }) => ended && !aborted && status === 200));
});

test('tracers come and go, and the context goes with them', async (t) => {
  const cwd = folder(t, {
    'server.js':
      raw(`
        const { semaphores } = compassTest;
        const ask = async (path) => { const s = connect(); s.write('GET ' + path + ' HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'); await until(s, 1); s.destroy(); };
        await ask('/one');
        semaphores.fill(0);
        await ask('/unseen');
        semaphores.fill(1, 0, 2);
        await ask('/two');
        await become(() => compassTest.recorded() === 0);
        await left(connect());
        semaphores.fill(0);
        await become(() => compassTest.recorded() === 0);
        console.log(compassTest.recorded());`) + `
      let arrived;
      const left = async (socket) => { socket.write('GET /left HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'); await new Promise((resolve) => { arrived = resolve; }); };
      function handle(q, r) { if (q.url === '/left') arrived(); else r.end('x'); }`,
  });
  const { stdout, traces } = await run(t, cwd, ['server.js']);
  assert.deepEqual(traces.filter(({ source }) => source === 'http').map(({ uri }) => uri), ['/one', '/two']);
  assert.equal(stdout, '0\n');
});
