// SPDX-License-Identifier: Apache-2.0
// Runs the tests whose paths come on standard input, in every mode, and writes a line of JSON before and
// after each. Runs under the addon with a tracer that is played (watch.cjs).
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { MODES, Realm } = require('../realm.cjs');

const TURNS = 300; // of the event loop, for what is asynchronous
const root = process.argv[2];
const shells = new Map();

process.on('unhandledRejection', () => {});

function say(line) {
  fs.writeSync(1, `${JSON.stringify(line)}\n`);
}

function read(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}

// The harness: a file in the test's folder and in each above it.
function harnessOf(file) {
  const texts = [];
  for (let folder = path.dirname(file); folder.startsWith(root); folder = path.dirname(folder)) {
    const shell = path.join(folder, 'shell.js');
    if (!shells.has(shell)) shells.set(shell, read(shell));
    if (shells.get(shell) !== '') texts.unshift(shells.get(shell));
  }
  return texts;
}

function describe(file) {
  const source = fs.readFileSync(file, 'utf8');
  const flags = /^flags: \[(.*)\]/m.exec(source)?.[1].split(/,\s*/) ?? [];
  return {
    file,
    source,
    module: flags.includes('module'),
    raw: flags.includes('raw'),
    async: flags.includes('async'),
    both: !['module', 'raw', 'onlyStrict', 'noStrict'].some((flag) => flags.includes(flag)),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function outcomeOf(error) {
  if (error === undefined || error === null) return 'passed';
  try {
    return `${error.name ?? error.constructor?.name}: ${String(error.message ?? error)}`;
  } catch {
    return 'what cannot be shown';
  }
}

async function runIn(mode, test, counts) {
  const realm = new Realm(mode, test.raw ? [] : harnessOf(test.file), counts);
  try {
    await realm.run(test);
  } catch (error) {
    return outcomeOf(error ?? 'nothing');
  }
  for (let i = 0; test.async && realm.outcome === null && i < TURNS; i++) await turn();
  await turn();
  if (!test.async) return 'passed';
  return realm.outcome === null ? 'never done' : outcomeOf(realm.outcome[0]);
}

async function compare(test, strict) {
  const counts = { transformed: 0, skipped: 0 };
  const result = {};
  for (const mode of MODES) result[mode] = await runIn(mode, test, counts);
  const differs = MODES.filter((mode) => result[mode] !== result.plain);
  say({ end: test.file, strict, ...counts, plain: result.plain, differs: differs.map((mode) => [mode, result[mode]]) });
}

async function main() {
  for (const file of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    const test = describe(file);
    say({ begin: file });
    await compare(test, false);
    if (test.both) await compare({ ...test, source: `'use strict';${test.source}` }, true);
  }
  say({ done: true });
  process.exit(0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
