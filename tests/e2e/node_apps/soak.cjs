// SPDX-License-Identifier: Apache-2.0
'use strict';
// What a server under load meets: answers, errors, clients that leave. /memory says what it has all left behind.
const app = require('express')();

const turn = () => new Promise(setImmediate);

function* numbers(n) {
  for (let i = 0; i < n; i++) yield i;
}

async function query(n) {
  await turn();
  return [...numbers(n)].map((i) => ({ id: i }));
}

async function never() {
  await new Promise(() => {});
}

app.get('/rows', async (request, response) => {
  const rows = await query(20);
  never();
  numbers(2).next();
  response.json({ rows: (await Promise.all([query(3), query(4)])).length + rows.length });
});
app.get('/fail', async function failing() {
  await query(1);
  throw new Error('it fails');
});
// Never answered in full: the client goes.
app.get('/left', async (request, response) => {
  response.write('x');
  await new Promise((resolve) => response.on('close', resolve));
  await query(2);
});
app.get('/memory', (request, response) => {
  gc();
  gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  response.json({ heap: (heapUsed + external) >> 10, rss: rss >> 10 });
});
app.use(function onError(error, request, response, next) {
  response.status(503).send('failed');
});
const server = app.listen(0, () => console.log(server.address().port));
