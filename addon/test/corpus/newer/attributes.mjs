// SPDX-License-Identifier: Apache-2.0
import data from './data.json' with { type: 'json' };
import * as self from './attributes.mjs';
import { check, later } from '../lib/check.cjs';
check('a module of JSON', () => data.names);
await later('imported later', async () => (await import('./data.json', { with: { type: 'json' } })).default === data);
await later('without', async () => import('./data.json').then(() => 'loaded', (e) => e.code));
check('functions beside', () => ((a, b) => a + b)(1, 2));
export { default as again } from './data.json' with { type: 'json' };
check('exported again', () => self.again === data);
