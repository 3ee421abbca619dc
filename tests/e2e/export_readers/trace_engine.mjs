// SPDX-License-Identifier: Apache-2.0
// Reads a file of Chrome trace events with the importer of Chrome's own DevTools, and prints what it understood: for
// every thread its spans by name, how many there are and how long they took, and the own time of all (ns).
import { readFileSync } from 'node:fs';

globalThis.DOMRect ??= class DOMRect {}; // all that the package wants of a browser
URL.parse ??= (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null); // Node.js 18 has none
const { TraceModel } = await import('@paulirish/trace_engine');

const nanoseconds = (microseconds) => Math.round(microseconds * 1000);
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(JSON.parse(readFileSync(process.argv[2], 'utf8')).traceEvents);

const threads = new Map();
for (const [entry, node] of model.parsedTrace().data.Renderer.entryToNode) {
  const key = `${entry.pid} ${entry.tid}`;
  if (!threads.has(key)) threads.set(key, { process: entry.pid, thread: entry.tid, self: 0, spans: new Map() });
  const thread = threads.get(key);
  const span = thread.spans.get(entry.name) ?? { count: 0, elapsed: 0 };
  span.count++;
  span.elapsed += nanoseconds(entry.dur);
  thread.self += nanoseconds(node.selfTime);
  thread.spans.set(entry.name, span);
}
console.log(JSON.stringify([...threads.values()].map((thread) => ({ ...thread, spans: [...thread.spans] }))));
