// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { folder, indexCjs, indexMjs, plain, run } from './run.mjs';

const PACKAGE = {
  'node_modules/shop/package.json': '{ "name": "shop", "main": "index.js" }',
  'node_modules/shop/index.js': `
    const inner = require('./inner.js');
    function helper() { return inner.deep(); }
    class Client { query() { return helper(); } _hidden() { return 1; } async later() { await null; return this.query(); } }
    exports.Client = Client;
    exports.buy = function () { return helper() + new Client().query(); };
    module.exports.list = (callback) => callback();
    exports.sell = sell;
    function sell() { return helper(); }`,
  'node_modules/shop/inner.js': 'exports.deep = () => 1;',
  'node_modules/@scope/esm/package.json': '{ "name": "@scope/esm", "type": "module", "exports": "./index.js" }',
  'node_modules/@scope/esm/index.js': `export const fetchAll = async () => hidden(); function hidden() { return 1; } export default function main() { return hidden(); } export class Box { open() {} }`,
  'app.js': `
    const shop = require('shop');
    function fromApp() { return 2; }
    async function use() {
      const client = new shop.Client();
      client.query(); client._hidden(); await client.later();
      shop.buy(); shop.sell(); shop.list(fromApp);
      const esm = await import('@scope/esm');
      await esm.fetchAll(); esm.default(); new esm.Box().open();
    }
    use();`,
};

async function functionsOf(t, files, env) {
  const { code, stderr, traces } = await run(t, folder(t, files), ['app.js'], { env });
  assert.deepEqual([code, stderr], [0, '']);
  return traces[0].functions;
}

test('of a package, what it exports is seen where the application calls it', async (t) => {
  const functions = await functionsOf(t, PACKAGE);
  assert.deepEqual(Object.keys(functions).sort(), [
    '@scope/esm.Box.open', '@scope/esm.fetchAll', '@scope/esm.main', 'fromApp',
    'shop.Client.later', 'shop.Client.query', 'shop.buy', 'shop.list', 'shop.sell', 'use',
  ]);
  assert.equal(functions['shop.Client.query'].calls, 1);
  assert.equal(functions.fromApp.callers['shop.list'].calls, 1);
});

test('of a package that the application did not ask for, nothing is seen', async (t) => {
  const files = { ...PACKAGE, 'package.json': '{ "dependencies": { "shop": "1" } }' };
  const names = Object.keys(await functionsOf(t, files));
  assert.ok(names.includes('shop.buy') && !names.some((name) => name.startsWith('@scope')));
});

test('COMPASS_NODE_SCOPE', async (t) => {
  assert.deepEqual(Object.keys(await functionsOf(t, PACKAGE, { COMPASS_NODE_SCOPE: 'app' })).sort(), ['fromApp', 'use']);
  const all = Object.keys(await functionsOf(t, PACKAGE, { COMPASS_NODE_SCOPE: 'all' }));
  for (const name of ['helper', 'deep', 'Client._hidden', 'hidden']) assert.ok(all.includes(name), name);
});

test('COMPASS_NODE_INCLUDE and COMPASS_NODE_EXCLUDE', async (t) => {
  const included = await functionsOf(t, PACKAGE, { COMPASS_NODE_INCLUDE: 'node_modules/shop/**', COMPASS_NODE_SCOPE: 'app' });
  assert.ok('helper' in included && 'deep' in included && !('hidden' in included));
  const excluded = await functionsOf(t, PACKAGE, { COMPASS_NODE_EXCLUDE: '**/{inner,app}.js' });
  assert.deepEqual(Object.keys(excluded), []);
});

test('functions have the names that a reader knows', async (t) => {
  const functions = await functionsOf(t, {
    'app.js': `
      const handlers = [];
      const app = { get: (...args) => handlers.push(args.at(-1)), use: (f) => handlers.push(f), route: () => app };
      app.get('/cart', (q, r) => 1);
      app.route('/book').get(function () {});
      app.use(
        () => 2);
      app.use(function named() {});
      class CartController { add() {} static build() {} get total() { return 1; } field = () => 1; constructor() {} }
      const c = new CartController(); c.add(); CartController.build(); c.total; c.field();
      module.exports = function () {}; module.exports();
      exports.listed = () => {}; exports.listed();
      const service = { find() {}, load: async () => {} }; service.find(); service.load();
      function Old() {} Old.prototype.read = function () {}; new Old().read();
      Old.prototype.write = function write() {}; new Old().write(); Old.prototype.end = function finish() {}; new Old().end();
      for (const f of handlers) f();`,
  });
  assert.deepEqual(Object.keys(functions), [
    'app.get', 'app.route', 'app.use', 'CartController.constructor', 'CartController.add', 'CartController.build',
    'CartController.get total', 'CartController.field', 'app.js <exports>', 'listed', 'service.find', 'service.load',
    'Old', 'Old.read', 'Old.write', 'finish', 'GET /cart handler', 'GET /book handler', 'app.js:7 <anonymous>', 'named',
  ]);
});

// As Express has them: an object of methods that is exported, or a prototype.
test("a package's method that has a name of its own is named with what it is a method of", async (t) => {
  const functions = await functionsOf(t, {
    'node_modules/web/package.json': '{ "name": "web", "main": "index.js" }',
    'node_modules/web/index.js': `
      exports.res = require('./response.js');
      exports.Reply = Reply;
      function Reply() {}
      Reply.prototype.code = function code() {};
      exports.start = function start() {};`,
    'node_modules/web/response.js': `
      const res = Object.create(null);
      module.exports = res;
      res.json = function json() {};
      res.contentType = res.type = function type() {};`,
    'app.js': `
      const { res, Reply, start } = require('web');
      function use() { start(); res.json(); res.type(); new Reply().code(); }
      use();`,
  });
  assert.deepEqual(Object.keys(functions), ['use', 'web.start', 'web.res.json', 'web.res.type', 'web.Reply', 'web.Reply.code']);
});

const COUNTS = "process.on('exit', () => console.log(JSON.stringify(globalThis[Symbol.for('compass.started')].modules)));";

test('a second start takes everything from the cache, and a damaged cache does no harm', async (t) => {
  const cwd = folder(t, { 'app.js': `${COUNTS} function f() {} f(); require('./b.js').g();`, 'b.js': 'exports.g = () => 1;' });
  const cache = path.join(folder(t), 'cache');
  const env = { COMPASS_NODE_CACHE: cache };
  const counts = async () => JSON.parse((await run(t, cwd, ['app.js'], { env, by: 'require' })).stdout);
  assert.deepEqual([(await counts()).transformed, (await counts()).cached], [2, 2]);
  assert.equal(fs.statSync(cache).mode & 0o777, 0o700);
  const damages = [
    () => 'damaged',
    () => '',
    () => 'NAMES 4294967295 2\n[]',
    () => 'NAMES 1 99999999999999999999\n["f"]',
    () => 'NAMES -1 -1\n',
    (text) => text.slice(0, text.indexOf('\n') + 1),
  ];
  for (const damage of damages) {
    for (const name of fs.readdirSync(cache)) {
      const file = path.join(cache, name);
      fs.writeFileSync(file, damage(fs.readFileSync(file, 'utf8')));
    }
    const { traces } = await run(t, cwd, ['app.js'], { env });
    assert.deepEqual(Object.keys(traces[0].functions), ['f', 'g'], String(damage));
  }
  fs.rmSync(cache, { recursive: true });
  fs.mkdirSync(cache);
  fs.chmodSync(cache, 0o777);
  assert.equal((await counts()).transformed, 2);
  assert.deepEqual(fs.readdirSync(cache), [], 'a folder that others can write to is not used');
});

test('what loads a module calls nothing that the application has replaced', async (t) => {
  const cwd = folder(t, {
    'app.js': `
      const fs = require('node:fs');
      const Module = require('node:module');
      const called = [];
      const replace = (object, name) => {
        const original = object[name];
        object[name] = function (...args) { called.push(name); return original.apply(this, args); };
      };
      for (const name of ['readFileSync', 'writeFileSync', 'mkdirSync', 'lstatSync', 'renameSync', 'rmSync']) replace(fs, name);
      replace(Math, 'random');
      replace(process, 'hrtime');
      const load = Module._load;
      Module._load = (name, ...rest) => { called.push(name); return load(name, ...rest); };
      require('./b.js');
      console.log(called.join());`,
    'b.js': 'exports.g = () => 1;',
  });
  const expected = (await plain(cwd, ['app.js'])).stdout;
  if ((await plain(cwd, ['-p', 'typeof process.getBuiltinModule'])).stdout !== 'function\n') return t.skip('this version cannot');
  // The cache is empty, then full.
  const env = { COMPASS_NODE_CACHE: path.join(folder(t), 'cache') };
  for (let i = 0; i < 2; i++) assert.equal((await run(t, cwd, ['app.js'], { env, by: 'require' })).stdout, expected);
});

test('nothing that another transform made is taken from the cache', async (t) => {
  const copy = folder(t);
  for (const name of ['js', 'node_modules']) fs.cpSync(path.join(path.dirname(indexCjs), '..', name), path.join(copy, name), { recursive: true });
  fs.cpSync(path.join(path.dirname(indexCjs), '../build/Release/compass.node'), path.join(copy, 'compass.node'));
  const cwd = folder(t, { 'app.js': `${COUNTS} function f() {}` });
  const cache = path.join(folder(t), 'cache');
  const counts = async () => {
    const args = ['--require', path.join(copy, 'js/index.cjs'), 'app.js'];
    const { transformed, cached } = JSON.parse((await plain(cwd, args, { COMPASS_NODE_CACHE: cache })).stdout);
    return [transformed, cached];
  };
  assert.deepEqual([await counts(), await counts()], [[1, 0], [0, 1]]);
  fs.appendFileSync(path.join(copy, 'js/names.cjs'), '// changed\n');
  assert.deepEqual([await counts(), await counts()], [[1, 0], [0, 1]]);
});

test('what cannot be transformed is loaded as it is, and counted', async (t) => {
  const cwd = folder(t, {
    'app.js': `${COUNTS} try { require('./broken.js'); } catch (error) { console.log(error.name, error.stack.split('\\n')[0].split('/').pop()); } require('./uses.js'); require('./data.json');`,
    'broken.js': '\n\nfunction (',
    'uses.js': 'const __cps_c = 1; module.exports = () => __cps_c;',
    'data.json': '{}',
  });
  const { code, stdout } = await run(t, cwd, ['app.js'], { by: 'require' });
  assert.equal(code, 0);
  const [error, counts] = stdout.trim().split('\n');
  assert.equal(error, 'SyntaxError broken.js:3');
  assert.deepEqual([JSON.parse(counts).failed, JSON.parse(counts).untouched], [1, 1]);
});

test('loaded twice, from two places, it works once', async (t) => {
  const cwd = folder(t, { 'app.js': 'function f() {} f();' });
  const { code, stderr, traces } = await run(t, cwd, ['app.js'], { node: ['--require', path.join(cwd, 'twice.cjs')] }).catch((e) => e);
  assert.equal(code, 1, 'the preload is missing');
  assert.match(stderr, /twice\.cjs/);
  assert.deepEqual(traces, []);
  fs.writeFileSync(path.join(cwd, 'after.cjs'), `require(${JSON.stringify(indexCjs)});`);
  const twice = await run(t, cwd, ['--import', indexMjs, '--require', './after.cjs', 'app.js']);
  assert.deepEqual([twice.code, twice.stderr, twice.traces.length], [0, '', 1]);
  assert.equal(twice.traces[0].functions.f.calls, 1);
});

test('COMPASS_ENABLED=false', async (t) => {
  const cwd = folder(t, { 'app.js': "console.log(typeof __cps_w);" });
  assert.equal((await run(t, cwd, ['app.js'], { env: { COMPASS_ENABLED: 'false' } })).stdout, 'undefined\n');
});

test('without the addon, or with one that does not fit, there is one warning and the application runs', async (t) => {
  const copy = folder(t);
  fs.cpSync(path.dirname(indexCjs), path.join(copy, 'js'), { recursive: true });
  const cwd = folder(t, { 'app.js': 'console.log("runs");' });
  const start = () => plain(cwd, ['--require', path.join(copy, 'js/index.cjs'), '--import', path.join(copy, 'js/index.mjs'), 'app.js']);
  const missing = await start();
  assert.deepEqual([missing.code, missing.stdout], [0, 'runs\n']);
  assert.equal(missing.stderr.match(/CompassWarning/g).length, 1);
  fs.writeFileSync(path.join(copy, 'compass.node'), '\x7fELF of another machine');
  const unfit = await start();
  assert.deepEqual([unfit.code, unfit.stdout], [0, 'runs\n']);
  assert.equal(unfit.stderr.match(/CompassWarning/g).length, 1);
});

test('a binary of another version is refused with one warning', async (t) => {
  const cwd = folder(t, {
    'app.js': 'console.log("runs");',
    'old.cjs': `require('node:module')._extensions['.node'] = (module) => {
      module.exports = { clock() {}, control: new ArrayBuffer(64), probes: [], layout: {} };
    };`,
  });
  const { code, stdout, stderr } = await plain(cwd, ['--require', './old.cjs', '--require', indexCjs, '--import', indexMjs, 'app.js']);
  assert.deepEqual([code, stdout], [0, 'runs\n']);
  assert.equal(stderr.match(/CompassWarning/g).length, 1);
  assert.match(stderr, /compass\.node is of another version of Compass/);
});

test('under the permission model there is one warning and the application runs', async (t) => {
  const cwd = folder(t, { 'app.js': 'console.log("runs");' });
  const version = (await plain(cwd, ['--version'])).stdout;
  const flag = /^v(18|20|22)\./.test(version) ? '--experimental-permission' : '--permission';
  if (version.startsWith('v18.')) return t.skip('this version has no permission model');
  const { code, stdout, stderr } = await plain(cwd, [flag, '--allow-fs-read=*', '--require', indexCjs, 'app.js']);
  assert.deepEqual([code, stdout], [0, 'runs\n']);
  assert.equal(stderr.match(/CompassWarning/g)?.length, 1, stderr);
});

test('TypeScript whose types Node.js strips is transformed', async (t) => {
  const cwd = folder(t, {
    'app.mts': `interface Item { price: number }\nexport function price(item: Item): number { return item.price }\nconsole.log(price({ price: 3 } as Item));`,
  });
  if ((await plain(cwd, ['--experimental-strip-types', '-e', ''])).code !== 0) return t.skip('this version strips no types');
  const { stdout, traces } = await run(t, cwd, ['app.mts'], { node: ['--experimental-strip-types', '--no-warnings'] });
  assert.equal(stdout, '3\n');
  assert.equal(traces[0].functions.price.calls, 1);
});
