// SPDX-License-Identifier: Apache-2.0
// TypeScript that others compile: a bundle of esbuild, and tsx, both from npm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

import { folder, run } from './run.mjs';

const FILES = {
  'package.json': '{}',
  'lib.ts': 'export function price(item: { price: number }): number { return item.price; }\nexport class Cart { total(): number { return price({ price: 3 }); } }',
  'app.ts': "import { Cart } from './lib';\nfunction main(): void { console.log(new Cart().total()); }\nmain();",
};

// The folder of the sources with a package installed; null where npm cannot.
function withPackage(t, name) {
  const cwd = folder(t, FILES);
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', name], { cwd, stdio: 'ignore', timeout: 60000 });
    return cwd;
  } catch {
    t.skip(`npm cannot install ${name}`);
    return null;
  }
}

async function check(t, cwd, args, node = []) {
  for (const by of ['import', 'require']) {
    const { code, stdout, stderr, traces } = await run(t, cwd, args, { by, node });
    assert.deepEqual([code, stdout, stderr], [0, '3\n', ''], `${args} by ${by}`);
    for (const name of ['main', 'Cart.total', 'price']) assert.equal(traces[0].functions[name]?.calls, 1, `${name} by ${by}`);
  }
}

test('a bundle of esbuild, CommonJS or a module', async (t) => {
  const cwd = withPackage(t, 'esbuild@0.25');
  if (cwd === null) return;
  for (const [format, out] of [['cjs', 'out.cjs'], ['esm', 'out.mjs']]) {
    const args = ['app.ts', '--bundle', '--platform=node', `--format=${format}`, `--outfile=${out}`];
    execFileSync(path.join(cwd, 'node_modules/.bin/esbuild'), args, { cwd, stdio: 'ignore' });
    await check(t, cwd, [out]);
  }
});

test('TypeScript through tsx', async (t) => {
  const cwd = withPackage(t, 'tsx@4');
  if (cwd !== null) await check(t, cwd, ['app.ts'], ['--import', 'tsx']);
});
