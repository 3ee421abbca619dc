// SPDX-License-Identifier: Apache-2.0
// Lighthouse, the sample application for Node.js. PORT is where it listens; HARBOUR_URL is where
// the sample application for PHP answers, which one page asks.
import { createApp } from './lib/app.mjs';

const port = Number(process.env.PORT ?? 3000);
const server = createApp(process.env.HARBOUR_URL ?? 'http://127.0.0.1:8080').listen(port, () => {
  console.log(`listening on port ${server.address().port}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
