// SPDX-License-Identifier: Apache-2.0
// Every kind of function: its name, length, properties, prototype, text, how it is called and constructed.
'use strict';
const { check } = require('./lib/check.cjs');
const symbol = Symbol('sym');
const plain = function () { return this; };
const named = function other(a) { return other; };
function declared(a, b) { 'use strict'; return a; }
async function asyncDeclared(a) { await a; }
function* generatorDeclared(a) { yield a; }
async function* asyncGeneratorDeclared(a) { yield a; }
const arrow = (a) => a, arrowBlock = (a) => { return a; }, arrowAsync = async (a) => a, arrowNone = () => {};
const object = {
  method(a) {}, async asyncMethod() {}, *generator() {}, async *asyncGenerator() {}, get accessor() { return 1; }, set accessor(v) {},
  value: function () {}, valueArrow: () => {}, [symbol]() {}, ['a' + 1]: () => {}, [String(symbol)]() {}, 3() {}, 'a b'() {}, get() {}, set() {}, async() {}, static() {}, await() {},
  get get() { return 1; }, 1n() {}, __proto__: null,
};
class Class {
  constructor(a, b) {} method() {} static method() {} get accessor() { return 1; } static set accessor(v) {} #private() {} static #privateStatic() {} get #privateAccessor() { return 1; }
  field = () => {}; fieldFunction = function () {}; static field = () => {}; #privateField = () => {}; [symbol] = () => {}; static [symbol]() {} async asyncMethod() {} *generator() {} async *asyncGenerator() {} 'a b'() {} 3() {}
  privates() { return [this.#private, Class.#privateStatic, this.#privateField].map((f) => f.name); }
  static text() { return Class.#privateStatic.toString(); }
}
const Anonymous = class { static named = this.name; };
const WithName = class { static name() { return 'own'; } };
const Empty = class {}, Derived = class extends Class { method() { return super.method(); } }, Null = class extends null {};
const all = { plain, named, declared, asyncDeclared, generatorDeclared, asyncGeneratorDeclared, arrow, arrowBlock, arrowAsync, arrowNone, Class, Anonymous, Empty, Derived };
for (const [name, f] of Object.entries(all)) {
  check(`${name} has`, () => [f.name, f.length, typeof f.prototype, Object.getOwnPropertyNames(f), Object.prototype.toString.call(f), Object.getPrototypeOf(f).constructor.name]);
  check(`${name} reads`, () => f.toString());
  check(`${name} constructs`, () => typeof new f());
  check(`${name} has a descriptor`, () => ['name', 'length', 'prototype'].map((key) => Object.getOwnPropertyDescriptor(f, key)).map((d) => d && [d.writable, d.enumerable, d.configurable]));
}
for (const key of Reflect.ownKeys(object)) {
  const { value, get, set } = Object.getOwnPropertyDescriptor(object, key);
  for (const f of [value, get, set]) if (f) check(`object.${String(key)}`, () => [f.name, f.length, typeof f.prototype, f.toString()]);
}
for (const [what, holder] of [['prototype', Class.prototype], ['static', Class], ['instance', new Class()]]) {
  for (const key of Reflect.ownKeys(holder)) {
    const { value, get, set, enumerable } = Object.getOwnPropertyDescriptor(holder, key);
    for (const f of [value, get, set]) if (typeof f === 'function') check(`${what} ${String(key)}`, () => [f.name, f.length, enumerable, typeof f.prototype, f.toString().length]);
  }
}
check('private methods', () => [new Class().privates(), Class.text()]);
check('anonymous classes', () => [Anonymous.named, Anonymous.name, typeof WithName.name, (class {}).name, (class A {}).name]);
check('names from patterns', () => { const { a = () => {}, b: [c = function () {}] = [] } = {}; let d; [d = class {}] = []; return [a.name, c.name, d.name]; });
check('names from assignments', () => { let a, b = {}; a = () => {}; b.c = () => {}; (a) = a; let d; (d) = () => {}; let e; e ??= () => {}; let f = (0, () => {}); return [a.name, b.c.name, d.name, e.name, f.name]; });
check('names from defaults', () => (({ a = () => {} }, b = function () {}, [c = class {}] = []) => [a.name, b.name, c.name])({}));
check('names of bound ones', () => [declared.bind().name, declared.bind(1, 2).length, (() => {}).bind().name, class A {}.bind?.name]);
check('names that are set', () => { const f = () => {}; Object.defineProperty(f, 'name', { value: 'set' }); return [f.name, delete f.name, f.name]; });
check('instances', () => [new Class() instanceof Class, Object.create(Class.prototype) instanceof Class, new Derived() instanceof Class, Object.getPrototypeOf(Null.prototype)]);
check('a class is not called', () => Class());
check('a class with null is not constructed', () => new Null());
check('Reflect.construct', () => [Reflect.construct(plain, [], Class) instanceof Class, Reflect.construct(Class, [], Array) instanceof Array]);
check('new.target', () => { function F() { return { target: new.target?.name }; } return [new F(), F(), Reflect.construct(F, [], Class), new (class extends F {})(), (function () { return (() => new.target)(); })()]; });
check('a constructor returns', () => { class A { constructor(x) { return x; } } return [new A({ a: 1 }), new A(1), new A(() => {}) instanceof A]; });
check('a derived constructor returns', () => { class A {} class B extends A { constructor(x) { super(); return x; } } return new B(1); });
check('a derived constructor returns without super', () => { class A {} class B extends A { constructor() { return { own: true }; } } return new B(); });
check('a derived constructor without super', () => { class A {} class B extends A { constructor() {} } return new B(); });
check('super twice', () => { let n = 0; class A { constructor() { n++; } } class B extends A { constructor() { super(); try { super(); } catch (e) { this.e = [e.name, n]; } } } return new B().e; });
check('super in arrows', () => { class A { constructor(x) { this.x = x; } m() { return 'm' + this.x; } } class B extends A { constructor() { const f = () => () => super(4); f()(); this.y = (() => super.m())(); } } return { ...new B() }; });
check('super in eval', () => { class A { constructor() { this.x = 1; } m() { return 'm'; } } class B extends A { constructor() { eval('super()'); this.y = eval('super.m()'); } } return { ...new B() }; });
check('this before super', () => { class A {} class B extends A { constructor() { this.x = 1; super(); } } return new B(); });
check('super in objects', () => { const a = { m() { return 'a'; }, get g() { return this.k; } }; const b = { __proto__: a, k: 5, m() { return super.m() + 'b'; }, get g() { return super.g + 1; }, arrow() { return (() => super.m())(); }, set s(v) { super.s = v; } }; b.s = 3; return [b.m(), b.g, b.arrow(), Object.keys(b)]; });
check('super with a computed key', () => { const o = { __proto__: { a: 1 }, m(k) { return [super[k], super.missing]; } }; return o.m('a'); });
check('super assigned', () => { class A {} class B extends A { m() { super.x = 1; return Object.keys(this); } static m() { super.y = 2; return this.y; } } return [new B().m(), B.m()]; });
check('super of what changes its prototype', () => { class A { m() { return 'A'; } } class B { m() { return 'B'; } } class C extends A { m() { return super.m(); } } const before = new C().m(); Object.setPrototypeOf(C.prototype, B.prototype); return [before, new C().m()]; });
check('private in', () => { class A { #x; static has(o) { return #x in o; } static bad(o) { return #x in o; } } return [A.has(new A()), A.has({}), A.has(new Proxy(new A(), {}))]; });
check('private in of what is no object', () => { class A { #x; static has(o) { return #x in o; } } return A.has(1); });
check('privates of others', () => { class A { #x = 1; static read(o) { return o.#x; } static call(o) { return o.#m(); } #m() {} } return [A.read(new A()), A.call(new A()), A.read({})]; });
check('privates are set', () => { class A { #x = 1; #m() {} get #a() { return 1; } up() { return [this.#x++, ++this.#x, (this.#x **= 2), (this.#x ??= 1)]; } bad() { this.#m = 1; } worse() { this.#a = 1; } } const a = new A(); try { a.bad(); } catch (e) { try { a.worse(); } catch (f) { return [a.up(), e.message, f.message]; } } });
check('privates stamped on others', () => { class Stamp { constructor(o) { return o; } } class A extends Stamp { #x = 1; static read(o) { return o.#x; } } const o = {}; new A(o); const first = A.read(o); try { new A(o); } catch (e) { return [first, e.name]; } });
check('optional chains of privates', () => { class A { #x = { y: () => 3 }; static m(o) { return [o?.#x.y(), o?.#x?.z?.()]; } } return [A.m(new A()), A.m(null)]; });
check('fields in order', () => { const log = []; const l = (x) => (log.push(x), x); class A { [l('k1')] = l('v1'); static [l('k2')] = l('v2'); static { l('block'); } [l('k3')] = l('v3'); constructor() { l('constructor'); } } new A(); return log; });
check('fields and super', () => { class A { x = this.init(); init() { return 'A'; } } class B extends A { y = this.x + super.init(); init() { return 'B'; } } return { ...new B() }; });
check('fields define, and do not set', () => { let n = 0; class A { set x(v) { n++; } } class B extends A { x = 1; } return [new B().x, n]; });
check('arguments in fields is refused', () => eval('class A { x = arguments; }'));
check('static blocks', () => { class A { static a = 1; static { var v = this.a + 1; let l = v; this.b = [v, l, (() => this.a)()]; } static { function f() { return 'f'; } this.c = f(); } static { try { throw 1; } catch { this.d = 'caught'; } } } return { ...A }; });
check('static blocks see privates', () => { let read; class A { #x = 4; static { read = (a) => a.#x; } } return read(new A()); });
check('accessors of classes', () => { class A { static get x() { return 1; } get ['y']() { return 2; } set y(v) { this.z = v; } static async *[Symbol.asyncIterator]() {} } const a = new A(); a.y = 3; return [A.x, a.y, a.z, Object.keys(A)]; });
check('classes in expressions', () => [new (class { x = 1; })().x, (class { static x = 2; }).x, new (class A { m() { return A.name; } })().m(), [class {}, class {}].map((c) => c.name)]);
check('a class cannot be set within', () => { class A { static m() { A = 1; } } return A.m(); });
check('extends is evaluated once', () => { let n = 0; const base = () => (n++, Object); class A extends base() {} class B extends (n++, Array) {} return [n, new B() instanceof Array]; });
check('subclasses of what is built in', () => { class E extends Error { constructor(m) { super(m); this.name = 'E'; } } class A extends Array { sum() { return this.reduce((a, b) => a + b, 0); } } class P extends Promise {} class M extends Map { get(k) { return super.get(k) ?? 'none'; } } return [String(new E('m')), A.from([1, 2]).map((x) => x * 2).sum(), P.resolve(1) instanceof P, new M([[1, 2]]).get(3), A.of(1).constructor.name]; });
check('Symbol.species', () => { class A extends Array { static get [Symbol.species]() { return Array; } } return new A(1, 2).map((x) => x).constructor.name; });
check('Symbol.hasInstance', () => { class A { static [Symbol.hasInstance](x) { return x === 1; } } return [1 instanceof A, new A() instanceof A]; });
check('toPrimitive', () => { const o = { [Symbol.toPrimitive](hint) { return hint === 'number' ? 1 : hint; } }; return [+o, `${o}`, o + '']; });
check('getters that define themselves', () => { const o = { get x() { Object.defineProperty(this, 'x', { value: 2 }); return 1; } }; return [o.x, o.x]; });
check('proxies of functions', () => { const log = []; const p = new Proxy(declared, { apply: (t, s, a) => (log.push('apply'), Reflect.apply(t, s, a)), get: (t, k) => (log.push(String(k)), t[k]) }); return [p(1), p.name, p.length, log]; });
check('the loader has the length of its own', () => require('node:module').prototype._compile.length);
check('toString is generic for functions alone', () => Function.prototype.toString.call({}));
check('toString of what is built in', () => [Math.max.toString(), (function () {}).bind().toString(), Function.prototype.toString.toString(), Function.prototype.toString.name, Function.prototype.toString.length, class { }.toString()]);
check('toString keeps comments', () => (function /* a */ f /* b */ ( /* c */ a /* d */ ) /* e */ { /* f */ return a; /* g */ } /* h */).toString());
check('toString of arrows', () => [(a) => a, async a => a, (a, b) => ({ a }), (a) => /* c */ a, () => { }, a => b => a, async () => { await 1 }, (a = (() => 1)()) => [a, () => a]].map(String));
check('functions that are read and compiled again', () => { const f = (a, b = 2) => { const g = () => a + b; return g(); }; return (0, eval)(`(${f})`)(1); });
check('call, apply, bind', () => { const f = function (a, b) { return [this?.k, a, b]; }; return [f.call({ k: 1 }, 2, 3), f.apply({ k: 1 }, [2, 3]), f.bind({ k: 1 }, 2)(3), f(1, 2)]; });
check('tail of getters', () => { const o = { get a() { return { get b() { return () => 'deep'; } }; } }; return o.a.b(); });
check('mutual recursion', () => { const even = (n) => (n === 0 ? true : odd(n - 1)); const odd = (n) => (n === 0 ? false : even(n - 1)); return [even(100), odd(101)]; });
