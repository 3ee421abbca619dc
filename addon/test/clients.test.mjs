// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, run } from './run.mjs';

test('outgoing requests are spans, named by method, host and status', async (t) => {
  const cwd = folder(t, {
    'script.js': `
      const http = require('node:http');
      const server = http.createServer((q, r) => {
        compassTest.advance(30);
        r.statusCode = q.url.startsWith('/no') ? 404 : 200;
        r.end('x');
      });
      const refused = () => new Promise((resolve) => {
        const closed = http.createServer().listen(0, '127.0.0.1', () => {
          const { port } = closed.address();
          closed.close(() => resolve(port));
        });
      });
      async function ask(port) {
        const nobody = await refused();
        await (await fetch('http://127.0.0.1:' + port + '/yes?secret=1')).text();
        await (await fetch('http://127.0.0.1:' + port + '/no', { method: 'POST', body: 'b' })).text();
        await fetch('http://127.0.0.1:' + nobody + '/').catch(() => {});
        await new Promise((resolve) => {
          http.get({ host: '127.0.0.1', port, path: '/no', agent: false }, (r) => r.resume().on('end', resolve));
        });
        await new Promise((resolve) => http.get({ host: '127.0.0.1', port: nobody }).on('error', resolve));
      }
      const caller = http.createServer(async (q, r) => { await ask(server.address().port); r.end('done'); });
      server.listen(0, '127.0.0.1', () => caller.listen(0, '127.0.0.1', () => {
        http.get({ port: caller.address().port, path: '/start', agent: false }, (r) => r.resume().on('end', () => {
          console.log(server.address().port + '\\n' + process.version);
          process.exit(0);
        }));
      }));`,
  });
  const { stdout, stderr, traces } = await run(t, cwd, ['script.js'], { env: { COMPASS_TEST_CLOCK: '1' } });
  assert.equal(stderr, '');
  const port = stdout.split('\n')[0];
  const { functions, calls } = traces.find(({ uri }) => uri === '/start');
  const names = Object.keys(functions).filter((name) => /^(fetch|http) /.test(name));
  const known = names.filter((name) => name.includes(port)).sort();
  assert.deepEqual(known, [
    `fetch GET 127.0.0.1:${port} 200`,
    `fetch POST 127.0.0.1:${port} 404`,
    `http GET 127.0.0.1:${port} 404`,
  ]);
  assert.equal(names.filter((name) => /^fetch GET 127\.0\.0\.1:\d+ failed$/.test(name)).length, 1);
  // Node 18 does not say that a request of http failed.
  const failed = names.filter((name) => /^http GET 127\.0\.0\.1:\d+ failed$/.test(name)).length;
  assert.equal(failed, stdout.includes('v18.') ? 0 : 1);
  const yes = functions[`fetch GET 127.0.0.1:${port} 200`];
  assert.deepEqual([yes.elapsed, functions.ask.elapsed, functions.ask.self], [30e6, 90e6, 0]);
  assert.equal(calls.find(({ name }) => name.startsWith('fetch GET 127.0.0.1:') && name.endsWith('200')).depth > 0, true);
  assert.ok(!JSON.stringify(names).includes('secret'));
});
