// SPDX-License-Identifier: Apache-2.0
'use strict';
const show = (...values) => console.log(...values);
class Base {
  static count = 0;
  static #secret = 's';
  #private = 1;
  field = this.#private + 1;
  arrow = () => this.field;
  fn = function () { return typeof this; };
  ['computed' + 1] = 'c';
  static { this.count = 5; var local = 1; function inBlock() { return local; } this.inBlock = inBlock(); }
  static { }
  constructor(a = 1) { this.a = a; Base.count++; }
  get total() { return this.a + this.#private; }
  set total(value) { this.a = value; }
  #hidden() { return 'hidden'; }
  reveal() { return this.#hidden(); }
  has(other) { return #private in other; }
  static make() { return new this(9); }
  static get secret() { return Base.#secret; }
  async later() { return (await this.a) + 1; }
  *items() { yield this.a; yield* [1, 2]; return 3; }
  async *stream() { yield 1; const x = await 2; yield x; }
  [Symbol.iterator]() { return this.items(); }
  'quoted name'() { return 'q'; }
  42() { return 42; }
  static async *[Symbol.asyncIterator]() { yield 'static'; }
}
class Derived extends Base {
  own = super.reveal();
  constructor(...args) { show('before', new.target.name); const f = () => super(...args); f(); this.b = (() => super.total)(); }
  reveal() { return super.reveal() + '!'; }
  static make() { const made = super.make(); return made; }
  get total() { return super.total * 10; }
  set total(value) { super.total = value; }
  async later() { return (await super.later()) * 2; }
  *items() { yield* super.items(); }
}
class NoConstructor extends Derived {}
class ReturnsOther extends Base { constructor() { super(); return { other: true }; } }
class NeverSuper extends Base { constructor(skip) { if (!skip) super(); } }
const Anonymous = class { who() { return Anonymous.name; } };
const Named = class Inner { static me() { return Inner.name; } };
const d = new Derived(3);
show(d.a, d.b, d.own, d.field, d.arrow(), d.fn(), d.computed1, d.total, d.reveal(), d.has(d), d.has({}));
d.total = 8;
show(d.a, Derived.make().a, Base.count, Base.secret, Base.inBlock, [...d], d['quoted name'](), d[42]());
show(new NoConstructor(2).a, new ReturnsOther().other, new Anonymous().who(), Named.me(), Named.name);
try { new NeverSuper(true); } catch (error) { show(error.name); }
try { Derived(); } catch (error) { show(error.name, error.message); }
try { d.reveal.call({}); } catch (error) { show(error.name); }
show(Base.length, Base.name, Base.prototype.reveal.name, Object.getOwnPropertyDescriptor(Base.prototype, 'total').get.name, d.arrow.name, d.fn.name, d.arrow.length);
show(Object.getOwnPropertyNames(Base.prototype).join(), Object.keys(d).join());
show(Base.prototype.reveal.toString(), d.arrow.toString(), Base.toString().length);
const object = {
  method(a, b) { return super.toString === Object.prototype.toString; },
  get value() { return 1; }, set value(v) { this.v = v; },
  async am() { return 1; }, *gm() { yield 1; }, async *agm() { yield 1; },
  arrow: () => 1, fn: function () { return 1; }, named: function other() { return other.name; },
  ['com' + 'puted']() { return 2; }, async: 1, get: 2, static() { return 3; }, __proto__: { p() { return 'proto'; } },
};
object.value = 4;
show(object.method(), object.v, object.value, object.arrow.name, object.fn.name, object.named(), object.computed(), object.static(), object.p());
try { new object.method(); } catch (error) { show(error.message); }
try { new (() => {})(); } catch (error) { show(error.name); }
show(typeof object.fn.prototype, typeof object.method.prototype, typeof object.arrow.prototype, typeof object.gm.prototype);
class Accumulate { static x = 1; static y = Accumulate.x + 1; static z = (() => Accumulate.y + 1)(); [(() => 'key')()] = 1; }
show(Accumulate.z, new Accumulate().key);
function mixin(B) { return class extends B { mixed() { return 'mixed ' + super.reveal(); } }; }
show(new (mixin(Base))().mixed());
(async () => {
  show(await d.later(), await object.am());
  for await (const x of d.stream()) show(x);
  for await (const x of Base) show(x);
  for await (const x of object.agm()) show(x);
})();
