// SPDX-License-Identifier: Apache-2.0
'use strict';
const show = (...values) => console.log(...values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)));
function* talks() { const a = yield 1; show('got', a); const b = yield; show('got', b); try { yield 3; } finally { show('cleaned'); } return 'end'; }
const it = talks();
show(it.next('x'), it.next('a'), it.next('b'), it.return('early'), it.next());
function* catches() { for (;;) { try { yield 'ready'; } catch (error) { show('caught', error); if (error === 'stop') return 'stopped'; } } }
const c = catches();
show(c.next(), c.throw('one'), c.throw('stop'), c.next());
function* delegates() { const r = yield* inner(); show('inner returned', r); yield* 'ab'; yield* [yield, yield]; }
function* inner() { try { yield 'i'; } finally { show('inner finally'); } return 'r'; }
const g = delegates();
show(g.next(), g.next(), g.next(), g.next(), g.next('p'), g.next('q'), g.next(), g.next(), g.next());
const closed = delegates(); closed.next(); show(closed.return(7));
function* args() { yield arguments.length; yield this === undefined; yield new.target === undefined; }
show([...args(1, 2)]);
function* defaults(a = show('evaluated at the call')) { yield a; }
defaults(); show('not started');
function* precedence() { const x = 1 + (yield 1) * 2; show(x); show(yield 2, yield 3); show(`${yield 4}`); const o = { p: yield 5, [yield 6]: 7 }; show(o); return yield yield 8; }
const p = precedence(); let n = 0; for (let step = p.next(); !step.done; step = p.next(n++)) show(step.value);
function* noSemicolons() {
  yield
  yield 1
  const x = yield
  return x
}
show([...noSemicolons()]);
const fib = { *[Symbol.iterator]() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } } };
const first = []; for (const x of fib) { if (x > 50) break; first.push(x); } show(first);
show(Object.getPrototypeOf(talks) === Object.getPrototypeOf(function* () {}), talks.name, talks.length, String(talks.prototype));
function* reentrant() { try { running.next(); } catch (error) { yield error.name; } }
const running = reentrant(); show(running.next());
try { new talks(); } catch (error) { show(error.message); }
function* lazily() { show('started'); yield 1; } lazily(); const started = lazily(); started.next();
function* hoists() { yield* later(); function* later() { yield 'later'; } }
show([...hoists()]);
function* throws() { yield 1; throw new Error('thrown'); } const t = throws(); t.next();
try { t.next(); } catch (error) { show(error.message, t.next()); }
