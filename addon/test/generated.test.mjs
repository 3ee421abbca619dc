// SPDX-License-Identifier: Apache-2.0
// Programs that are made up do the same transformed, watched, and with a tracer that comes and goes.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { run } from './run.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const first = Number(process.env.COMPASS_TEST_SEED ?? 1);
const programs = Number(process.env.COMPASS_TEST_PROGRAMS ?? 300);
const RUN = 50; // programs a process: well within the time that one may take

for (let seed = first; seed < first + programs; seed += RUN) {
  const count = Math.min(RUN, first + programs - seed);
  test(`${count} programs from seed ${seed}`, async (t) => {
    const { code, stdout, stderr } = await run(t, here, ['generated.cjs', seed, count], { env: { COMPASS_NODE_EXCLUDE: '**' } });
    assert.equal(code, 0, stderr);
    const { modes, ...found } = JSON.parse(stdout.trim().split('\n').pop());
    assert.deepEqual(found, { programs: count, differ: 0, transformed: count * (modes - 1), logged: true }, stdout.slice(0, 4000));
  });
}
