// SPDX-License-Identifier: Apache-2.0
// Requests that the process answers over HTTP: where they begin and end.
//
// The beginning comes from a diagnostics channel, on the thread of control that goes on to call the
// application; so the context entered there is the application's. It is entered anew for every
// request, recorded or not: requests on one connection share a thread of control on some versions.
// What request and response emit later (the body's parts, the end) may come from another one; so
// a recorded request emits within its context.
'use strict';

const channel = require('node:diagnostics_channel');
const { EventEmitter } = require('node:events');
const { builtin } = require('./builtin.cjs');
const { HTTP } = require('./recorder.cjs');

const { apply } = Reflect;
const { emit: EMIT, listenerCount } = EventEmitter.prototype;

// Version, trace, span, flags and what a later version appends.
const TRACEPARENT = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}((?:-.*)?)$/;

function define(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
}

// Calls `seen` with the name of each event before it is emitted, and emits within the context where
// somebody listens; most events of a request have no listener.
function follow(recorder, record, emitter, seen) {
  const { emit } = emitter;
  const plain = emit === EMIT;
  define(emitter, 'emit', function (...args) {
    seen(args[0]);
    if (plain && args[0] !== 'error' && apply(listenerCount, this, [args[0]]) === 0) return apply(emit, this, args);
    return recorder.context.run(record, emit, this, args);
  });
}

let randomUUID = null;

function requestId(headers) {
  const id = headers['x-request-id'];
  if (typeof id === 'string' && id !== '') return id;
  randomUUID ??= builtin('node:crypto').randomUUID;
  return randomUUID();
}

// The W3C parent of the request: the ids of the trace and of the caller's span, in hexadecimal; '' without one.
function parentOf(headers) {
  if (headers.traceparent === undefined) return '';
  const found = TRACEPARENT.exec(headers.traceparent);
  if (found === null || found[1] === 'ff' || (found[1] === '00' && found[4] !== '')) return '';
  return found[2] + found[3];
}

// How a response ends: complete, or the connection closed before it was.
function ending(recorder, record, status) {
  return (event) => {
    if (event === 'finish') recorder.endSoon(record, status());
    else if (event === 'close' && !record.ending) recorder.end(record, status(), true);
  };
}

function begin(recorder, request, response) {
  const record = recorder.begin(HTTP, requestId(request.headers), request.url, request.method,
    parentOf(request.headers));
  recorder.context.enter(record);
  if (record === null) return;
  follow(recorder, record, request, () => {});
  follow(recorder, record, response, ending(recorder, record, () => response.statusCode));
}

function observeRequests(recorder, onFirst) {
  channel.subscribe('http.server.request.start', ({ request, response }) => {
    try {
      onFirst();
      if (recorder.watched()) begin(recorder, request, response);
      else recorder.context.enter(null);
    } catch (error) {
      // A subscriber that throws ends the process.
      recorder.faults.add(error);
    }
  });
}

module.exports = { observeRequests, define, follow, requestId, parentOf };
