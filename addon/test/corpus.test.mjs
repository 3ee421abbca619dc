// SPDX-License-Identifier: Apache-2.0
// Whatever a program of the corpus prints, it prints under the addon too, watched or not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { plain, run } from './run.mjs';

const corpus = path.join(path.dirname(fileURLToPath(import.meta.url)), 'corpus');
const programs = (folder) => fs.readdirSync(path.join(corpus, folder)).filter((name) => /\.m?js$/.test(name) && !name.startsWith('cycle'));

// Warnings name the process.
const outcome = ({ code, stdout, stderr }) => [code, stdout, stderr.replaceAll(/\(node:\d+\)/g, '(node)')];

async function compare(t, cwd, name, expected) {
  const idle = await run(t, cwd, [name], { watch: null });
  assert.deepEqual(outcome(idle), outcome(expected), 'idle');
  for (const by of ['import', 'require']) {
    const watched = await run(t, cwd, [name], { by });
    assert.deepEqual(outcome(watched), outcome(expected), `watched, by --${by}`);
    assert.ok(Object.keys(watched.traces[0].functions).length > 3, 'it was transformed');
  }
}

for (const name of programs('.')) {
  test(name, async (t) => {
    const expected = await plain(corpus, [name]);
    assert.equal(expected.code, 0, expected.stderr);
    await compare(t, corpus, name, expected);
  });
}

for (const name of programs('newer')) {
  test(`${name}, where Node.js has what is in it`, async (t) => {
    const cwd = path.join(corpus, 'newer');
    const expected = await plain(cwd, [name]);
    if (expected.code !== 0 && expected.stderr.includes('SyntaxError')) return t.skip('this version has not');
    assert.equal(expected.code, 0, expected.stderr);
    return compare(t, cwd, name, expected);
  });
}
