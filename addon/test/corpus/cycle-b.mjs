// SPDX-License-Identifier: Apache-2.0
import { hoisted } from './cycle-a.mjs';
export const seen = hoisted();
export async function dynamic() { return (await import('./cycle-a.mjs')).counter; }
