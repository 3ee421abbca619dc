// SPDX-License-Identifier: Apache-2.0
import { seen } from './cycle-b.mjs';
export let counter = 0;
export function increment() { return ++counter; }
export function hoisted() { return 'called before its module ran'; }
export const hoistedEarly = seen;
export default () => 'default';
export { counter as 'a string name' };
