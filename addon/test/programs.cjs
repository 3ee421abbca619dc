// SPDX-License-Identifier: Apache-2.0
// Makes programs up: functions of every kind that call, wait, yield, throw and catch at random, and
// log what they do. The same seed makes the same program, and every program ends.
'use strict';

const FUEL = 3000;
const DEPTH = 3;

// What each program begins with. An error is logged by its name: what it says may quote the source.
const PRELUDE = `
var exports = {};
const log = [];
let fuel = ${FUEL};
const step = (x) => { if (--fuel < 0) throw 'no fuel'; return x; };
const note = (x) => { log.push(x); return x; };
const nameOf = (e) => (e instanceof Error ? e.name : String(e));
const num = (x) => (typeof x === 'number' && Number.isFinite(x) ? x % 1000 | 0 : String(x).length);
`;

function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

class Program {
  constructor(seed) {
    this.below = random(seed);
    this.names = 0;
    this.callable = []; // { name, kind } of the functions that are there already
    this.scopes = [[]]; // names of variables
    this.kind = { async: false, generator: false, loops: 0, functions: 0 };
    this.depth = 0;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  chance(percent) {
    return this.below(100) < percent;
  }

  name(prefix) {
    return `${prefix}${this.names++}`;
  }

  declare(name) {
    this.scopes[this.scopes.length - 1].push(name);
    return name;
  }

  variable() {
    const all = this.scopes.flat();
    return all.length > 0 ? this.pick(all) : '1';
  }

  within(work) {
    this.depth++;
    this.scopes.push([]);
    const made = work();
    this.scopes.pop();
    this.depth--;
    return made;
  }

  expression() {
    if (this.depth > DEPTH) return this.pick([String(this.below(9)), this.variable()]);
    return this.within(() => this.pick(this.expressions())());
  }

  expressions() {
    const e = () => this.expression();
    const inside = () => this.inFunction('plain', e);
    const list = [
      () => String(this.below(100)),
      () => this.variable(),
      () => this.variable(),
      () => `(${e()} ${this.pick(['+', '-', '*', '&', '<', '===', ',', '||', '&&'])} ${e()})`,
      () => `(${e()} ?? ${e()})`,
      () => `(num(${e()}) > ${this.below(50)} ? ${e()} : ${e()})`,
      () => `\`\${${e()}}x\`.length`,
      () => `[${e()}, ...[${e()}]].length`,
      () => `({ a: ${e()}, ['b']: ${e()} }).${this.pick(['a', 'b', 'c'])}`,
      () => `note(num(${e()}))`,
      () => this.call(),
      () => this.call(),
      () => `(${this.arrow()})(${e()})`,
      () => `(({ p = ${inside()}, ...q }, [r] = [${inside()}]) => num(p) + num(r) + Object.keys(q).length)({ p: ${e()}, z: 1 })`,
      () => `new (${this.classBody('')})(${e()}).m(${e()})`,
      () => `(${this.variable()})?.x?.[${e()}]`,
      () => `typeof ${e()}`,
      () => `[${e()}, ${e()}].map((x) => step(num(x) + ${inside()})).reduce((a, b) => num(a) + num(b), 0)`,
    ];
    if (this.kind.async) list.push(() => `(await ${e()})`, () => `(await ${e()})`, () => `(await Promise.resolve(${e()}))`);
    if (this.kind.generator) list.push(() => `(yield ${e()})`, () => `(yield ${e()})`, () => `(yield* [${e()}])`);
    return list;
  }

  // A call of one of the functions before, so that nothing recurs without end.
  call() {
    if (this.callable.length === 0) return '2';
    const { name, kind } = this.pick(this.callable);
    const call = `${name}(${this.expression()}, ${this.expression()})`;
    if (kind === 'plain') return call;
    if (kind === 'generator') return `[...${call}].length`;
    if (kind === 'asyncGenerator') return this.kind.async ? `(await collect(${call}))` : '3';
    return this.kind.async && this.chance(80) ? `(await ${call})` : `(${call}.catch(() => {}), 4)`;
  }

  // Runs `work` as the body of a function of that kind.
  inFunction(kind, work) {
    const outer = this.kind;
    this.kind = { async: kind.startsWith('async'), generator: /enerator/.test(kind), loops: 0, functions: outer.functions + 1 };
    const made = this.within(work);
    this.kind = outer;
    return made;
  }

  arrow() {
    const parameter = this.name('a');
    return this.inFunction('plain', () => {
      this.declare(parameter);
      return this.chance(50) ? `(${parameter}) => ${this.expression()}` : `(${parameter}) => { ${this.statements()} }`;
    });
  }

  parameters() {
    const [a, b] = [this.name('p'), this.name('p')];
    this.declare(a);
    this.declare(b);
    return this.pick([`${a}, ${b}`, `${a}, ${b} = ${a}`, `${a} = 1, ...${b}`, `${a}, ${b} = () => ${a}`, `${a}, { ${b} } = { ${b}: 5 }`]);
  }

  body(kind) {
    return this.inFunction(kind, () => {
      const parameters = this.parameters();
      const strict = this.chance(20) && !/[={[.]/.test(parameters) ? "'use strict'; " : '';
      return `(${parameters}) { ${strict}step(); ${this.statements()} }`;
    });
  }

  functionDeclaration() {
    const kind = this.pick(['plain', 'plain', 'async', 'generator', 'asyncGenerator']);
    const name = this.name('f');
    const head = { plain: 'function', async: 'async function', generator: 'function*', asyncGenerator: 'async function*' }[kind];
    const text = `${head} ${name}${this.body(kind)}`;
    this.callable.push({ name, kind });
    return text;
  }

  classBody(name) {
    const method = this.inFunction('plain', () => {
      const x = this.declare(this.name('x'));
      return `m(${x}) { ${this.statements()} }`;
    });
    const value = () => this.inFunction('plain', () => this.expression());
    return `class ${name} { #p = ${value()}; q = () => ${value()}; static s = ${value()}; static { note(num(${value()})); }
      constructor(x) { this.x = x; step(); } get g() { return [this.#p, ${value()}]; } ${method} }`;
  }

  statements() {
    const count = 1 + this.below(3);
    let text = '';
    for (let i = 0; i < count; i++) text += `${this.statement()} `;
    return text;
  }

  block() {
    return this.within(() => `{ ${this.statements()} }`);
  }

  statement() {
    if (this.depth > DEPTH + 1) return `note(${this.variable()});`;
    return this.pick(this.simple())();
  }

  simple() {
    const e = () => this.expression();
    const list = [
      () => `note(num(${e()}));`,
      () => { const v = e(); return `let ${this.declare(this.name('v'))} = ${v};`; },
      () => { const v = e(); return `var ${this.declare(this.name('w'))} = ${v}\n`; },
      () => { const v = e(); return `const { k: ${this.declare(this.name('k'))} = ${e()} } = { k: ${v} };`; },
      () => `if (num(${e()}) < ${this.below(40)}) ${this.block()} else ${this.block()}`,
      () => `try ${this.block()} catch (e) { note(nameOf(e)); ${this.statement()} }`,
      () => `try ${this.block()} finally ${this.block()}`,
      () => `try ${this.block()} catch { ${this.statement()} } finally { note('f'); }`,
      () => `switch (num(${e()}) % 3) { case 0: ${this.block()} case 1: ${this.block()} break; default: ${this.block()} }`,
      () => this.loop(),
      () => this.loop(),
      () => `${this.chance(50) ? `if (num(${e()}) % 2) ` : ''}return ${e()};`,
      () => `if (num(${e()}) % 5 === 0) throw ${this.pick(["'t'", 'new TypeError()', e()])};`,
    ];
    if (this.kind.functions < 3 && this.depth < 4) list.push(() => this.inner(), () => this.inner());
    if (this.kind.async) list.push(...this.waiting(e));
    if (this.kind.loops > 0) list.push(() => `if (num(${e()}) % 3 === 0) ${this.pick(['break', 'continue'])};`);
    return list;
  }

  waiting(e) {
    const given = () => e();
    return [
      () => { const v = given(); return `const { a: ${this.declare(this.name('d'))} } = await { a: ${v} };`; },
      () => { const v = given(); return `const [${this.declare(this.name('d'))}] = await Promise.all([${v}])\n`; },
      () => `await ${e()}\n`,
      () => `for await (const y of [${e()}, Promise.resolve(${e()})]) ${this.looping()}`,
      () => `note(await Promise.race([${e()}]).catch(nameOf));`,
    ];
  }

  // A function or a class that is known in what follows, and forgotten behind this scope.
  inner() {
    const before = this.callable.length;
    const text = this.functionDeclaration();
    const { name, kind } = this.callable[before];
    this.callable.length = before;
    const c = this.name('C');
    const use = kind === 'plain' ? `note(num(${name}(${this.expression()}, 1)));` : `${name}(1, 2);`;
    const safe = kind === 'async' ? `${name}(1, 2).catch(() => {});` : use;
    return `${text} ${this.chance(30) ? `${this.classBody(c)} note(num(new ${c}(1).m(2)));` : ''} ${safe}`;
  }

  looping() {
    this.kind.loops++;
    const text = this.within(() => `{ step(); ${this.statements()} }`);
    this.kind.loops--;
    return text;
  }

  loop() {
    const i = this.name('i');
    return this.pick([
      () => `for (let ${i} = 0; ${i} < ${1 + this.below(3)}; ${i}++) ${this.looping()}`,
      () => `for (const ${i} of [${this.expression()}, ${this.expression()}]) ${this.looping()}`,
      () => `l${i}: for (const ${i} in { a: 1, b: 2 }) { for (;;) { step(); ${this.block()} ${this.pick(['break', 'continue'])} l${i}; } }`,
      () => `do ${this.looping()} while (num(${this.expression()}) > 70);`,
    ])();
  }

  make() {
    let text = `${PRELUDE}async function collect(it) { let n = 0; for await (const x of it) { note(num(x)); n++; } return n; }\n`;
    const count = 3 + this.below(4);
    for (let i = 0; i < count; i++) text += `${this.functionDeclaration()}\n`;
    for (const { name } of this.callable) text += `exports.${name} = ${name};\n`;
    text += 'async function main() {\n';
    for (const { name, kind } of this.callable) {
      const call = `${name}(1, 2)`;
      const value = { plain: call, async: `await ${call}`, generator: `[...${call}].length`, asyncGenerator: `await collect(${call})` }[kind];
      text += `  try { note('${name}'); note(num(${value})); } catch (e) { note(nameOf(e)); }\n`;
    }
    return `${text}}\nmain().then(() => done(log.join()), (e) => done('failed ' + nameOf(e)));\n`;
  }
}

module.exports = { makeProgram: (seed) => new Program(seed).make() };
