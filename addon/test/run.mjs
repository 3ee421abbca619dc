// SPDX-License-Identifier: Apache-2.0
// Running an application under the addon and a tracer that is played (watch.cjs).
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { readBlocks } from './blocks.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const indexMjs = path.join(here, '../js/index.mjs');
export const indexCjs = path.join(here, '../js/index.cjs');
const DEADLINE_MS = 60000;

// A folder with these files in it, removed after the test.
export function folder(t, files = {}) {
  const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'compass-test-')));
  t.after(() => fs.rmSync(place, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(place, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  return place;
}

function read(place, name) {
  const file = path.join(place, name);
  return fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
}

const node = () => process.env.COMPASS_TEST_NODE || process.execPath;

// Runs node to its end; env is added to this process's.
async function execute(cwd, args, env) {
  const child = spawn(node(), args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', NODE_TEST_CONTEXT: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [code, signal] = await new Promise((resolve) => child.on('close', (...how) => resolve(how)));
  return { code, signal, stdout, stderr };
}

export const plain = (cwd, args, env = {}) => execute(cwd, args, env);

// Runs a script in `cwd` under the addon. by: 'import' or 'require'. watch: the probes that somebody
// seems to be attached to; null leaves that to the outside. Resolves to how it ended and what was traced.
export async function run(t, cwd, args, { by = 'import', watch = 'canary,batch', env = {}, node: options = [] } = {}) {
  const out = folder(t);
  const index = by === 'import' ? ['--import', indexMjs] : ['--require', indexCjs];
  const preload = watch === null ? [] : ['--require', path.join(here, 'watch.cjs')];
  const result = await execute(cwd, [...options, ...preload, ...index, ...args], {
    COMPASS_TEST_OUT: out,
    COMPASS_TEST_WATCH: watch ?? '',
    COMPASS_NODE_CACHE: path.join(out, 'cache'),
    COMPASS_FUNCTION_THRESHOLD: '0',
    ...env,
  });
  const classic = read(out, 'classic').toString().split('\n').filter(Boolean);
  return { ...result, traces: readBlocks(read(out, 'blocks')), classic: classic.map((line) => JSON.parse(line)) };
}
