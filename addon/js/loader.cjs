// SPDX-License-Identifier: Apache-2.0
// Getting between the loader and the modules.
//
// CommonJS passes through Module.prototype._compile on every version, and after whatever compiles
// other languages to JavaScript (tsx and the like). ES modules pass through the hooks of
// module.registerHooks, on this thread, or before that existed through module.register's, which
// run on a thread of their own. That one costs more than all the rest of a start, and the former
// something for every file of CommonJS, so they wait until an ES module may come: from the start, or
// as soon as a file is loaded that could import one.
'use strict';

const Module = require('node:module');
const path = require('node:path');
const { builtin } = require('./builtin.cjs');
const { mayImport, startsWithModules } = require('./entry.cjs');
const { isOwn } = require('./modules.cjs');

const MODULE_FORMATS = new Set(['module', 'module-typescript']);

// expect(content, filename, isModule): told of every file before it is compiled.
function patchCommonJS(modules, expect) {
  const compile = Module.prototype._compile;
  Module.prototype._compile = function _compile(content, filename, ...rest) {
    expect(content, filename, rest[0] === 'module');
    return Reflect.apply(compile, this, [modules.rewrite(content, filename, rest[0] === 'module'), filename, ...rest]);
  };
  Object.defineProperty(Module.prototype._compile, 'length', { value: compile.length });
}

function textOf(source) {
  if (typeof source === 'string') return source;
  return source ? Buffer.from(source.buffer ?? source, source.byteOffset, source.byteLength).toString('utf8') : null;
}

// What a load hook answers, with its source rewritten where it is an ES module's of a file.
function rewriteLoaded(modules, url, loaded) {
  if (!MODULE_FORMATS.has(loaded.format) || !url.startsWith('file:')) return loaded;
  const file = builtin('node:url').fileURLToPath(url.replace(/[?#].*$/, ''));
  if (modules.treatment(file) === null) return loaded;
  const source = textOf(loaded.source);
  return source === null ? loaded : { ...loaded, source: modules.rewrite(source, file, true) };
}

function registerAsynchronous(config, registry) {
  const { MessageChannel } = builtin('node:worker_threads');
  const { port1, port2 } = new MessageChannel();
  registry.port = port1;
  port1.unref();
  Module.register(builtin('node:url').pathToFileURL(path.join(__dirname, 'hooks.mjs')), {
    data: { config, counter: registry.counter, port: port2 },
    transferList: [port2],
  });
}

// Registers the hooks once, when the first ES module may come. What the main file of
// a worker is, is not known yet where this runs.
function registerInTime(register, isMainThread) {
  let registered = false;
  const once = () => {
    if (registered) return;
    registered = true;
    register();
  };
  if (!isMainThread || startsWithModules()) once();
  return (content, filename, isModule) => {
    if (!registered && !isOwn(filename) && (isModule || mayImport(content))) once();
  };
}

function registerSynchronous(modules) {
  Module.registerHooks({ load: (url, context, next) => rewriteLoaded(modules, url, next(url, context)) });
}

function installLoader(modules, config, registry, isMainThread) {
  let expect = () => {};
  if (typeof Module.registerHooks === 'function') {
    expect = registerInTime(() => registerSynchronous(modules), isMainThread);
  } else if (typeof Module.register === 'function') {
    expect = registerInTime(() => registerAsynchronous(config, registry), isMainThread);
  }
  patchCommonJS(modules, expect);
}

module.exports = { installLoader, rewriteLoaded };
