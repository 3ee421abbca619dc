// SPDX-License-Identifier: Apache-2.0
// From the source of a module to what is loaded: whether it is transformed, how, and from the cache
// where it was before.
'use strict';

const { readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { Cache } = require('./cache.cjs');
const maps = require('./maps.cjs');

// The transform's own modules, and what they need where that is not the application's.
const OWN = [__dirname + path.sep, path.join(__dirname, '../node_modules') + path.sep];
// The folder that has the outermost node_modules, and the package in the innermost one, which is the
// same but for where pnpm keeps packages.
const PACKAGE = /^(.*?)\/node_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\/(.*)$/;

let transformer;
let loading = false;

// The parser must not be asked to transform itself.
function loadTransformer() {
  loading = true;
  try {
    transformer = require('./transform.cjs');
    transformer.load();
    maps.load();
  } finally {
    loading = false;
  }
}

// Whether a file that is being loaded is one of the transform's.
function isOwn(file) {
  return loading || OWN.some((folder) => file.startsWith(folder));
}

// The packages that the package.json in a folder names; null where there is none, or where it
// speaks for several applications.
function askedFor(folder) {
  let manifest;
  try {
    manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  } catch {
    return null;
  }
  if (manifest === null || typeof manifest !== 'object' || manifest.workspaces) return null;
  const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'];
  return new Set(kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {})));
}

// Without the warning that the function is an experiment, which is not the application's.
function quietly(callback) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return callback();
  } finally {
    process.emitWarning = emitWarning;
  }
}

// As what a source may be read, in the order of trying. What looks like CommonJS to the loader may
// be a module: newer versions find out by trying. TypeScript may come with its types, which are
// blanked, or without.
function readings(source, file, module) {
  const plain = () => source;
  const list = module ? [[plain, true]] : [[plain, false], [plain, true]];
  if (!/\.[cm]?ts$/.test(file) || typeof Module.stripTypeScriptTypes !== 'function') return list;
  const stripped = () => quietly(() => Module.stripTypeScriptTypes(source));
  return [...list, ...list.map(([, kind]) => [stripped, kind])];
}

// counts: what was done, for whoever wonders.
function createModules(config, registry, binding) {
  const counts = { transformed: 0, cached: 0, untouched: 0, failed: 0, functionsSkipped: 0 };
  const cache = new Cache(config, binding);
  const asked = new Map(); // by folder: the packages that its package.json asks for; null is all

  // null: not transformed. border: the name of a package of which only the exports are.
  function treatment(file) {
    if (isOwn(file) || config.exclude.some((glob) => glob.test(file))) return null;
    const inside = PACKAGE.exec(file);
    if (inside === null || config.scope === 'all' || config.include.some((glob) => glob.test(file))) {
      return { border: null };
    }
    return config.scope === 'boundary' && isAskedFor(inside) ? { border: inside[2] } : null;
  }

  // Of the packages' packages nothing is shown: the application does not call them.
  function isAskedFor([, folder, name, rest]) {
    if (!asked.has(folder)) asked.set(folder, askedFor(folder));
    const names = asked.get(folder);
    return !rest.includes('node_modules/') && (names === null || names.has(name));
  }

  function displayName(file) {
    const relative = path.relative(config.root, file);
    return relative.startsWith('..') ? file : relative;
  }

  function make(source, file, module, border) {
    if (transformer === undefined) loadTransformer();
    const options = { file: displayName(file), module, border };
    let failure;
    for (const [text, kind] of readings(source, file, module)) {
      try {
        const made = transformer.transform(text(), { ...options, module: kind });
        return made === null ? null : { ...made, code: maps.withMovedMap(made.code) };
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }

  // The source to load; null where it is to be loaded as it is.
  function obtain(given, file, module, border) {
    const source = maps.withOwnMap(given, file);
    const key = cache.key(source, displayName(file), module, border);
    const known = cache.read(key, (count) => registry.allocate(count));
    if (known !== null) {
      counts.cached++;
      registry.store(known.base, known.names);
      return known.names === '[]' ? null : known.code;
    }
    const made = make(source, file, module, border);
    if (made === null) return null;
    counts.transformed++;
    counts.functionsSkipped += made.skipped;
    cache.write(key, made);
    if (made.names.length === 0) return null;
    const base = registry.allocate(made.names.length);
    registry.store(base, made.names);
    return transformer.numbered(made.code, base);
  }

  // The source to load in place of `source`; the same where there is nothing to do or where it
  // cannot be done.
  function rewrite(source, file, module) {
    const how = treatment(file);
    if (how === null || typeof source !== 'string') return source;
    try {
      const code = obtain(source, file, module, how.border);
      if (code !== null) return code;
      counts.untouched++;
      return source;
    } catch {
      counts.failed++;
      return source;
    }
  }

  return { rewrite, treatment, counts };
}

module.exports = { createModules, isOwn };
