// SPDX-License-Identifier: Apache-2.0
import * as inner from './shapes.mjs';
export let count = 0;
export function increment() { count++; }
export class Named { m() { return `${this.constructor.name} ${new.target}`; } }
export const later = async (x) => (await x) + 1;
export function* counts() { yield count; }
export default function (a) { return [a, typeof inner.default]; }
export { inner };
