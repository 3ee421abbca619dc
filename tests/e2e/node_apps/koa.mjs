// SPDX-License-Identifier: Apache-2.0
import Koa from 'koa';
import shop from './shop.cjs';

const app = new Koa();
app.silent = true;
app.use(async function onError(context, next) {
  try {
    await next();
  } catch {
    context.status = 503;
  }
});
app.use(async function checkVisitor(context, next) {
  await next();
});
app.use(async function failing(context, next) {
  if (context.path === '/fail') throw new Error('it fails');
  await next();
});
app.use(async function answer(context) {
  context.body = { total: await new shop.Cart(['a', 'bb', 'ccc']).total() };
});
const server = app.listen(0, () => console.log(server.address().port));
