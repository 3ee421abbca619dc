// SPDX-License-Identifier: Apache-2.0
// An OTLP/HTTP endpoint that reads JSON with the Protocol Buffers definitions in OpenTelemetry's package,
// and prints what it understood, a request a line. JSON that the definitions do not know, or that means
// something else to them, is a problem.
'use strict';

const http = require('node:http');
const path = require('node:path');

const package_ = path.dirname(require.resolve('@opentelemetry/otlp-transformer/package.json'));
const { opentelemetry } = require(path.join(package_, 'build/src/generated/root.js'));
const Request = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
const IDS = ['traceId', 'spanId', 'parentSpanId'];

let busy = 0;

// OTLP's JSON has ids in hexadecimal, where that of Protocol Buffers has bytes in base64.
function bytesOf(key, value) {
  if (!IDS.includes(key)) return value;
  if (!/^([0-9a-f]{16}){1,2}$/.test(value)) throw new Error(`${key} is ${value}`);
  return Buffer.from(value, 'hex').toString('base64');
}

function hexOf(key, value) {
  return IDS.includes(key) ? Buffer.from(value, 'base64').toString('hex') : value;
}

// What is left of `given` when all is taken away that came back: nothing, in the right order of things.
function missing(given, back, at = '') {
  if (typeof given !== 'object') return String(given) === String(back) ? [] : [`${at}: ${given} became ${back}`];
  return Object.keys(given).flatMap((key) => {
    if (back === undefined || !(key in back)) return [`${at}.${key} is unknown`];
    return missing(given[key], back[key], `${at}.${key}`);
  });
}

function decode(body) {
  const given = JSON.parse(body, bytesOf);
  const message = Request.decode(Request.encode(Request.fromObject(given)).finish());
  const problem = Request.verify(message);
  if (problem !== null) throw new Error(problem);
  const unknown = missing(given, Request.toObject(message, { longs: String, bytes: String }));
  if (unknown.length > 0) throw new Error(unknown.join('; '));
  const named = Request.toObject(message, { longs: String, bytes: String, enums: String });
  return JSON.parse(JSON.stringify(named), hexOf);
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function receive(request, response) {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    if (busy > 0) {
      busy--;
      response.writeHead(503).end();
      return;
    }
    try {
      print({ headers: request.headers, request: decode(Buffer.concat(parts).toString()) });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } catch (error) {
      print({ problem: error.message });
      response.writeHead(400).end();
    }
  });
}

const server = http.createServer((request, response) => {
  const url = new URL(request.url, 'http://receiver');
  if (request.method === 'POST' && url.pathname === '/v1/traces') receive(request, response);
  else if (url.pathname === '/busy') response.end(String((busy = Number(url.searchParams.get('times')))));
  else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => print({ port: server.address().port }));
