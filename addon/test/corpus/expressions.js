// SPDX-License-Identifier: Apache-2.0
// Literals, operators, patterns, templates, and where semicolons are inserted.
'use strict'
const { check, later } = require('./lib/check.cjs')
const tag = (strings, ...values) => [strings.raw, strings.map(String), values, Object.isFrozen(strings)]
check('numbers', () => [0xff, 0b11, 0o17, 1_000, .5, 5., 1e3, 0.1_2, 10n ** 20n, 0xffn, 1_0n, -0, NaN, Infinity])
check('strings', () => ['a\
b', '\x41\u0041\u{1f600}', '\0', "'", '"', 'a\u2028b'.length, '\v\b'.length])
check('regexps', () => [/[/\]]+/.exec('//')[0], /(?<y>\d{4})-\k<y>/u.exec('2020-2020').groups.y, /a.b/s.test('a\nb'), /(?<=\$)\d/.exec('$5')[0], 'aBc'.replace(/b/gi, (m) => m + m), /a/y.sticky, /a/d.exec('ba').indices[0]])
check('regexps and divisions', () => { const a = 8, g = 2, i = 1; return [a /g/ i, a
/ g, (() => 4)() / 2 / 1, [6][0] /g/i, `${8}` /g/i, { v: 4 }.v /g/i] })
check('regexps behind braces', () => { { } /x/.test('x'); if (1) /y/.test('y'); return ((x) => x)(/}{/.test('}{')) })
check('regexps behind arrows', () => [() => /a/, (x) => /=>/.test(x)].map((f) => String(f('=>'))))
check('templates', () => [`a${1}b${`c${(() => `d${2}`)()}`}`, `${{}}`, `\${}`, `}`, `${'`'}`, `
`.length, `${(function () { return `${this}` }).call('x')}`])
check('tagged templates', () => [tag`a\n${1}\u0041${() => 2}`, tag``, tag`${1}${2}`, (() => tag)()`x`, { t: tag }.t`y`[0], tag`\unicode and \xerxes`[1]])
check('the same template is the same object', () => { const seen = new Set(); const t = (s) => seen.add(s); for (let i = 0; i < 2; i++) t`a`; t`a`; return seen.size })
check('optional chains', () => { const o = { a: { f() { return this?.k }, k: 1 }, n: null }; return [o?.a?.f(), o.a?.f?.(), o.b?.f(), o.b?.[(() => { throw 1 })()], o.n?.x.y.z, o.a.g?.(), (o?.a).k, delete o?.a?.k, o?.['a']?.k] })
check('optional chains keep this', () => { const o = { k: 1, f() { return this.k }, g: { h() { return this === o.g } } }; return [o.f?.(), (o.f)(), o?.f(), (o?.f)(), o?.g.h(), o['g']?.['h']()] })
check('optional chains stop', () => { let n = 0; const z = null; z?.[n++]; z?.x(n++); z?.x[n++].y(n++); return n })
check('nullish and logical', () => { let a = null, b = 0, c = 1, n = 0; const f = (x) => (n++, x); a ??= f(1); a ??= f(2); b ||= f(3); b ||= f(4); c &&= f(5); return [a, b, c, n, null ?? (false || 'x'), (0 || null) ?? 1] })
check('logical assignment names functions', () => { let a, b = 1, c; a ??= () => {}; b &&= function () {}; c ||= class {}; return [a.name, b.name, c.name] })
check('logical assignment to members', () => { const log = []; const o = { get x() { log.push('get'); return 1 }, set x(v) { log.push('set') } }; o.x ||= 2; o.x &&= 3; o.x ??= 4; return log })
check('powers', () => [2 ** 3 ** 2, (-2) ** 2, 2 ** -1, (() => 2)() ** 2, [2][0] ** 3])
check('powers and awaits', () => typeof (async () => (await 2) ** 2))
check('order', () => { const log = []; const l = (x) => (log.push(x), x); ({ [l('a')]: l('b'), ...l({}) }); l('o')[l('k')]; [l(1), ...[l(2)], l(3)]; l('x') + l('y') * l('z'); (l('f'), () => {})(l('arg')); return log.join() })
check('order of assignment', () => { const log = []; const l = (x, v) => (log.push(x), v); const o = {}; l('o', o)[l('k', 'p')] = l('v', 1); l('o', o)[l('k', 'p')] += l('v', 2); [l('o', o)[l('k', 'q')]] = l('v', [5]); return [log.join(), o] })
check('comma, void, typeof', () => [(1, 2), void (() => 1)(), typeof (() => {}), typeof notThere, !(() => {})(), -(() => 1)(), +(() => '2')()])
check('delete', () => { const o = { a: 1, get b() { return 2 } }; return [delete o.a, delete o[(() => 'b')()], o, delete (() => o)().c] })
check('delete in strict mode', () => delete Object.freeze({ a: 1 }).a)
check('in and instanceof', () => ['a' in (() => ({ a: 1 }))(), (() => [])() instanceof Array, !('b' in {})])
check('in within the head of a loop', () => { for (let f = () => ('a' in { a: 1 }), i = 0; i < 1; i++) return f(); return 'none' })
check('arrows in the heads of loops', () => { const out = []; for (const f of [() => 1, () => 2]) out.push(f()); for (let i = (() => 0)(); ((x) => x < 2)(i); i = ((x) => x + 1)(i)) out.push(i); return out })
check('arrows of every shape', () => [x => x, (x) => x, (x, ) => x, ([x]) => x, ({ x }) => x, (...x) => x, x => { return x }, x => ({ x }), x => [x], x => (x, x), x => y => x, (x = y => y) => x, x => x ? y => y : z => z, async x => x, async (x) => { await x }, x => function () {}, x => class {}, x => `t`, x => /r/, x => void 0, x => x++, x => ++x, x => x = 1, x => new Object, x => new Object(), x => -x, x => x`t`].map((f) => { try { return typeof f([]) } catch (e) { return e.message } }))
check('arrows with comments', () => [(/* ) => */) => 1, (x /* => 3 */) => /* => 4 */ x, (x) => // => 5
  x, (x, // => { 6
  y) => (y), () /* a */ => /* b */ { /* c */ return 2 /* d */ } /* e */, async /* => */ () => 1].map((f) => typeof f(1, 2)))
check('arrows that end a line', () => { const f = () => 1
  const g = (x) =>
    x
  const h = () => {
  }
  return [f(), g(2), h()] })
check('arrows and commas', () => [[() => 1, () => 2].length, ((a, b) => a(b))((x) => x, 3), { a: () => 1, b: () => 2 }.b(), (() => 1, () => 2)()])
check('arrows and conditions', () => [true ? () => 1 : () => 2, false ? (x) => x : x => x + 1, (() => 0)() ? 1 : 2].map((f) => typeof f === 'function' ? f(1) : f))
check('immediately called', () => [(() => 1)(), (function () { return 2 })(), (function () { return 3 }()), !function () { return 4 }(), new function () { this.x = 5 }().x, (async () => 6)() instanceof Promise, [...(function* () { yield 7 })()]])
check('semicolons before parentheses', () => { const a = 1
  ;(() => a)()
  ;[1].map((x) => x)
  const b = () => { return 2 }
  ;`${b()}`
  return b() })
check('no semicolons', () => {
  let n = 0
  const f = function () { n++ }
  f()
  const g = () => n
  do f(); while (n < 3) n++
  if (n) f()
  else n = 0
  for (;;) break
  var x = n
  ++x
  return [n, x, g()]
})
check('throw and return on lines of their own', () => { const f = () => { return /* a
  comment */ 1 }; return [f(), (() => { return (
    2) })(), (() => { try { throw (
    3) } catch (e) { return e } })()] })
check('patterns', () => { const { a, b: { c = 1, ...d } = {}, ...e } = { a: 1, b: { x: 2 }, y: 3 }; const [f, , g = (() => 4)(), ...[h, ...i]] = new Set([1, 2, undefined, 5, 6]); return [a, c, d, e, f, g, h, i] })
check('patterns assign', () => { const o = {}; let a, b; [a, b] = [1, 2]; [a, b] = [b, a]; ({ x: o.x, y: o['y'], ...o.rest } = { x: 1, y: 2, z: 3 }); [o.first = 5, ...o.more] = [undefined, 2]; for ([o.k, o.v] of Object.entries({ q: 1 })); for ({ length: o.l } of ['abc']); return [a, b, o] })
check('patterns close iterators', () => { let closed = 0; const it = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return: () => (closed++, {}) }) }; const [a] = it; const [] = it; try { const [b = (() => { throw 1 })()] = { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return: () => (closed++, {}) }) } } catch { } return [a, closed] })
check('patterns of nothing', () => { const {} = 1; const [] = ''; return (({}) => 'fine')(0) })
check('patterns with keys of symbols and numbers', () => { const s = Symbol('s'); const { [s]: a, 0: b, 'c d': c } = { [s]: 1, 0: 2, 'c d': 3 }; return [a, b, c] })
check('objects', () => { const a = 1; return { a, 'b c': 2, 3: 3, [`d${4}`]: 4, get e() { return 5 }, set e(v) { }, f() { return 6 }, ...{ g: 7 }, ...null, ...'h', __proto__: { i: 8 }, ['__proto__']: 9, async: 10, get: 11, set: 12, static: 13, await: 14, of: 15, let: 16, yield: 17, new: 18 } })
check('getters of computed names', () => { let n = 0; const o = { get [`x${++n}`]() { return n }, set [`x${n}`](v) { n = v } }; o.x1 = 5; return [o.x1, Object.keys(o)] })
check('spread', () => [Math.max(...[1, 2], ...new Set([3])), [...'ab', ...new Map([[1, 2]])], { ...[1], ...{ get x() { return 2 } } }, new Date(...[2020, 0, 1]).getFullYear()])
check('iterators', () => { const it = { *[Symbol.iterator]() { yield 1; yield 2 } }; const out = []; for (const x of it) out.push(x); return [out, Array.from(it, (x) => x * 2), Math.max(...it), Object.fromEntries([['a', 1]])] })
check('iterators are closed', () => { const log = []; const it = { [Symbol.iterator]() { return { next: () => ({ value: 1 }), return() { log.push('return'); return {} } } } }; for (const x of it) break; a: for (;;) { for (const x of it) break a } try { for (const x of it) throw 1 } catch { } (() => { for (const x of it) return })(); return log.length })
check('exceptions', () => { const out = []; const f = () => { try { throw new TypeError('a', { cause: 1 }) } catch (e) { out.push(e.cause); throw e } finally { out.push('f') } }; try { f() } catch (e) { out.push(e.name, e instanceof TypeError) } return out })
check('exceptions that are anything', () => [undefined, null, 0, '', {}].map((x) => { try { (() => { throw x })() } catch (e) { return e === x } }))
check('labels, let and async', () => { async: for (const x of [1]) { continue async } return 'labelled' })
check('globals', () => [typeof globalThis, this === module.exports, typeof this, (function () { return this })(), Object.keys(globalThis).filter((k) => k.includes('cps'))])
check('json', () => [JSON.stringify({ a: [() => {}, undefined, 1], toJSON() { return { ...this, b: 2 } } }), JSON.parse('{"a":1}', (k, v) => (k === 'a' ? v + 1 : v)), JSON.stringify({ f() { } })])
check('sorts', () => [[3, 1, 2].sort((a, b) => a - b), [1, 2, 3].findLast?.((x) => x < 3), Object.groupBy?.([1, 2], (x) => (x % 2 ? 'odd' : 'even'))])
check('callbacks of what is built in', () => ['abc'.replace(/./g, (m, i) => m + i), [1, [2, [3]]].flatMap((x) => x), Array.from({ length: 2 }, function (_, i) { return this.k + i }, { k: 1 }), [1, 2].reduceRight((a, b) => a - b), new Map([[1, 2]]).forEach((v, k) => k), Reflect.apply(function () { return this.x }, { x: 3 }, [])])
check('weak things', () => { const w = new WeakMap(), k = () => {}; w.set(k, 1); return [w.get(k), new WeakSet([k]).has(k), new WeakRef(k).deref() === k] })
check('errors', () => { const e = new Error('m'); e.name = 'Named'; class Own extends Error { get name() { return 'Own' } } return [String(e), String(new Own('o')), Object.prototype.toString.call(e), new AggregateError([1], 'x').errors, new RangeError('r') instanceof Error] })
check('structured clones', () => structuredClone({ a: [1, new Map([[1, new Date(0)]])] }))
later('timers', () => new Promise((resolve) => { const t = setTimeout(function () { resolve([this === t, arguments.length]) }, 1, 'a') }))
