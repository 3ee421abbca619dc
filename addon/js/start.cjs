// SPDX-License-Identifier: Apache-2.0
// The entry of both index files: sets everything up, once a thread. Whatever is wrong, the
// application runs; that it is not traced is said in one warning.
'use strict';

const { loadBinding } = require('./binding.cjs');
const { readConfig } = require('./config.cjs');

const STARTED = Symbol.for('compass.started');

function command() {
  return process.argv.join(' ');
}

// The thread that runs the loader's hooks preloads what the others do, and runs no application.
function isLoaderThread() {
  const { isMainThread, parentPort } = require('node:worker_threads');
  return !isMainThread && parentPort === null;
}

function start() {
  if (globalThis[STARTED]) return;
  const config = readConfig();
  if (!config.enabled) return;
  // The binary knows the main thread, which is thus spared the module that knows the others.
  const binding = loadBinding();
  if (!binding.mainThread && isLoaderThread()) return;
  const { Registry } = require('./registry.cjs');
  const { Recorder } = require('./recorder.cjs');
  const { createModules } = require('./modules.cjs');
  const registry = new Registry();
  const { defineCount, defineFunctions } = require('./globals.cjs');
  const recorder = new Recorder(binding, config, registry, defineCount());
  const modules = createModules(config, registry, binding);
  Object.defineProperty(globalThis, STARTED, { value: { modules: modules.counts, recorder } });
  defineFunctions(recorder.calls.entries());
  require('./tostring.cjs').patchToString();
  require('./loader.cjs').installLoader(modules, config, registry, binding.mainThread);
  const endScript = require('./process.cjs').observeProcess(recorder, command(), binding.mainThread);
  require('./requests.cjs').observeRequests(recorder, endScript);
  require('./http2.cjs').observeHttp2(recorder, endScript);
  require('./clients.cjs').observeClients(recorder);
}

try {
  start();
} catch (error) {
  const reason = String(error?.message ?? error).split('\n')[0];
  if (!isLoaderThread()) process.emitWarning(`this process is not traced: ${reason}`, { type: 'CompassWarning', code: error?.code });
}
