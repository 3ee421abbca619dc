// SPDX-License-Identifier: Apache-2.0
// Writing the records of one request into blocks: the format is in probes/batch.h.
'use strict';

const BLOCK = 32768;
const WORDS = BLOCK / 4;
const ARENA_BLOCKS = 8;
const HEADER = 40;
const PARENT = 24; // bytes behind the header of a first block, see parent()
const MAGIC = 0x31535043;
const MAX_STRING = 8192;
const MAX_AGE = 1e8;
const HIGH = 4294967296;
const LAST = 1;
const BEGIN = 1;
const SYMBOL = 2;
const CALL = 3;
const CALL_LONG = 4;
const FUNCTION = 5;
const CALLER = 6;
const END = 8;

// The blocks of a thread. A block that nobody writes into waits here for the next request. No method of
// arrays is called: the application may have replaced it by a recorded function, which would come back here.
class Pool {
  constructor(binding) {
    this.binding = binding;
    this.free = [];
    this.count = 0;
  }

  // null where there is no memory for another one.
  take() {
    if (this.free.length === 0) this.grow();
    if (this.free.length === 0) return null;
    const block = this.free[this.free.length - 1];
    this.free.length--;
    return block;
  }

  grow() {
    const buffer = this.binding.arena();
    if (buffer === undefined) return;
    for (let i = ARENA_BLOCKS - 1; i >= 0; i--) {
      this.give({
        index: this.count + i,
        words: new Uint32Array(buffer, i * BLOCK, WORDS),
        bytes: Buffer.from(buffer, i * BLOCK, BLOCK),
      });
    }
    this.count += ARENA_BLOCKS;
  }

  give(block) {
    this.free[this.free.length] = block;
  }
}

function cut(text) {
  return text.length > MAX_STRING ? text.slice(0, MAX_STRING) : text;
}

// Room for the text of `text`, in bytes, before it is known how many it takes.
function room(text) {
  return Math.min(MAX_STRING, text.length * 3);
}

// The records of symbols by their names, in words, with 0 in place of the symbol's number: requests
// call the same functions, and encoding a name costs more than copying it. Bounded.
const MAX_ENCODED = 8192;
const encoded = new Map();

function symbolRecord(name) {
  const known = encoded.get(name);
  if (known !== undefined) return known;
  const text = Buffer.alloc(room(name));
  const length = text.utf8Write(cut(name), 0, text.length);
  const record = new Uint32Array(4 + 2 * Math.ceil(length / 8));
  record.set([SYMBOL, record.byteLength, length, 0]);
  Buffer.from(record.buffer).set(text.subarray(0, length), 16);
  if (encoded.size < MAX_ENCODED) encoded.set(name, record);
  return record;
}

class Writer {
  // control: the binding's control buffer, of which the block to hand over is a word.
  constructor(binding, pool, control, request) {
    this.binding = binding;
    this.pool = pool;
    this.control = control;
    this.request = request;
    this.block = null;
    this.words = null;
    this.position = 0; // in words
    this.base = 0;
    this.oldest = 0;
    this.sequence = 0;
  }

  // Makes `bytes` of room. False where there is no block to be had: the record is lost, and the
  // number of the block that would have had it is never seen.
  reserve(bytes, now) {
    if (this.block !== null && (this.position * 4 + bytes > BLOCK || now - this.oldest > MAX_AGE)) this.handOver(0);
    return this.block !== null || this.open(now);
  }

  open(now) {
    const block = this.pool.take();
    if (block === null) {
      this.sequence++;
      return false;
    }
    const { words } = block;
    this.block = block;
    this.words = words;
    this.base = now;
    this.oldest = now;
    this.position = HEADER / 4;
    words[0] = MAGIC;
    words[1] = 1 | (HEADER << 16);
    words[3] = this.sequence++;
    this.put(4, this.request);
    this.put(6, now);
    words[8] = this.control.u32[this.control.pid];
    return true;
  }

  // Hands over a block whose oldest record has waited long enough.
  tellOld(now) {
    if (this.block !== null && now - this.oldest > MAX_AGE) this.handOver(0);
  }

  handOver(flags) {
    this.words[2] = this.position * 4;
    this.words[9] = flags;
    this.control.u32[this.control.block] = this.block.index;
    this.binding.handOver();
    this.pool.give(this.block);
    this.block = null;
    this.words = null;
  }

  // A 64 bit integer at a word.
  put(word, value) {
    this.words[word] = value;
    this.words[word + 1] = value / HIGH;
  }

  // The text at a byte offset: its length in bytes, whole characters.
  text(offset, text) {
    return this.block.bytes.utf8Write(text, offset, Math.min(MAX_STRING, BLOCK - offset));
  }

  // Ends a record of variable size that began at `position` and whose last byte is before `end`.
  close(end) {
    const { bytes } = this.block;
    const start = this.position;
    let at = end;
    while (at & 7) bytes[at++] = 0;
    this.words[start + 1] = at - start * 4;
    this.position = at / 4;
  }

  // Appends the W3C parent of the request to the header of its first block, before any record.
  parent(ids) {
    this.block.bytes.hexWrite(ids, HEADER, PARENT);
    this.words[1] += PARENT << 16;
    this.position += PARENT / 4;
  }

  begin(request, now) {
    const { id, uri, method, parent } = request;
    if (!this.reserve(PARENT + 32 + room(id) + room(uri) + room(method) + 8, now)) return;
    if (parent !== '') this.parent(parent);
    const { words, position } = this;
    let end = (position + 8) * 4;
    const idLength = this.text(end, cut(id));
    end += idLength;
    const uriLength = this.text(end, cut(uri));
    end += uriLength;
    const methodLength = this.text(end, cut(method));
    end += methodLength;
    words[position] = BEGIN;
    words[position + 2] = request.source | (2 << 8) | (idLength << 16);
    words[position + 3] = uriLength | (methodLength << 16);
    const { u32, realtime, monotonic } = this.control;
    words[position + 4] = u32[realtime];
    words[position + 5] = u32[realtime + 1];
    words[position + 6] = u32[monotonic];
    words[position + 7] = u32[monotonic + 1];
    this.close(end);
  }

  symbol(symbol, name, now) {
    const record = symbolRecord(name);
    const { length } = record;
    if (!this.reserve(length * 4, now)) return;
    const { words, position } = this;
    words[position] = SYMBOL | (symbol << 8);
    for (let i = 1; i < length; i++) words[position + i] = record[i];
    this.position = position + length;
  }

  call(symbol, depth, now, elapsed, memory) {
    if (!this.reserve(32, now)) return;
    const { words, position } = this;
    const end = now > this.base ? now - this.base : 0;
    words[position + 1] = depth;
    if (elapsed < HIGH && end < HIGH) {
      words[position] = CALL | (symbol << 8);
      words[position + 2] = end;
      words[position + 3] = elapsed;
      this.put(position + 4, memory);
      this.position = position + 6;
      return;
    }
    words[position] = CALL_LONG | (symbol << 8);
    this.put(position + 2, end);
    this.put(position + 4, elapsed);
    this.put(position + 6, memory);
    this.position = position + 8;
  }

  totals(symbol, calls, elapsed, self, longest, now) {
    if (!this.reserve(40, now)) return;
    const { words, position } = this;
    words[position] = FUNCTION | (symbol << 8);
    words[position + 1] = 0;
    this.put(position + 2, calls);
    this.put(position + 4, elapsed);
    this.put(position + 6, self);
    this.put(position + 8, longest);
    this.position = position + 10;
  }

  caller(symbol, caller, calls, elapsed, now) {
    if (!this.reserve(24, now)) return;
    const { words, position } = this;
    words[position] = CALLER | (symbol << 8);
    words[position + 1] = caller;
    this.put(position + 2, calls);
    this.put(position + 4, elapsed);
    this.position = position + 6;
  }

  // end: { status, aborted, peak, callsDropped, functionsDropped, callersDropped }
  end(end, now) {
    if (!this.reserve(56, now)) return;
    const { words, position } = this;
    words[position] = END;
    words[position + 1] = end.status | (end.aborted ? 1 << 16 : 0);
    this.put(position + 2, now);
    this.put(position + 4, end.peak);
    this.put(position + 6, end.callsDropped);
    this.put(position + 8, end.functionsDropped);
    this.put(position + 10, end.callersDropped);
    this.put(position + 12, 0);
    this.position = position + 14;
    this.handOver(LAST);
  }

  // Gives the block back unread.
  drop() {
    if (this.block === null) return;
    this.pool.give(this.block);
    this.block = null;
    this.words = null;
  }
}

module.exports = { Pool, Writer };
