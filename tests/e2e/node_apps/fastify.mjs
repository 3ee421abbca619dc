// SPDX-License-Identifier: Apache-2.0
import Fastify from 'fastify';
import shop from './shop.cjs';

const app = Fastify();
app.addHook('onRequest', async function checkVisitor() {});
app.get('/cart', async () => ({ total: await new shop.Cart(['a', 'bb', 'ccc']).total() }));
app.get('/fail', async function failing() {
  throw new Error('it fails');
});
app.setErrorHandler(function onError(error, request, reply) {
  reply.status(503).send('failed');
});
await app.listen({ port: 0 });
console.log(app.server.address().port);
