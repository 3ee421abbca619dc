// SPDX-License-Identifier: Apache-2.0
// Each path is a sample: a module that answers.
'use strict';
const http = require('node:http');

const samples = Object.fromEntries(
  ['sync_read', 'serial', 'parse_huge', 'blocked', 'n_plus_one', 'upstream', 'healthy', 'healthy_parallel'].map(
    (name) => [name, require(`./${name}.cjs`)],
  ),
);

const server = http.createServer(async (request, response) => {
  const [, name, sub] = request.url.split('/');
  const answer = await samples[name][sub || 'answer']();
  response.end(JSON.stringify(answer ?? null));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
