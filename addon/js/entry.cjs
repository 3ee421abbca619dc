// SPDX-License-Identifier: Apache-2.0
// Whether an ES module may be loaded: asked where the hooks for ES modules cost a thread, which an
// application of CommonJS alone is spared. A wrong yes costs that thread; a wrong no would leave a
// module untraced, so whatever is not sure is a yes.
'use strict';

const { readFileSync, realpathSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { builtin } = require('./builtin.cjs');

const OWN = __dirname + path.sep;
const INDEX = path.join(__dirname, 'index.mjs');
const PACKAGE_NAME = '@compass/node';
// A call of import() (a comment may be in front of its parenthesis), or a statement of a module.
const IMPORTS = /\bimport\s*[(/<]|(?:^|[;}/])[ \t]*(?:import|export)\b/m;
// Options under which code comes from elsewhere than the main file, or by other ways.
const OTHER_ENTRY = /^(?:-e|-p|-pe|-i|--eval|--print|--interactive|--input-type|--test|--loader|--experimental-loader|--experimental-default-type)(?:=|$)/;

const mayImport = (text) => IMPORTS.test(text);

function options(env, execArgv) {
  return [...(env.NODE_OPTIONS ?? '').split(/\s+/), ...execArgv].filter((word) => word !== '');
}

function isOwn(specifier) {
  if (specifier === PACKAGE_NAME) return true;
  try {
    const file = specifier.startsWith('file:') ? new URL(specifier).pathname : specifier;
    return realpathSync(file) === INDEX;
  } catch {
    return false;
  }
}

// Whether --import names something besides this package.
function importsOthers(words) {
  return words.some((word, i) => {
    if (word === '--import') return !isOwn(words[i + 1] ?? '');
    return word.startsWith('--import=') && !isOwn(word.slice('--import='.length));
  });
}

// The type of the package.json that is nearest to the file.
function packageType(file) {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    try {
      return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).type;
    } catch (error) {
      if (error.code !== 'ENOENT' || folder === path.dirname(folder)) return undefined;
    }
  }
}

// Without a type, newer versions take for a module what does not compile as CommonJS.
function compilesAsScript(file) {
  const { Script } = builtin('node:vm');
  const text = readFileSync(file, 'utf8').replace(/^#!.*/, '');
  return new Script(Module.wrap(text), { filename: file }) instanceof Script;
}

function isCommonJS(file) {
  if (file.endsWith('.cjs')) return true;
  if (!file.endsWith('.js')) return false;
  const type = packageType(file);
  return type === 'commonjs' || (type !== 'module' && compilesAsScript(file));
}

// What was loaded before this package may call import() later.
function loadedMayImport() {
  return Object.keys(require.cache).some((file) => {
    return /\.[cm]?js$/.test(file) && !file.startsWith(OWN) && mayImport(readFileSync(file, 'utf8'));
  });
}

// Whether an ES module may be loaded though no file of CommonJS that is loaded from now on asks for it.
function startsWithModules() {
  const words = options(process.env, process.execArgv);
  try {
    if (words.some((word) => OTHER_ENTRY.test(word)) || importsOthers(words)) return true;
    return !isCommonJS(require.resolve(process.argv[1])) || loadedMayImport();
  } catch {
    return true;
  }
}

module.exports = { mayImport, startsWithModules };
