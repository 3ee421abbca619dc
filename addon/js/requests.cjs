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
const { randomUUID } = require('node:crypto');

function define(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
}

// Calls `seen` with the name of each event before it is emitted, and emits within the context.
function follow(recorder, record, emitter, seen) {
  const { emit } = emitter;
  define(emitter, 'emit', function (...args) {
    seen(args[0]);
    return recorder.runIn(record, emit, this, args);
  });
}

function requestId(headers) {
  const id = headers['x-request-id'];
  return typeof id === 'string' && id !== '' ? id : randomUUID();
}

// How a response ends: complete, or the connection closed before it was.
function ending(recorder, record, status) {
  return (event) => {
    if (event === 'finish') recorder.endSoon(record, status());
    else if (event === 'close' && !record.ending) recorder.end(record, status(), true);
  };
}

function begin(recorder, request, response) {
  const record = recorder.begin(recorder.HTTP, requestId(request.headers), request.url, request.method);
  recorder.enterRequest(record);
  if (record === null) return;
  follow(recorder, record, request, () => {});
  follow(recorder, record, response, ending(recorder, record, () => response.statusCode));
}

function observeRequests(recorder, onFirst) {
  let first = true;
  channel.subscribe('http.server.request.start', ({ request, response }) => {
    try {
      if (first) onFirst();
      first = false;
      if (recorder.watched()) begin(recorder, request, response);
      else recorder.enterRequest(null);
    } catch {
      // A subscriber that throws ends the process.
    }
  });
}

module.exports = { observeRequests, follow };
