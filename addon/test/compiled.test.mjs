// SPDX-License-Identifier: Apache-2.0
// TypeScript that others compile: a bundle of esbuild, and tsx, both from npm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { plain, run } from './run.mjs';

const FILES = {
  'package.json': '{}',
  'lib.ts': 'export function price(item: { price: number }): number { return item.price; }\nexport class Cart { total(): number { return price({ price: 3 }); } }',
  'app.ts': "import { Cart } from './lib';\nfunction main(): void { console.log(new Cart().total()); }\nmain();",
  'fails.ts': `import { deeper } from './deeper';
function first(x: number): number { return x + 1; }

async function main(): Promise<void> {
  await null;
  try { deeper(first(1)); } catch (error) { console.log((error as Error).stack); }
  console.log(new Error('here').stack, process.argv.length, first.toString().length > 20);
}
main();`,
  'deeper.ts': `class Base { constructor(readonly x: number) {} }
export class Deep extends Base {
  check = () => { if (this.x > 1) throw new Error('deep'); };
}
export function deeper(x: number): void { new Deep(x).check(); }`,
};

let cwd; // the folder of the sources, with both packages installed; null where npm cannot

before(() => {
  cwd = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'compass-test-')));
  for (const [name, text] of Object.entries(FILES)) fs.writeFileSync(path.join(cwd, name), text);
  try {
    const args = ['install', '--no-audit', '--no-fund', '--no-progress', 'esbuild@0.25', 'tsx@4'];
    execFileSync('npm', args, { cwd, stdio: 'ignore', timeout: 120000 });
  } catch {
    fs.rmSync(cwd, { recursive: true });
    cwd = null;
  }
});

after(() => cwd !== null && fs.rmSync(cwd, { recursive: true }));

function compiled(name, body) {
  test(name, (t) => (cwd === null ? t.skip('npm cannot install esbuild and tsx') : body(t)));
}

function bundle(...args) {
  execFileSync(path.join(cwd, 'node_modules/.bin/esbuild'), ['--bundle', '--platform=node', ...args], { cwd, stdio: 'ignore' });
}

async function check(t, args, node = []) {
  for (const by of ['import', 'require']) {
    const { code, stdout, stderr, traces } = await run(t, cwd, args, { by, node });
    assert.deepEqual([code, stdout, stderr], [0, '3\n', ''], `${args} by ${by}`);
    for (const name of ['main', 'Cart.total', 'price']) assert.equal(traces[0].functions[name]?.calls, 1, `${name} by ${by}`);
  }
}

compiled('a bundle of esbuild, CommonJS or a module', async (t) => {
  for (const [format, out] of [['cjs', 'out.cjs'], ['esm', 'out.mjs']]) {
    bundle('app.ts', `--format=${format}`, `--outfile=${out}`);
    await check(t, [out]);
  }
});

// The places of the application in the stacks that a script prints, with columns.
async function places(t, args, node) {
  const env = { COMPASS_NODE_CACHE: path.join(cwd, 'cache') };
  const runs = [await plain(cwd, [...node, ...args])];
  for (const watch of [null, 'canary,batch', 'canary,batch']) runs.push(await run(t, cwd, args, { by: 'require', node, watch, env }));
  return runs.map(({ code, stdout, stderr }) => {
    assert.deepEqual([code, stderr], [0, '']);
    return stdout.match(/\w+\.ts:\d+:\d+/g);
  });
}

compiled('stack traces of a minified bundle are those of its source map, inside or beside it', async (t) => {
  for (const map of ['inline', 'linked']) {
    bundle('fails.ts', '--minify', `--sourcemap=${map}`, '--outdir=out');
    const [expected, ...found] = await places(t, ['out/fails.js'], ['--enable-source-maps']);
    assert.ok(expected.includes('deeper.ts:3:41'), String(expected));
    for (const one of found) assert.deepEqual(one, expected, map);
  }
});

compiled('TypeScript through tsx', async (t) => {
  await check(t, ['app.ts'], ['--import', 'tsx']);
  const [expected, ...found] = await places(t, ['fails.ts'], ['--import', 'tsx']);
  for (const one of found) assert.deepEqual(one, expected);
});
