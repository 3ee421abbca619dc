// SPDX-License-Identifier: Apache-2.0
// What V8 says about an expression, it says with the words of the source.
import { check, later } from './lib/check.cjs';
const no = undefined, o = {}, five = 5, nothing = async () => undefined;
check('call', () => no());
check('member', () => o.a.b);
check('call of a member', () => o.a());
check('construct', () => new o.x());
check('take apart', () => { const { a } = no; });
check('take apart a member', () => { const { a } = o.x; });
check('take apart an argument', () => (({ a }) => a)());
check('take apart in depth', () => { const { a: { b } } = o; });
check('iterate', () => { for (const x of five); });
check('iterate a member', () => [...o.x]);
check('iterate in a pattern', () => { const [a] = o; });
check('spread', () => Math.max(...five));
check('in', () => 'a' in five);
check('instanceof', () => o instanceof five);
check('tagged', () => o.x`a`);
check('optional', () => o?.x.y.z);
check('class', () => class extends o.x {});
check('super', () => ({ m() { return super.x(); } }).m());
check('set', () => { no.x = 1; });
check('private', () => class { #a; static { o.#a; } });
check('bigint', () => 1n + 1);
check('symbol', () => `${Symbol('s')}`);
check('constant', () => { const c = 1; c++; });
check('frozen', () => { Object.freeze(o).x = 1; });
await later('take apart what was awaited', async () => { const { a } = await nothing(); });
await later('take apart what was awaited, with more before it', async () => { const a = 1, { b } = await nothing(); return b; });
await later('take apart what was awaited without a semicolon', async () => {
  const { a, b: c, ...d } = await nothing()
  return a
});
await later('take apart a list that was awaited', async () => { let [a] = await nothing(); });
await later('take apart what was yielded', async () => { [...(function* () { var { a } = yield 1; })()]; });
await later('take apart with var, and again', async () => { var { a } = await { a: 1 }; var { a } = await { a: 2 }; return a; });
await later('take apart what is there', async () => { const { a, b: { c = 3 } = {} } = await { a: 1 }; const [d, ...[e]] = await [4, 5]; return [a, c, d, e]; });
await later('take apart in a block', async () => { if (five) { const { x } = await { x: 1 }; return x; } switch (five) { case 5: var { y } = await { y: 2 }; } return y; });
await later('take apart in the head of a loop', async () => { for (let { x } = await { x: 1 }; x < 3; x++) if (x === 2) return x; return 0; });
await later('return', async () => { return o.f(); });
await later('return an awaited one', async () => { return await o.f(); });
await later('an arrow', async () => o.f.g());
await later('await a member', async () => { await o.a.b; });
await later('throw', async () => { throw await o.x(); });
await later('for of', async () => { for (const x of five) await x; });
await later('a default', async (a = o.f()) => a);
