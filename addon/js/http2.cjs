// SPDX-License-Identifier: Apache-2.0
// Requests over HTTP/2: each stream is one, whether the application takes streams or the requests and
// responses of the compatibility API.
//
// Not every version has a channel for them. Every version has one for a server's connections, and what
// connects leads to the server, whose events come one by one after that. http2 is not loaded for it.
'use strict';

const channel = require('node:diagnostics_channel');
const { HTTP } = require('./recorder.cjs');
const { define, follow, requestId, parentOf } = require('./requests.cjs');

const { apply } = Reflect;

// Whether there is a finish before the close depends on who is faster. A stream that is reset may have
// both, behind its abortion.
function ending(recorder, record, stream) {
  const status = () => stream.sentHeaders?.[':status'] ?? 0;
  return (event) => {
    if (event === 'finish') recorder.endSoon(record, status());
    else if (event === 'aborted') recorder.end(record, status(), true);
    else if (event === 'close' && !record.ending) recorder.end(record, status(), stream.rstCode !== 0);
  };
}

function begin(recorder, stream, headers) {
  const record = recorder.begin(HTTP, requestId(headers), String(headers[':path'] ?? '*'), String(headers[':method']),
    parentOf(headers));
  if (record !== null) follow(recorder, record, stream, ending(recorder, record, stream));
  return record;
}

function beginSafely(recorder, onFirst, stream, headers) {
  try {
    onFirst();
    return recorder.watched() ? begin(recorder, stream, headers) : null;
  } catch (error) {
    recorder.faults.add(error);
    return null;
  }
}

function followServer(recorder, onFirst, server) {
  const { emit } = server;
  define(server, 'emit', function (...args) {
    const record = args[0] === 'stream' ? beginSafely(recorder, onFirst, args[1], args[2]) : null;
    return record === null ? apply(emit, this, args) : recorder.context.run(record, emit, this, args);
  });
}

function observeHttp2(recorder, onFirst) {
  const followed = new WeakSet();
  channel.subscribe('net.server.socket', ({ socket }) => {
    try {
      const { server } = socket;
      if (typeof server?.updateSettings !== 'function' || followed.has(server)) return;
      followed.add(server);
      followServer(recorder, onFirst, server);
    } catch (error) {
      recorder.faults.add(error);
    }
  });
}

module.exports = { observeHttp2 };
