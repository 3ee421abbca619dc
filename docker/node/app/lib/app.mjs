// SPDX-License-Identifier: Apache-2.0
import express from 'express';

import { BoardController } from './board.mjs';
import { Site } from './site.mjs';
import { stowage } from './stowage.mjs';
import { Store } from './store.mjs';
import { outlook } from './weather.mjs';

function timing(request, response, next) {
  response.set('Cache-Control', 'no-store');
  next();
}

function routes(board, site) {
  const router = express.Router();
  router.get('/', (request, response) => board.show(request, response));
  router.get('/ship/:id', (request, response) => board.ship(request, response));
  // One question for the ships, and then one for each of them: the mistake that a trace shows best.
  router.get('/crews', (request, response) => board.crews(request, response));
  // Waits: three forecasts, one after the other.
  router.get('/slow', async (request, response) => response.json(await outlook(['Dogger', 'Fisher', 'Viking'])));
  // Computes.
  router.get('/stowage', (request, response) => response.json(stowage(Number(request.query.tons) || 400)));
  // Asks the PHP site.
  router.get('/site', async (request, response) => response.json(await site.front(request.get('x-request-id'))));
  router.get('/health', (request, response) => response.send('ok'));
  return router;
}

export function createApp(base, phpSite) {
  const app = express();
  app.set('view engine', 'ejs');
  app.set('views', new URL('../views', import.meta.url).pathname);
  app.locals.base = base;
  app.use(timing);
  app.use(base || '/', routes(new BoardController(new Store()), new Site(phpSite)));
  return app;
}
