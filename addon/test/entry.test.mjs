// SPDX-License-Identifier: Apache-2.0
// ES modules are transformed whichever way they come, and where that takes a thread of hooks, there
// is none before an ES module may come.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { folder, plain, run } from './run.mjs';

const FILES = {
  'count.cjs': `
    const Module = require('node:module');
    const { register } = Module;
    if (register) Module.register = (...args) => { console.log('hooks'); return register(...args); };`,
  'plain.js': "const { g } = require('./other.js'); // important\nfunction f() { return g(); } f();",
  'other.js': 'exports.g = () => 1;',
  'calls.js': "async function f() { (await import('./module.mjs')).h(); } f();",
  'comment.js': "const load = () => import /* it */ ('./module.mjs'); load().then(({ h }) => h());",
  'deep.js': "require('lazy')('./module.mjs').then(({ h }) => h());",
  'node_modules/lazy/index.js': "module.exports = () => new Function('file', 'return import(file)')(require('node:url').pathToFileURL(require.main.path + '/module.mjs'));",
  'module.mjs': 'export function h() { return 1; }',
  'main.mjs': "import { h } from './module.mjs'; h();",
  'typed/package.json': '{ "type": "module" }',
  'typed/main.js': "import { h } from '../module.mjs'; h();",
  'before.cjs': "process.once('beforeExit', () => import('./module.mjs').then(({ h }) => h()));",
  'setup.mjs': "process.once('beforeExit', () => import('./module.mjs').then(({ h }) => h()));",
};

const BY = ['import', 'require'];

const usesThread = async (t) => {
  const script = "const m = require('node:module'); Boolean(m.register && !m.registerHooks)";
  return (await plain(folder(t), ['-p', script])).stdout.startsWith('true');
};

async function start(t, args, options) {
  const { code, stderr, stdout, traces } = await run(t, folder(t, FILES), args, { node: ['--require', './count.cjs'], ...options });
  assert.deepEqual([code, stderr], [0, '']);
  return { hooks: stdout.split('hooks').length - 1, functions: Object.keys(traces[0].functions) };
}

test('an application of CommonJS alone has no thread of hooks', async (t) => {
  for (const by of BY) {
    assert.deepEqual(await start(t, ['plain.js'], { by }), { hooks: 0, functions: ['f', 'g'] }, by);
    assert.deepEqual(await start(t, ['./plain'], { by }), { hooks: 0, functions: ['f', 'g'] }, by);
  }
});

test('a module that CommonJS imports is transformed the first time', async (t) => {
  const expected = (await usesThread(t)) ? 1 : 0;
  for (const by of BY) {
    for (const main of ['calls.js', 'comment.js', 'deep.js']) {
      const { hooks, functions } = await start(t, [main], { by });
      assert.ok(functions.includes('h'), `${main} by ${by}: ${functions}`);
      assert.equal(hooks, expected, `${main} by ${by}`);
    }
  }
});

test('a main file that is a module is transformed, with what it imports', async (t) => {
  const expected = (await usesThread(t)) ? 1 : 0;
  for (const by of BY) {
    for (const main of ['main.mjs', 'typed/main.js']) {
      assert.deepEqual(await start(t, [main], { by }), { hooks: expected, functions: ['h'] }, `${main} by ${by}`);
    }
  }
});

test('modules of other preloads and of code on the command line are transformed', async (t) => {
  const code = "import('./module.mjs').then(({ h }) => h())";
  for (const by of BY) {
    for (const [what, args] of [['before', ['--require', './before.cjs']], ['setup', ['--import', './setup.mjs']]]) {
      const node = ['--require', './count.cjs', ...args];
      assert.ok((await start(t, ['plain.js'], { by, node })).functions.includes('h'), `${what} by ${by}`);
    }
    assert.ok((await start(t, ['-e', code], { by })).functions.includes('h'), `-e by ${by}`);
    const typed = ['--input-type=module', '-e', "import { h } from './module.mjs'; h();"];
    assert.ok((await start(t, typed, { by })).functions.includes('h'), `--input-type by ${by}`);
  }
});
