// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { folder, run } from './run.mjs';

const { Tally } = createRequire(import.meta.url)('../js/tally.cjs');
const PLACES = 8192; // of one request
const KEPT = 1024;

function usePlaces(tally, prefix, count) {
  for (let n = 0; n < count; n++) tally.use(tally.placeOf(`${prefix}${n}`));
}

test('a tally holds no more than a request may call and what was kept of those before', () => {
  const tally = new Tally();
  usePlaces(tally, 'old', KEPT);
  tally.reset();
  usePlaces(tally, 'new', PLACES);
  assert.ok(tally.full());
  for (let n = 0; n < 20000; n++) assert.equal(tally.placeOf(`more${n}`), -1);
  assert.equal(tally.count, KEPT + PLACES);
  assert.equal(tally.placeOf('old7'), 7, 'a place that is known, and that the request has no room for');
  tally.reset();
  assert.equal(tally.count, 0, 'too much to keep');
});

test('every pair of places is one of its own, up to the last place that there is', () => {
  const tally = new Tally();
  usePlaces(tally, 'old', KEPT);
  tally.reset();
  usePlaces(tally, 'new', PLACES);
  const edges = [0, 1, 2, KEPT, PLACES - 1, PLACES, PLACES + 1, KEPT + PLACES - 2, KEPT + PLACES - 1];
  const pairs = edges.flatMap((callee) => edges.map((caller) => tally.pair(callee, caller)));
  assert.equal(new Set(pairs).size, edges.length ** 2);
  assert.deepEqual(edges.flatMap((callee) => edges.map((caller) => tally.pair(callee, caller))), pairs);
});

test('pairs are bounded too', () => {
  const tally = new Tally();
  usePlaces(tally, 'f', 300);
  let refused = 0;
  for (let callee = 0; callee < 300; callee++) {
    for (let caller = 0; caller < 300; caller++) {
      const pair = tally.pair(callee, caller);
      if (pair < 0) refused++;
      else tally.callPair(pair);
    }
  }
  assert.equal(refused, 300 * 300 - 32768);
});

test('a script with more functions and more names of spans than there is room for counts what it drops', async (t) => {
  const functions = Array.from({ length: 8000 }, (_, n) => `function f${n}() {}\nf${n}();`).join('\n');
  const script = `
    const channel = require('node:diagnostics_channel');
    const create = channel.channel('undici:request:create');
    const trailers = channel.channel('undici:request:trailers');
    ${functions}
    function ask(n) {
      const request = { method: 'GET', origin: 'http://host' + n };
      create.publish({ request });
      trailers.publish({ request, response: { statusCode: 200 } });
    }
    for (let n = 0; n < 20000; n++) ask(n);
    for (let n = 0; n < 3; n++) ask(0);`;
  const { stderr, traces } = await run(t, folder(t, { 'script.js': script }), ['script.js']);
  assert.equal(stderr, '');
  const [{ functions: told, functionsDropped, calls, callersDropped }] = traces;
  const names = Object.keys(told);
  assert.equal(names.length, PLACES);
  assert.equal(told.ask.calls, 20003);
  const spans = names.filter((name) => name.startsWith('fetch ')).length;
  assert.equal(spans, PLACES - 8001, 'all but those of the functions');
  assert.equal(functionsDropped, 20000 - spans);
  assert.equal(told['fetch GET host0 200'].calls, 4);
  assert.equal(told['fetch GET host0 200'].callers.ask.calls, 4);
  assert.equal(calls.length, 8000 + 20003 + spans + 3);
  assert.equal(callersDropped ?? 0, 0);
});
