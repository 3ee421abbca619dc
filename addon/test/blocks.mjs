// SPDX-License-Identifier: Apache-2.0
// A reader of blocks, written against probes/batch.h and strict about it: what the collector would
// refuse makes a test fail.
import assert from 'node:assert/strict';

const MAGIC = 0x31535043;
const HEADER = 40;
const PARENT = 24;

class Reader {
  constructor(block, traces) {
    this.block = block;
    this.at = block.readUInt16LE(6);
    this.traces = traces;
  }

  u16(offset) {
    return this.block.readUInt16LE(this.at + offset);
  }

  u32(offset) {
    return this.block.readUInt32LE(this.at + offset);
  }

  u64(offset) {
    return Number(this.block.readBigUInt64LE(this.at + offset));
  }

  text(offset, length) {
    return this.block.toString('utf8', this.at + offset, this.at + offset + length);
  }
}

function padding(reader, from, size) {
  for (let i = from; i < size; i++) assert.equal(reader.block[reader.at + i], 0, 'padding is zero');
  assert.ok(size - from < 8 && size - from >= 0, 'size fits');
}

const RECORDS = {
  1(reader, trace, symbol) {
    assert.equal(symbol, 0);
    assert.equal(trace.begun, undefined);
    const [id, uri, method] = [reader.u16(10), reader.u16(12), reader.u16(14)];
    trace.begun = true;
    trace.source = reader.block[reader.at + 8] === 1 ? 'http' : 'cli';
    assert.equal(reader.block[reader.at + 9], 2);
    trace.id = reader.text(32, id);
    trace.uri = reader.text(32 + id, uri);
    trace.method = reader.text(32 + id + uri, method);
    trace.realtime = reader.u64(16);
    trace.start = reader.u64(24);
    const size = reader.u32(4);
    padding(reader, 32 + id + uri + method, size);
    return size;
  },
  2(reader, trace, symbol) {
    assert.equal(symbol, trace.symbols.length, 'symbols are numbered in order');
    const length = reader.u32(8);
    trace.symbols.push(reader.text(16, length));
    const size = reader.u32(4);
    padding(reader, 16 + length, size);
    return size;
  },
  3(reader, trace, symbol, base) {
    const [depth, end, elapsed] = [reader.u32(4), reader.u32(8), reader.u32(12)];
    const name = trace.symbols[symbol];
    trace.calls.push({ name, depth, start: base + end - elapsed, end: base + end, elapsed, memory: reader.u64(16) });
    return 24;
  },
  4(reader, trace, symbol, base) {
    const [end, elapsed] = [reader.u64(8), reader.u64(16)];
    const name = trace.symbols[symbol];
    const call = { name, depth: reader.u32(4), start: base + end - elapsed, end: base + end, elapsed };
    trace.calls.push({ ...call, memory: reader.u64(24) });
    return 32;
  },
  5(reader, trace, symbol) {
    const name = trace.symbols[symbol];
    assert.ok(!(name in trace.functions), `one total of ${name}`);
    const [calls, elapsed, self, longest] = [8, 16, 24, 32].map((offset) => reader.u64(offset));
    trace.functions[name] = { calls, elapsed, self, longest, callers: Object.create(null) };
    return 40;
  },
  6(reader, trace, symbol) {
    const callee = trace.functions[trace.symbols[symbol]];
    const caller = trace.symbols[reader.u32(4)];
    callee.callers[caller] = { calls: reader.u64(8), elapsed: reader.u64(16) };
    return 24;
  },
  8(reader, trace) {
    trace.ended = true;
    trace.status = reader.u16(4);
    trace.aborted = reader.block[reader.at + 6] === 1;
    trace.end = reader.u64(8);
    trace.memory = reader.u64(16);
    trace.functionsDropped = reader.u64(32);
    return 56;
  },
};

function readBlock(block, traces) {
  const request = Number(block.readBigUInt64LE(16));
  const sequence = block.readUInt32LE(12);
  const base = Number(block.readBigUInt64LE(24));
  let trace = traces.get(request);
  if (trace === undefined) {
    trace = { request, blocks: 0, pid: block.readUInt32LE(32), symbols: [], calls: [], functions: Object.create(null) };
    traces.set(request, trace);
  }
  assert.equal(sequence, trace.blocks++, 'no gap');
  const reader = new Reader(block, traces);
  assert.ok(reader.at === HEADER || (reader.at === HEADER + PARENT && sequence === 0));
  if (reader.at > HEADER) trace.parent = block.toString('hex', HEADER, HEADER + PARENT);
  while (reader.at < block.length) {
    const word = reader.u32(0);
    const read = RECORDS[word & 255];
    assert.ok(read, `record type ${word & 255}`);
    if ((word & 255) !== 1) assert.ok(trace.begun && !trace.ended);
    const size = read(reader, trace, word >>> 8, base);
    assert.equal(size % 8, 0);
    reader.at += size;
  }
  assert.equal(reader.at, block.length);
  assert.equal(Boolean(block.readUInt32LE(36) & 1), Boolean(trace.ended), 'the last block ends the request');
}

// The traces in a file of blocks, one behind the other, in the order of their beginning.
export function readBlocks(bytes) {
  const traces = new Map();
  for (let at = 0; at < bytes.length; ) {
    assert.equal(bytes.readUInt32LE(at), MAGIC);
    const length = bytes.readUInt32LE(at + 8);
    assert.ok(length >= HEADER && length <= 32768 && length % 8 === 0);
    readBlock(bytes.subarray(at, at + length), traces);
    at += length;
  }
  return [...traces.values()];
}
