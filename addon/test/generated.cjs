// SPDX-License-Identifier: Apache-2.0
// Runs programs that are made up, each in every mode, and says which of them log something else than
// they do untransformed: generated.cjs FIRST COUNT. Runs under the addon and a tracer (watch.cjs).
'use strict';

const { makeProgram } = require('./programs.cjs');
const { MODES, Realm } = require('./realm.cjs');

const DEADLINE_MS = 10000;

process.on('unhandledRejection', () => {});

function outcomeIn(mode, source, counts) {
  return new Promise((resolve) => {
    const realm = new Realm(mode, [], counts);
    const alarm = setTimeout(resolve, DEADLINE_MS, 'no end');
    realm.global.done = (log) => {
      clearTimeout(alarm);
      resolve(log);
    };
    realm.run({ source, file: 'program.js' }).catch((error) => realm.global.done(`${error.name}: ${error.message}`));
  });
}

async function main(first, count) {
  const counts = { transformed: 0, skipped: 0 };
  let length = 0;
  let differ = 0;
  for (let seed = first; seed < first + count; seed++) {
    const source = makeProgram(seed);
    const expected = await outcomeIn('plain', source, counts);
    length += expected.length;
    for (const mode of MODES.slice(1)) {
      const found = await outcomeIn(mode, source, counts);
      if (found === expected) continue;
      differ++;
      console.log(`seed ${seed}, ${mode}:\n  ${expected}\n  ${found}`);
    }
  }
  console.log(JSON.stringify({ programs: count, modes: MODES.length, differ, transformed: counts.transformed, logged: length > 100 * count }));
}

main(Number(process.argv[2]), Number(process.argv[3])).then(() => process.exit(0));
