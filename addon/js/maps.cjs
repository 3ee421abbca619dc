// SPDX-License-Identifier: Apache-2.0
// The source map of transformed source. An insertion moves what is right of it, and what a map says of a column is of the
// source as it was: of a bundle that is one long line, each stack trace would name another place. So columns are
// moved in the map too, which the source brings along as a data URL. A map in a file of its own is put into
// the source before, where Node.js will look at it.
'use strict';

const { readFileSync } = require('node:fs');
const path = require('node:path');
const { builtin } = require('./builtin.cjs');

const { parse, stringify } = JSON;
const COMMENT = '//# sourceMappingURL=';
const DATA = /^data:application\/json(?:;charset=[^;,]*)?(;base64)?,/i;
const INSERTION = /\/\*\{c\*\/[^]*?\/\*c\}\*\//g;

let codec;

function load() {
  codec = require('@jridgewell/sourcemap-codec');
}

// Where the source's last line names a map: [what is before the URL, the URL]; null where it does not.
function found(source) {
  const at = source.lastIndexOf(COMMENT);
  if (at < 0) return null;
  const url = source.slice(at + COMMENT.length).trimEnd();
  return url === '' || /\s/.test(url) ? null : [source.slice(0, at + COMMENT.length), url];
}

function decoded(url) {
  const head = DATA.exec(url);
  if (head === null) return null;
  const body = url.slice(head[0].length);
  return parse(head[1] ? Buffer.from(body, 'base64').toString() : decodeURIComponent(body));
}

function encoded(map) {
  return `data:application/json;base64,${Buffer.from(stringify(map)).toString('base64')}`;
}

// The insertions of a line: the column of the source that each was put at, and how much there is up to it.
function insertionsOf(line) {
  const list = [];
  let size = 0;
  for (const { index, 0: text } of line.matchAll(INSERTION)) {
    const column = index - size;
    size += text.length;
    list.push({ column, size });
  }
  return list;
}

// Moves the columns of a line's segments, which are in order; a segment's first number is its column.
function moveLine(segments, insertions) {
  let passed = 0; // insertions that are left of the column
  for (const segment of segments) {
    while (passed < insertions.length && insertions[passed].column <= segment[0]) passed++;
    if (passed > 0) segment[0] += insertions[passed - 1].size;
  }
}

function moved(mappings, code) {
  const lines = code.split('\n');
  const decodedLines = codec.decode(mappings);
  for (let i = 0; i < decodedLines.length && i < lines.length; i++) {
    if (decodedLines[i].length > 0) moveLine(decodedLines[i], insertionsOf(lines[i]));
  }
  return codec.encode(decodedLines);
}

// Transformed source, with its map made to fit.
function withMovedMap(code) {
  const [head, url] = found(code) ?? [];
  if (url === undefined) return code;
  try {
    const map = decoded(url);
    return map === null ? code : `${head}${encoded({ ...map, mappings: moved(map.mappings, code) })}\n`;
  } catch {
    return code;
  }
}

// A map's sources are named from where it is.
function readMap(file) {
  const map = parse(readFileSync(file, 'utf8'));
  const base = builtin('node:url').pathToFileURL(file);
  const sources = map.sources.map((name) => new URL((map.sourceRoot ?? '') + name, base).href);
  return { ...map, sourceRoot: undefined, sources };
}

// The source with its map in it, where the map is a file that somebody will look at.
function withOwnMap(source, file) {
  if (!process.sourceMapsEnabled) return source;
  const [head, url] = found(source) ?? [];
  if (url === undefined || /^[a-z]+:/i.test(url)) return source;
  try {
    return `${head}${encoded(readMap(path.resolve(path.dirname(file), decodeURIComponent(url))))}\n`;
  } catch {
    return source;
  }
}

module.exports = { load, withMovedMap, withOwnMap };
