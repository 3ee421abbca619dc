// SPDX-License-Identifier: Apache-2.0
// Transformed sources on disk, by what they were made from. A folder that somebody else could have
// written to is not used: what is in it is run. Whatever fails, the source is transformed again.
'use strict';

// Taken here: the application may replace what fs has, and count its calls.
const { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const { hrtime } = process;

// What makes the output out of a source: an entry of another version is not found.
const MAKERS = ['transform.cjs', 'names.cjs', 'scope.cjs', 'maps.cjs', 'cache.cjs'];

function makers(binding) {
  const texts = MAKERS.map((name) => readFileSync(path.join(__dirname, name), 'latin1'));
  return binding.cacheKey(process.version, texts.join('\0'));
}

class Cache {
  // binding: makes the keys and reads the entries, see src/cache.h. node:crypto would make keys as well,
  // but loading it takes longer than a hundred of them, and more memory than all the rest of the addon.
  constructor(config, binding) {
    this.binding = binding;
    this.folder = config.cache;
    this.checked = false;
    this.makers = null;
  }

  key(source, name, module, border) {
    if (this.folder === null) return null;
    this.makers ??= makers(this.binding);
    return this.binding.cacheKey(`${this.makers}\0${name}\0${module}\0${border ?? ''}`, source) ?? null;
  }

  usable() {
    if (this.checked || this.folder === null) return this.folder !== null;
    this.checked = true;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const stat = lstatSync(this.folder);
      if (stat.isDirectory() && stat.uid === process.getuid() && (stat.mode & 0o022) === 0) return true;
    } catch {
      // No folder, no cache.
    }
    this.folder = null;
    return false;
  }

  // The source, its functions numbered from what allocate(count) answers on, and their names as JSON;
  // null where it is not there.
  read(key, allocate) {
    if (key === null || !this.usable()) return null;
    const count = this.binding.openCached(path.join(this.folder, key));
    if (count === undefined) return null;
    const base = allocate(count);
    const taken = this.binding.takeCached(base);
    return taken === undefined ? null : { code: taken[0], names: taken[1], base };
  }

  write(key, made) {
    if (key === null || !this.usable()) return;
    const file = path.join(this.folder, key);
    const temporary = `${file}.${process.pid}.${hrtime().join('.')}`;
    try {
      const names = JSON.stringify(made.names);
      const head = `NAMES ${made.names.length} ${Buffer.byteLength(names)}\n`;
      writeFileSync(temporary, head + names + made.code, { mode: 0o600, flag: 'wx' });
      renameSync(temporary, file);
    } catch {
      rmSync(temporary, { force: true });
    }
  }
}

module.exports = { Cache };
