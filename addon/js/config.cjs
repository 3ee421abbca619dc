// SPDX-License-Identifier: Apache-2.0
// What the environment asks for.
'use strict';

const path = require('node:path');

const THRESHOLD = 1000000;
const SCOPES = ['app', 'boundary', 'all'];

function isOff(value) {
  return value !== undefined && ['0', 'false', 'off', 'no'].includes(value.toLowerCase());
}

// A glob as a regular expression: ** any folders, * and ? within one, {a,b} alternatives.
function globExpression(glob) {
  let out = '';
  for (let i = 0; i < glob.length; i++) {
    const c = glob[i];
    if (glob.startsWith('**/', i)) {
      out += '(?:.*/)?';
      i += 2;
    } else if (glob.startsWith('**', i)) {
      out += '.*';
      i++;
    } else if (c === '*') out += '[^/]*';
    else if (c === '?') out += '[^/]';
    else if (c === '{') out += '(?:';
    else if (c === '}') out += ')';
    else if (c === ',') out += '|';
    else out += c.replace(/[\\^$+.()|[\]]/, '\\$&');
  }
  return new RegExp(`^${out}$`);
}

// Globs are separated by colons; one that does not begin with a slash is of the root.
function globs(value, root) {
  return (value ?? '')
    .split(':')
    .filter((glob) => glob !== '')
    .map((glob) => globExpression(path.isAbsolute(glob) ? glob : path.posix.join(root, glob)));
}

function cacheFolder(env) {
  if (isOff(env.COMPASS_NODE_CACHE)) return null;
  if (env.COMPASS_NODE_CACHE) return path.resolve(env.COMPASS_NODE_CACHE);
  if (env.XDG_CACHE_HOME) return path.join(env.XDG_CACHE_HOME, 'compass-node');
  if (env.HOME) return path.join(env.HOME, '.cache', 'compass-node');
  return path.join(require('node:os').tmpdir(), `compass-node-${process.getuid()}`);
}

function threshold(value) {
  const number = Number(value ?? THRESHOLD);
  return Number.isFinite(number) && number >= 0 ? number : THRESHOLD;
}

function readConfig(env = process.env, root = process.cwd()) {
  return {
    enabled: !isOff(env.COMPASS_ENABLED),
    threshold: threshold(env.COMPASS_FUNCTION_THRESHOLD),
    scope: SCOPES.includes(env.COMPASS_NODE_SCOPE) ? env.COMPASS_NODE_SCOPE : 'boundary',
    include: globs(env.COMPASS_NODE_INCLUDE, root),
    exclude: globs(env.COMPASS_NODE_EXCLUDE, root),
    cache: cacheFolder(env),
    root,
  };
}

module.exports = { readConfig, globExpression };
