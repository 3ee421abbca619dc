// SPDX-License-Identifier: Apache-2.0
// Modules: top-level await, import.meta, import(), live bindings, default exports of every kind, cycles.
import fs, { existsSync as exists } from 'node:fs';
import * as self from './modules.mjs';
import anonymous, * as shapes from './lib/shapes.mjs';
import { createRequire } from 'node:module';
import { check, later } from './lib/check.cjs';
check('hoisted', () => [typeof before(), typeof self.before]);
check('dead zones', () => self.lateConstant);
check('namespaces', () => [Object.keys(shapes), shapes[Symbol.toStringTag], Object.isExtensible(shapes), Reflect.ownKeys(shapes).length]);
check('default of a function', () => [anonymous.name, anonymous.length, anonymous(1), anonymous.toString()]);
check('live bindings', () => { const was = shapes.count; shapes.increment(); return [was, shapes.count, shapes.inner.count]; });
check('bindings cannot be set', () => { shapes.count = 5; });
check('this', () => [typeof this, (() => this)(), (function () { return this; })()]);
check('no arguments, no require', () => [typeof arguments, typeof require, typeof module, typeof __filename]);
check('import.meta', () => [import.meta.url.endsWith('/modules.mjs'), Object.getPrototypeOf(import.meta), typeof import.meta.resolve, (() => typeof import.meta)(), new (class { m = typeof import.meta; })().m]);
check('what is built in', () => [fs.existsSync === exists, exists(new URL(import.meta.url))]);
const first = await later('top-level await', async () => 1);
check('gives', () => first);
for await (const x of [1, Promise.resolve(2)]) check('for await', () => x);
const { a, b: [c] } = await Promise.resolve({ a: 1, b: [2] });
check('taken apart', () => [a, c]);
await later('import()', async () => [(await import('./lib/shapes.mjs')) === shapes, Object.keys(await import(`./lib/${'shapes'}.mjs`)).length]);
await later('import() of nothing', async () => import('./lib/none.mjs').catch((e) => e.code));
await later('import() of what is no string', async () => import(Symbol('s')).catch((e) => e.name));
await later('import() of CommonJS', async () => Object.keys((await import('./lib/check.cjs')).default));
await later('import() in functions of every kind', async () => Promise.all([(() => import('./lib/shapes.mjs'))(), (async () => await import('./lib/shapes.mjs'))(), new (class { m() { return import('./lib/shapes.mjs'); } })().m()]).then((all) => new Set(all).size));
await later('import() of data', async () => (await import('data:text/javascript,export default (() => 3)()')).default);
check('require', () => createRequire(import.meta.url)('./lib/check.cjs').check === check);
await later('classes', async () => [shapes.Named.name, new shapes.Named().m(), shapes.later.name, await shapes.later(2), [...shapes.counts()]]);
await later('default exports', async () => { const out = []; for (const text of ['(x) => x', 'function () {}', 'async () => {}', 'class {}', 'class { static name = 1 }', 'function named() {}', '(function () {})', '[() => {}][0]', 'function* () {}', 'async function* () {}']) { const made = (await import(`data:text/javascript,export default ${text}`)).default; out.push(made.name); } return out; });
export function before() { return before; }
export const lateConstant = 1;
export { before as 'a string', lateConstant as default };
check('exported as a string', () => typeof self['a string']);
