// SPDX-License-Identifier: Apache-2.0
'use strict';
// load.cjs PORT FIRST COUNT: that many requests to soak.cjs, some at a time, with their number as id: of twenty, one
// fails and one is left while it is answered. Says how many ended in which way.
const http = require('node:http');

const AT_A_TIME = 50;
const [port, first, count] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: AT_A_TIME });
const ended = { 200: 0, 503: 0, left: 0 };
let next = first;

function ask(path, number) {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, agent, headers: { 'x-request-id': `soak-${number}` } };
    const request = http.get(options, (response) => {
      if (path === '/left') {
        response.on('error', () => {});
        response.destroy();
        return resolve('left');
      }
      return response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject);
  });
}

async function work() {
  while (next < first + count) {
    const number = next++;
    ended[await ask({ 3: '/fail', 7: '/left' }[number % 20] ?? '/rows', number)]++;
  }
}

Promise.all(Array.from({ length: AT_A_TIME }, work)).then(() => console.log(JSON.stringify(ended)));
