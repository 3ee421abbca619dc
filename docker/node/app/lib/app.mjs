// SPDX-License-Identifier: Apache-2.0
import express from 'express';

import { BoardController } from './board.mjs';
import { Bookshop } from './bookshop.mjs';
import { stowage } from './stowage.mjs';
import { Store } from './store.mjs';
import { outlook } from './weather.mjs';

function timing(request, response, next) {
  response.set('Cache-Control', 'no-store');
  next();
}

export function createApp(harbour) {
  const app = express();
  const store = new Store();
  const board = new BoardController(store);
  const bookshop = new Bookshop(harbour);

  app.set('view engine', 'ejs');
  app.set('views', new URL('../views', import.meta.url).pathname);
  app.use(timing);
  app.get('/', (request, response) => board.show(request, response));
  app.get('/ship/:id', (request, response) => board.ship(request, response));
  // One question for the ships, and then one for each of them: the mistake that a trace shows best.
  app.get('/crews', (request, response) => board.crews(request, response));
  // Waits: three forecasts, one after the other.
  app.get('/slow', async (request, response) => response.json(await outlook(['Dogger', 'Fisher', 'Viking'])));
  // Computes.
  app.get('/stowage', (request, response) => response.json(stowage(Number(request.query.tons) || 400)));
  // Asks the sample application for PHP.
  app.get('/bookshop', async (request, response) => response.json(await bookshop.offer(request.get('x-request-id'))));
  app.get('/health', (request, response) => response.send('ok'));
  return app;
}
