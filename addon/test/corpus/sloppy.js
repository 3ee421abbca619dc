#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Functions outside of strict mode: hoisting, arguments, this, with, eval, old declarations.
function show(...values) { console.log(...values); }
show(hoisted(), typeof later, typeof hoistedInBlock);
function hoisted() { return inner(); function inner() { return 'inner'; } }
var later = function () {};
if (true) { function hoistedInBlock() { return 1; } }
show(hoistedInBlock());
function twice() { return pick(); function pick() { return 1; } function pick() { return 2; } }
function varAndFunction() { var a; function a() { return 'function'; } return typeof a; }
function varAfter() { function a() {} var a = 1; return typeof a; }
function nestedVar() { function a() { return 'a'; } if (true) { var a = 3; } return a; }
function blockFunction() { function a() { return 1; } { function a() { return 2; } } return a(); }
function paramAndFunction(a) { function a() {} return typeof a + typeof arguments[0]; }
function argumentsFunction() { function arguments() { return 9; } return typeof arguments; }
show(twice(), varAndFunction(), varAfter(), nestedVar(), blockFunction(), paramAndFunction(1), argumentsFunction());
function aliased(a) { a = 5; return arguments[0]; }
function aliasedBack(a) { arguments[0] = 6; return a; }
function count() { return arguments.length; }
function callee() { return arguments.callee === callee; }
function globalThisIs() { return this === globalThis; }
function strictThis() { 'use strict'; return this; }
function notDirective() { 'not' + 'one'; return this === globalThis; }
function oneLine() { 'use strict' ; return this === undefined }
function asi() { 'use strict'
return this }
show(aliased(1), aliasedBack(1), count(1, 2, 3), callee(), globalThisIs(), strictThis(), notDirective(), oneLine(), asi());
function evaluates(x) { var y = 2; return eval('var z = x + y; z') + z; }
function evaluatesFunction() { eval('function made() { return 4; }'); return made(); }
function evaluatesBeside() { function own() { return 1; } eval('var own = function () { return 8; }'); return own(); }
show(evaluates(1), evaluatesFunction(), evaluatesBeside());
with ({ w: 7 }) { show(w, (function () { return w; })(), (() => w)()); }
var everything = new Proxy({}, { has: (_, key) => key !== 'show' && typeof key === 'string', get: (_, key) => (key === Symbol.unscopables ? undefined : () => `asked ${String(key)}`) });
with (everything) { show((function () { return anything(); })()); }
show((function f(n) { return n ? n * f(n - 1) : 1; })(5));
show([1, 2, 3].map(function (x) { return this.k * x; }, { k: 3 }).join());
function loops() { var out = []; for (var i = 0; i < 3; i++) out.push(function () { return i; }); return out.map((f) => f()); }
function lets() { var out = []; for (let i = 0; i < 3; i++) out.push(() => i); return out.map((f) => f()); }
function labelled() { outer: for (;;) { for (;;) { break outer; } } return 'left'; }
function returnsInFinally() { try { return 1; } finally { return 2; } }
function throwsInFinally() { try { try { throw 1; } finally { throw 2; } } catch (e) { return e; } }
function completion() { switch (3) { case 1: return 'a'; case 3: { return 'c'; } default: return 'd'; } }
show(loops(), lets(), labelled(), returnsInFinally(), throwsInFinally(), completion());
function empty() {}
function onlyDirective() { 'use strict' }
function comment() { /* } */ // }
}
show(empty(), onlyDirective(), comment(), empty.toString(), comment.toString(), (x => x * 2).toString());
var let_ = 1; var async = (x) => x; var of = 2; var yield_ = 3; var await = 4; var yield = 5;
show(async(1), of, await + yield, typeof async);
var get = { get: 1, set: 2, async: 3, static: 4, await: 5 };
show(JSON.stringify(get));
function Constructor(a) { if (!new.target) return new Constructor(a); this.a = a; }
Constructor.prototype.read = function () { return this.a; };
show(new Constructor(3).read(), Constructor(4).read(), Constructor.name, Constructor.length, Constructor.prototype.read.name);
function octal() { return 010 + 1; }
show(octal(), (function () { return typeof this; }).call(1), (function () { 'use strict'; return typeof this; }).call(1));
show(typeof Reflect.construct(function () { this.x = new.target.name; }, [], class Named {}).x);
show((function () { return (() => arguments[0] + (() => arguments[1])())(); })(1, 2));
show(((a, b = a, ...c) => [a, b, c.length])(1), ((a, b = () => a) => b())(5), (function (a, b = this) { return b === globalThis; })(1));
show((function ({ a = 1, ...rest } = {}, [b, , c = 3] = [2]) { return [a, rest, b, c]; })({ z: 1 }));
show((function (a) { { let a = 2; } var a; return a; })(1), (() => ({}))(), (() => { })(), (() => [])().length);
show([..."abc"].map(c => c.toUpperCase()).join(''), (x => y => z => x + y + z)(1)(2)(3), (() => () => 1)()());
show((() => { try { return 'try' } catch { return 'catch' } finally { show('finally') } })());
show((a => // a comment with => in it
  a + 1)(1), (a /* => */ => /* => */ (a, a + 2))(1), ((a) =>
    ({ a }))(1).a, (async => async)(1), ((a = (1, 2)) => a)());
show(typeof require, typeof module, typeof exports, typeof __filename, this === module.exports, arguments.length, new.target === undefined);
show(/[/]\/\{/.test('//{'), `t${(() => `n${1}`)()}`, ((s, ...v) => s.raw.join('|') + v)`a${1}\n${2}`);
show((function () { x: function g() { return 1 } var g; return typeof g; })(), (function () { a: b: function g() { return 2 } return g(); })());
<!-- a comment of old
show(1 <!-- also
);
return;
