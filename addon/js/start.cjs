// SPDX-License-Identifier: Apache-2.0
// The entry of both index files: sets everything up, once a thread. Whatever is wrong, the
// application runs; that it is not traced is said in one warning.
'use strict';

const path = require('node:path');
const { isMainThread, parentPort } = require('node:worker_threads');
const { readConfig } = require('./config.cjs');

const STARTED = Symbol.for('compass.started');
const PLACES = ['../build/Release/compass.node', '../compass.node'];

function loadBinding() {
  let failure;
  for (const place of PLACES) {
    const file = path.join(__dirname, place);
    try {
      const binding = require(file);
      if (typeof binding.clock === 'function') return binding;
      failure = new Error(`${file} could not be set up`);
    } catch (error) {
      if (failure === undefined || error.code !== 'MODULE_NOT_FOUND') failure = error;
    }
  }
  throw failure;
}

function command() {
  return process.argv.join(' ');
}

// The thread that runs the loader's hooks preloads what the others do, and runs no application.
function isLoaderThread() {
  return !isMainThread && parentPort === null;
}

function start() {
  if (globalThis[STARTED] || isLoaderThread()) return;
  const config = readConfig();
  if (!config.enabled) return;
  const { Registry } = require('./registry.cjs');
  const { createRecorder } = require('./recorder.cjs');
  const { createModules } = require('./modules.cjs');
  const registry = new Registry();
  const { defineCount, defineFunctions } = require('./globals.cjs');
  const recorder = createRecorder(loadBinding(), config, registry, defineCount());
  const modules = createModules(config, registry);
  Object.defineProperty(globalThis, STARTED, { value: { modules: modules.counts, recorder } });
  defineFunctions(recorder);
  require('./tostring.cjs').patchToString();
  require('./loader.cjs').installLoader(modules, config, registry);
  const endScript = require('./process.cjs').observeProcess(recorder, command());
  require('./requests.cjs').observeRequests(recorder, endScript);
  require('./http2.cjs').observeHttp2(recorder, endScript);
  require('./clients.cjs').observeClients(recorder);
}

try {
  start();
} catch (error) {
  const reason = String(error?.message ?? error).split('\n')[0];
  process.emitWarning(`this process is not traced: ${reason}`, { type: 'CompassWarning', code: error?.code });
}
