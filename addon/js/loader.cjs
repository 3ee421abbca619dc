// SPDX-License-Identifier: Apache-2.0
// Getting between the loader and the modules.
//
// CommonJS passes through Module.prototype._compile on every version, and after whatever compiles
// other languages to JavaScript (tsx and the like). ES modules pass through the hooks of
// module.registerHooks, on this thread, or before that existed through module.register's, which
// run on a thread of their own.
'use strict';

const Module = require('node:module');
const path = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { MessageChannel } = require('node:worker_threads');

const MODULE_FORMATS = new Set(['module', 'module-typescript']);

function patchCommonJS(modules) {
  const compile = Module.prototype._compile;
  Module.prototype._compile = function _compile(content, filename, ...rest) {
    return Reflect.apply(compile, this, [modules.rewrite(content, filename, rest[0] === 'module'), filename, ...rest]);
  };
}

function textOf(source) {
  if (typeof source === 'string') return source;
  return source ? Buffer.from(source.buffer ?? source, source.byteOffset, source.byteLength).toString('utf8') : null;
}

// What a load hook answers, with its source rewritten where it is an ES module's of a file.
function rewriteLoaded(modules, url, loaded) {
  if (!MODULE_FORMATS.has(loaded.format) || !url.startsWith('file:')) return loaded;
  const file = fileURLToPath(url.replace(/[?#].*$/, ''));
  if (modules.treatment(file) === null) return loaded;
  const source = textOf(loaded.source);
  return source === null ? loaded : { ...loaded, source: modules.rewrite(source, file, true) };
}

function registerAsynchronous(config, registry) {
  const { port1, port2 } = new MessageChannel();
  registry.port = port1;
  port1.unref();
  Module.register(pathToFileURL(path.join(__dirname, 'hooks.mjs')), {
    data: { config, counter: registry.counter, port: port2 },
    transferList: [port2],
  });
}

function installLoader(modules, config, registry) {
  patchCommonJS(modules);
  if (typeof Module.registerHooks === 'function') {
    Module.registerHooks({ load: (url, context, next) => rewriteLoaded(modules, url, next(url, context)) });
  } else if (typeof Module.register === 'function') {
    registerAsynchronous(config, registry);
  }
}

module.exports = { installLoader, rewriteLoaded };
