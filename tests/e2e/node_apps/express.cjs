// SPDX-License-Identifier: Apache-2.0
'use strict';
const { Cart } = require('./shop.cjs');
const app = require(process.argv[2] ?? 'express')();

app.use(function checkVisitor(request, response, next) {
  next();
});
app.get('/cart', async (request, response) => {
  response.json({ total: await new Cart(['a', 'bb', 'ccc']).total() });
});
app.get('/fail', function failing() {
  throw new Error('it fails');
});
app.use(function onError(error, request, response, next) {
  response.status(503).send('failed');
});
const server = app.listen(0, () => console.log(server.address().port));
