// SPDX-License-Identifier: Apache-2.0
const show = (...values) => console.log(...values);
function duplicates() { function a() { return 1; } function a() { return 2; } return a(); }
function shares() { function b() { return 'b'; } var b; return typeof b; }
function blocks() { function c() { return 1; } { function c() { return 2; } } return c(); }
show(duplicates(), shares(), blocks());
export function declared({ a } = {}, ...rest) { return [a, rest.length, this]; }
show(declared({ a: 1 }, 2, 3), declared.length, declared.name);
show((function () { return this; })(), (() => this)(), typeof arguments);
const tagged = (strings, ...values) => strings.map((s, i) => s + (values[i] ?? '')).join('');
show(tagged`a${1}b${(() => 2)()}c`);
const chain = { f: { g: () => null }, h() { return this?.f?.g?.() ?? 'none'; } };
show(chain.h(), chain?.['f']?.g?.(), chain.z?.());
let x = null; x ??= (() => 5)(); x ||= 6; x &&= (() => x + 1)(); x **= 2;
show(x, 1_000n, 0b11, 0o17, 'a'.at(-1), [1, [2, [3]]].flat(Infinity).join());
show(((a, b) => a + b).length, new Function('a', 'b', 'return a * b')(3, 4), (0, eval)('(() => 3)()'));
const memo = ((cache = new Map()) => (key, make) => cache.get(key) ?? (cache.set(key, make()), cache.get(key)))();
show(memo('k', () => 1), memo('k', () => 2));
const { get: renamed, ...others } = { get: () => 'got', a: () => 1 };
show(renamed(), others.a(), renamed.name);
const [first = () => 'default', second = function () { return 'second'; }] = [];
show(first(), first.name, second(), second.name);
const bound = function (a, b) { return [this.k, a, b]; }.bind({ k: 1 }, 2);
show(bound(3), bound.name, bound.length);
const proxy = new Proxy(function target() { return 'target'; }, { apply: (target, self, args) => target() + args.length, construct: (target, args) => ({ made: args.length }) });
show(proxy(1, 2), new proxy(1).made);
show(Reflect.ownKeys(function () {}).join(), Reflect.ownKeys(() => {}).join(), Object.getOwnPropertyDescriptor(() => {}, 'name').writable);
const sorted = [3, 1, 2].sort((a, b) => { if (a < b) return -1; if (a > b) return 1; return 0; });
show(sorted.join(), [1, 2, 3].reduce((sum, y) => sum + y, 0), Array.from({ length: 3 }, (_, i) => i * i).join());
label: { if (x) break label; show('not here'); }
for (const f of [() => 1, function () { return 2; }, { m() { return 3; } }.m]) show(f(), f.name);
switch (typeof (() => {})) { case 'function': show('function'); }
do { var once = (() => 'once')(); } while (false); show(once);
show(JSON.stringify({ toJSON() { return { k: 1 }; } }), `${{ toString: () => 'string' }}`, +{ valueOf() { return 4; } });
const deep = (n) => (n === 0 ? 0 : 1 + deep(n - 1)); show(deep(3000));
try { undefinedFunction(); } catch ({ name, message }) { show(name, message); }
export class Exported { static name2 = Exported.name; }
export { x as renamedExport, show as default };
show(Exported.name2, function () {}.name, (class {}).name, (() => {}).name);
