// SPDX-License-Identifier: Apache-2.0
// Lighthouse, the sample application for Node.js. PORT is where it listens, BASE_PATH what its paths
// begin with, and PHP_SITE a site behind the same tracer, which one page asks.
import { createApp } from './lib/app.mjs';

const port = Number(process.env.PORT ?? 3000);
const { BASE_PATH = '', PHP_SITE = 'http://127.0.0.1:8080' } = process.env;
const server = createApp(BASE_PATH, PHP_SITE).listen(port, () => {
  console.log(`listening on port ${server.address().port}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
