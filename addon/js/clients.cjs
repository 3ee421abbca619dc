// SPDX-License-Identifier: Apache-2.0
// What the process asks others over HTTP, from the diagnostics channels of undici, which is also
// fetch, and of http: a span from the request to the end of its answer, named by method, host and
// status. Paths, queries and bodies stay private.
'use strict';

const channel = require('node:diagnostics_channel');

function subscribe(recorder, name, handler) {
  channel.subscribe(name, (message) => {
    try {
      handler(message);
    } catch (error) {
      // A subscriber that throws ends the process.
      recorder.faults.add(error);
    }
  });
}

function hostOf(origin) {
  const match = /^[a-z]+:\/\/([^/]+)/i.exec(String(origin));
  return match === null ? String(origin) : match[1];
}

// spans: by request, what was begun.
function observe(recorder, channels, describe) {
  const spans = new WeakMap();
  const finish = (request, status) => {
    const span = spans.get(request);
    if (span === undefined) return;
    spans.delete(request);
    recorder.calls.endSpan(span.span, `${span.name} ${status}`);
  };
  subscribe(recorder, channels.start, ({ request }) => {
    const span = recorder.calls.beginSpan();
    if (span !== null) spans.set(request, { span, name: describe(request), status: 0 });
  });
  if (channels.headers) {
    subscribe(recorder, channels.headers, ({ request, response }) => {
      const span = spans.get(request);
      if (span !== undefined) span.status = response.statusCode;
    });
  }
  subscribe(recorder, channels.finish, ({ request, response }) => {
    finish(request, response?.statusCode ?? spans.get(request)?.status);
  });
  subscribe(recorder, channels.error, ({ request }) => finish(request, 'failed'));
}

function observeClients(recorder) {
  observe(
    recorder,
    {
      start: 'undici:request:create',
      headers: 'undici:request:headers',
      finish: 'undici:request:trailers',
      error: 'undici:request:error',
    },
    (request) => `fetch ${request.method} ${hostOf(request.origin)}`,
  );
  observe(
    recorder,
    {
      start: 'http.client.request.start',
      finish: 'http.client.response.finish',
      error: 'http.client.request.error',
    },
    (request) => `http ${request.method} ${request.getHeader('host') ?? request.host}`,
  );
}

module.exports = { observeClients };
