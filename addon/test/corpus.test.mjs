// SPDX-License-Identifier: Apache-2.0
// Whatever a program of the corpus prints, it prints under the addon too, watched or not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { plain, run } from './run.mjs';

const corpus = path.join(path.dirname(fileURLToPath(import.meta.url)), 'corpus');
const programs = fs.readdirSync(corpus).filter((name) => !name.startsWith('cycle'));

for (const name of programs) {
  for (const by of ['import', 'require']) {
    test(`${name}, loaded by --${by}`, async (t) => {
      const expected = await plain(corpus, [name]);
      assert.equal(expected.code, 0, expected.stderr);
      const idle = await run(t, corpus, [name], { by, watch: null });
      assert.deepEqual([idle.code, idle.stdout, idle.stderr], [expected.code, expected.stdout, expected.stderr]);
      const watched = await run(t, corpus, [name], { by });
      assert.deepEqual([watched.code, watched.stdout, watched.stderr], [expected.code, expected.stdout, expected.stderr]);
      assert.ok(Object.keys(watched.traces[0].functions).length > 3, 'it was transformed');
    });
  }
}
