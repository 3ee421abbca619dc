// SPDX-License-Identifier: Apache-2.0
// Runs tests of test262, each in every mode, and compares: main.mjs FOLDER [NAME...]. FOLDER is the copy
// of it that SpiderMonkey's source has, NAME a folder or file in it. Writes TAP, a test for each folder. With TEST262_EVERY=n
// only each nth of the tests is run.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';

import { indexCjs } from '../run.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const BATCH = 400;
const SILENCE_MS = 180000;
const node = process.env.COMPASS_TEST_NODE || process.execPath;

const root = fs.realpathSync(process.argv[2]);
const names = process.argv.length > 3 ? process.argv.slice(3) : ['language', 'annexB/language', 'built-ins/Function'];
const out = fs.mkdtempSync(path.join(os.tmpdir(), 'compass-test262-'));
const totals = { tests: 0, passed: 0, transformed: 0, skipped: 0 };
const results = new Map(); // by folder: the tests that differ

function* testsBelow(place) {
  if (fs.statSync(place).isFile()) yield place;
  else {
    for (const name of fs.readdirSync(place).sort()) {
      if (/^(?:shell|browser)\.js$|_FIXTURE|\.json$/.test(name)) continue;
      yield* testsBelow(path.join(place, name));
    }
  }
}

function folderOf(file) {
  return path.relative(root, file).split(path.sep).slice(0, -1).slice(0, 4).join('/');
}

function take(line) {
  const name = path.relative(root, line.end);
  const folder = folderOf(line.end);
  if (!results.has(folder)) results.set(folder, { tests: 0, differ: 0 });
  const result = results.get(folder);
  totals.tests++;
  result.tests++;
  totals.passed += line.plain === 'passed';
  totals.transformed += line.transformed > 0;
  totals.skipped += line.skipped;
  if (line.differs.length === 0) return;
  result.differ++;
  const how = line.differs.map(([mode, outcome]) => `${mode}: ${outcome}`);
  console.log(`# ${name}${line.strict ? ' (strict)' : ''}: ${line.plain}; ${how.join('; ')}`);
}

function startBatch() {
  const options = ['--experimental-vm-modules', '--no-warnings', '--stack-size=900'];
  const preloads = ['--require', path.join(here, '../watch.cjs'), '--require', indexCjs];
  return spawn(node, [...options, ...preloads, path.join(here, 'batch.cjs'), root], {
    env: {
      ...process.env,
      COMPASS_NODE_CACHE: '0',
      COMPASS_NODE_EXCLUDE: '**',
      COMPASS_TEST_OUT: fs.mkdtempSync(path.join(out, 'o-')),
      COMPASS_TEST_WATCH: 'canary,batch',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

// Runs a batch; answers the tests that are left where one of them ended or stopped the process.
async function runBatch(files) {
  const child = startBatch();
  child.stdin.end(files.join('\n'));
  const alarm = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
  let current = files[0];
  let done = false;
  for await (const text of readline.createInterface({ input: child.stdout })) {
    alarm.refresh();
    const line = JSON.parse(text);
    if (line.begin) current = line.begin;
    else if (line.end) take(line);
    else done = true;
  }
  clearTimeout(alarm);
  if (done) return [];
  take({ end: current, plain: 'begun', transformed: 0, skipped: 0, differs: [['all', 'the process ended or stopped']] });
  return files.slice(files.indexOf(current) + 1);
}

async function worker(batches) {
  for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
    const left = await runBatch(batch);
    if (left.length > 0) batches.push(left);
  }
}

const every = Number(process.env.TEST262_EVERY ?? 1);
const files = names.flatMap((name) => [...testsBelow(path.join(root, name))]).filter((_, i) => i % every === 0);
const batches = [];
for (let i = 0; i < files.length; i += BATCH) batches.push(files.slice(i, i + BATCH));
await Promise.all(Array.from({ length: Number(process.env.TEST262_JOBS ?? 2) }, () => worker(batches)));
fs.rmSync(out, { recursive: true });

let number = 0;
let failed = 0;
for (const [folder, { tests, differ }] of [...results].sort()) {
  failed += differ > 0;
  console.log(`${differ > 0 ? 'not ok' : 'ok'} ${++number} - ${folder}: ${tests} runs`);
}
console.log(`1..${number}`);
console.log(`# ${JSON.stringify(totals)}`);
process.exitCode = failed > 0 ? 1 : 0;
