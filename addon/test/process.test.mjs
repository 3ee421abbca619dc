// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, run } from './run.mjs';

const ENDS = {
  'the end of the script': ['', 0],
  'process.exit': ['process.exit(7);', 7],
  'an uncaught exception': ['throw new Error("uncaught");', 1],
  'an unhandled rejection': ['Promise.reject(new Error("rejected"));', 1],
};

for (const [name, [text, expected]] of Object.entries(ENDS)) {
  test(`a script's trace ends with ${name}`, async (t) => {
    const cwd = folder(t, { 'job.js': `function work() {}\nwork();\n${text}` });
    const { code, traces } = await run(t, cwd, ['job.js', '--all']);
    assert.equal(code, expected);
    assert.equal(traces.length, 1);
    assert.equal(traces[0].source, 'cli');
    assert.match(traces[0].uri, /node \/.*job\.js --all$/);
    assert.equal(traces[0].ended, true);
    assert.equal(traces[0].functions.work.calls, 1);
  });
}

for (const [name, signal] of [['a signal that ends it', 'SIGTERM'], ['a signal that nothing can catch', 'SIGKILL']]) {
  test(`what a script did a while before ${name} is told`, async (t) => {
    const cwd = folder(t, {
      'job.js': `
        function work() {}
        work();
        // Said by a timer that is later than the addon's.
        const told = require('node:fs').statSync(process.env.COMPASS_TEST_OUT + '/blocks').size;
        setInterval(() => {
          if (require('node:fs').statSync(process.env.COMPASS_TEST_OUT + '/blocks').size > told) process.kill(process.pid, '${signal}');
        }, 5);`,
    });
    const { code, signal: how, traces } = await run(t, cwd, ['job.js']);
    assert.deepEqual([code, how], [null, signal]);
    assert.ok(traces[0].calls.some((call) => call.name === 'work'));
    assert.equal(traces[0].ended, undefined);
  });
}

test('where external memory is forbidden, the semaphores are copied', async (t) => {
  const cwd = folder(t, { 'job.js': `function work() {}\nwork();` });
  const env = { COMPASS_TEST_COPIED: '1' };
  const { code, stderr, traces } = await run(t, cwd, ['job.js'], { env });
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(traces[0].functions.work.calls, 1);
  assert.deepEqual((await run(t, cwd, ['job.js'], { env, watch: '' })).traces, []);
});

test('the classic probes of scripts', async (t) => {
  const cwd = folder(t, { 'job.js': `function work() {}\nwork();` });
  const { classic } = await run(t, cwd, ['job.js'], { watch: 'canary,cli_request_init,cli_function,cli_request_shutdown' });
  assert.deepEqual(classic.map(([probe]) => probe), ['cliInit', 'cliFunction', 'cliShutdown']);
  assert.equal(classic[1][1], 'work');
});

test('a worker is no script, and its requests are its own', async (t) => {
  const cwd = folder(t, {
    'main.js': `
      const { Worker } = require('node:worker_threads');
      const http = require('node:http');
      const worker = new Worker('./worker.js');
      worker.on('message', (port) => {
        http.get({ port, path: '/w', agent: false }, (r) => r.resume().on('end', () => worker.postMessage('end')));
      });`,
    'worker.js': `
      const http = require('node:http');
      function inWorker() { return 'x'; }
      const server = http.createServer((q, r) => r.end(inWorker()));
      const { parentPort } = require('node:worker_threads');
      parentPort.once('message', () => server.close());
      server.listen(0, () => parentPort.postMessage(server.address().port));`,
  });
  for (const by of ['import', 'require']) {
    const { code, stderr, traces } = await run(t, cwd, ['main.js'], { by });
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.deepEqual(traces.map((trace) => trace.source).sort(), ['cli', 'http']);
    const http = traces.find((trace) => trace.source === 'http');
    assert.equal(http.functions.inWorker.calls, 1);
    assert.notEqual(http.request, traces.find((trace) => trace.source === 'cli').request);
  }
});
