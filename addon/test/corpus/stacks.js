// SPDX-License-Identifier: Apache-2.0
'use strict';
function place(error) {
  return error.stack.split('\n').slice(1).filter((line) => line.includes('stacks.js'))
    .map((line) => line.trim().replace(/\(?\/.*\/(stacks\.js:\d+):\d+\)?/, '$1')).join(' < ');
}
function thrower() {
  throw new Error('here');
}
const arrow = () =>
  thrower();
class Stack {
  method() { return arrow(); }
  get getter() {
    return this.method();
  }
  static build(x = new Stack()) {
    return x.getter;
  }
}
try {
  Stack.build();
} catch (error) {
  console.log(place(error));
}
async function later() {
  await null;
  thrower();
}
later().catch((error) => console.log(place(error)));
try { JSON.parse('{'); } catch (error) { console.log(error.name, error instanceof SyntaxError); }
try { null.x; } catch (error) { console.log(error.message); }
try { (function f() { f(); })(); } catch (error) { console.log(error.name); }
console.log(place(new Error()), Error.captureStackTrace.length);
process.on('exit', () => console.log('exit', place(new Error())));
