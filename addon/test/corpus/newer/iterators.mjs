// SPDX-License-Identifier: Apache-2.0
// Methods that older versions lack are asked for first: there each case says that it is not a function.
import { check, later } from '../lib/check.cjs';
function* naturals() { for (let n = 0; ; n++) yield n; }
check('iterators', () => naturals().filter((n) => n % 2).map((n) => n * 2).drop(1).take(3).toArray());
check('flat', () => naturals().take(3).flatMap((n) => [n, n]).reduce((a, b) => a + b, 0));
check('from', () => Iterator.from({ next: () => ({ done: true }) }).some((x) => x));
check('a subclass', () => { class I extends Iterator { #n = 2; next() { return { done: this.#n-- === 0, value: this.#n }; } } return [...new I()]; });
check('groups', () => Map.groupBy([1, 2, 3], (n) => n % 2).get(1));
check('sets', () => new Set([1, 2]).union(new Set([2, 3])).size);
check('copies', () => [[3, 1, 2].toSorted((a, b) => b - a), [1].with(0, 2), [1, 2].toReversed()]);
await later('resolvers', async () => { const { promise, resolve } = Promise.withResolvers(); setTimeout(() => resolve(1), 1); return promise; });
await later('tried', async () => Promise.try((x) => { throw x; }, 'thrown').catch((e) => `caught ${e}`));
await later('arrays', async () => Array.fromAsync((async function* () { yield 1; yield Promise.resolve(2); })(), async (x) => x * 2));
await later('any', async () => Promise.any([Promise.reject(1), (async () => 2)()]));
