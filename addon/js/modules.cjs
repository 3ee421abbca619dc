// SPDX-License-Identifier: Apache-2.0
// From the source of a module to what is loaded: whether it is transformed, how, and from the cache
// where it was before.
'use strict';

const path = require('node:path');
const { Cache } = require('./cache.cjs');

// The transform's own modules, and what they need where that is not the application's.
const OWN = [__dirname + path.sep, path.join(__dirname, '../node_modules') + path.sep];
const PACKAGE = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

let transformer;
let loading = false;

// The parser must not be asked to transform itself.
function loadTransformer() {
  loading = true;
  try {
    transformer = require('./transform.cjs');
    transformer.load();
  } finally {
    loading = false;
  }
}

// counts: what was done, for whoever wonders.
function createModules(config, registry) {
  const counts = { transformed: 0, cached: 0, untouched: 0, failed: 0, functionsSkipped: 0 };
  const cache = new Cache(config);

  // null: not transformed. border: the name of a package of which only the exports are.
  function treatment(file) {
    if (loading || OWN.some((folder) => file.startsWith(folder)) || config.exclude.some((glob) => glob.test(file))) return null;
    const inside = PACKAGE.exec(file);
    if (inside === null || config.scope === 'all' || config.include.some((glob) => glob.test(file))) {
      return { border: null };
    }
    return config.scope === 'boundary' ? { border: inside[1] } : null;
  }

  function displayName(file) {
    const relative = path.relative(config.root, file);
    return relative.startsWith('..') ? file : relative;
  }

  function make(source, file, module, border) {
    if (transformer === undefined) loadTransformer();
    const options = { file: displayName(file), module, border };
    try {
      return transformer.transform(source, options);
    } catch (error) {
      // What looks like CommonJS to the loader may be a module: newer versions find out by trying.
      if (module || !(error instanceof SyntaxError)) throw error;
      return transformer.transform(source, { ...options, module: true });
    }
  }

  function obtain(source, file, module, border) {
    const key = cache.key(source, displayName(file), module, border);
    const known = cache.read(key);
    if (known !== null) {
      counts.cached++;
      return known;
    }
    const made = make(source, file, module, border);
    if (made === null) return null;
    counts.transformed++;
    counts.functionsSkipped += made.skipped;
    cache.write(key, made);
    return made;
  }

  // The source to load in place of `source`; the same where there is nothing to do or where it
  // cannot be done.
  function rewrite(source, file, module) {
    const how = treatment(file);
    if (how === null || typeof source !== 'string') return source;
    try {
      const made = obtain(source, file, module, how.border);
      if (made === null || made.names.length === 0) {
        counts.untouched++;
        return source;
      }
      return made.code.replaceAll('__cps_B', String(registry.allocate(made.names)));
    } catch {
      counts.failed++;
      return source;
    }
  }

  return { rewrite, treatment, counts };
}

module.exports = { createModules };
