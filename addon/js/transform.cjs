// SPDX-License-Identifier: Apache-2.0
// Puts the recorder's calls into the source of a module.
//
//     function add(a, b) { return a + b }
// becomes
//     function add(a, b) {const __cps_c=__cps_w===0?0:__cps_e(17);try{ return a + b }finally{if(__cps_c!==0)__cps_l(__cps_c)}}
//
// __cps_w is 0 while no request is recorded, and the other names are the recorder's functions,
// all properties of the global object. The compiler takes each for a constant as long as it never
// changed: until a tracer comes for the first time all of this is compiled to nothing. 17 is the number
// of the function; a module gets a run of numbers when it is loaded, so what the transform makes, and
// what the cache keeps, has the place-holder BASE+k there.
//
// A function that can be suspended is paused at every await and yield and resumed behind it: in
// between it is not on the stack, and what runs then is not its child.
//
//     await x       becomes   __cps_r(__cps_c,(await __cps_p(__cps_c,(x))))
//     return x      becomes   return __cps_x(__cps_c,(x))        in an async function
//
// Where taking apart what was awaited fails, V8 quotes what is right of the pattern. There the frame
// comes back one statement later:
//
//     const {a} = await x;      becomes   const {a} = await __cps_p(__cps_c,(x));__cps_r(__cps_c);
//
// Everything is an insertion between the two marks below, on the line where it is: lines stay, and
// taking out what is between the marks gives the source again (which Function.prototype.toString
// does, see tostring.cjs).
'use strict';

const { keyName, memberName, isExportsMember, isPrototypeMember, routeName } = require('./names.cjs');
const { isFunction, eachChild, fitsBlock, hasAwaitUsing, mayCall } = require('./scope.cjs');

const OPEN = '/*{c*/';
const CLOSE = '/*c}*/';
const BASE = '__cps_B';
const FINALLY = `${OPEN}}finally{if(__cps_c!==0)__cps_l(__cps_c)}${CLOSE}`;
const FINALLY_SUSPENDABLE = `${OPEN}}finally{if(__cps_c!==null)__cps_m(__cps_c)}${CLOSE}`;

let acorn;
let MagicString;

function load() {
  acorn = require('acorn');
  MagicString = require('magic-string');
}

function parse(source, kind) {
  return acorn.parse(source, {
    ecmaVersion: 'latest',
    sourceType: kind,
    allowHashBang: true,
  });
}

class Transform {
  // file: what names call it. border: the package's name, where only what it exports is wanted.
  constructor(source, program, file, border) {
    this.source = source;
    this.out = new MagicString(source);
    this.file = file;
    this.border = border;
    this.names = [];
    this.skipped = 0;
    this.lines = null;
    this.className = '';
    this.exported = border === null ? null : exportedNames(program);
    this.current = null; // the function whose body is walked: { suspendable, kind } or null
    this.within = false; // inside a with statement
    this.late = null; // the await or yield behind whose statement its frame comes back
  }

  lineOf(offset) {
    if (this.lines === null) {
      this.lines = [0];
      for (let i = this.source.indexOf('\n'); i >= 0; i = this.source.indexOf('\n', i + 1)) this.lines.push(i + 1);
    }
    let low = 0;
    let high = this.lines.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.lines[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  // hint: { name, exported } from where the function or the class stands.
  nameOf(node, hint) {
    const own = node.id?.name;
    // res.json = function json() {}: where it stands says more.
    const name = own === undefined || hint?.name?.endsWith(`.${own}`) ? hint?.name : own;
    if (name) return this.border === null ? name : `${this.border}.${name}`;
    if (hint?.place) return `${this.border ?? this.file} ${hint.place}`;
    return `${this.file}:${this.lineOf(node.start)} <anonymous>`;
  }

  number(name) {
    this.names.push(name);
    return `${BASE}+${this.names.length - 1}`;
  }

  walk(node, hint) {
    if (isFunction(node)) return this.walkFunction(node, hint);
    switch (node.type) {
      case 'ClassDeclaration':
      case 'ClassExpression':
        return this.walkClass(node, hint);
      case 'WithStatement':
        return this.walkWith(node);
      case 'AwaitExpression':
      case 'YieldExpression':
        return this.walkSuspension(node);
      case 'ForOfStatement':
        return node.await ? this.walkForAwait(node) : this.walkChildren(node, hint);
      case 'ReturnStatement':
        return this.walkReturn(node);
      case 'TryStatement':
        return this.walkTry(node);
      default:
        return this.walkChildren(node, hint);
    }
  }

  walkChildren(node, hint) {
    eachChild(node, (child, key) => {
      const childHint = this.hintFor(node, key, child, hint);
      if (Array.isArray(node[key])) this.walkStatement(child, childHint);
      else this.walk(child, childHint);
    });
  }

  // What may stand in a list of statements, so that one more can follow it.
  walkStatement(node, hint) {
    const late = this.current?.suspendable ? takenApart(node) : null;
    this.late = late ?? this.late;
    this.walk(node, hint);
    if (late !== null) this.out.appendLeft(node.end, `${OPEN};__cps_r(__cps_c);${CLOSE}`);
  }

  hintFor(node, key, child, hint) {
    switch (node.type) {
      case 'VariableDeclarator':
        if (key !== 'init' || node.id.type !== 'Identifier') return undefined;
        return { name: node.id.name, exported: hint?.exported || this.isExported(node.id.name) };
      case 'VariableDeclaration':
      case 'ExpressionStatement':
      case 'ParenthesizedExpression':
        return hint;
      case 'ExportNamedDeclaration':
        return { exported: true };
      case 'ExportDefaultDeclaration':
        return { place: '<default>', exported: true };
      case 'AssignmentExpression':
        return key === 'right' ? this.assignmentHint(node.left, hint) : undefined;
      case 'AssignmentPattern':
        return key === 'right' && node.left.type === 'Identifier' ? { name: node.left.name } : undefined;
      case 'Property':
        return key === 'value' ? this.propertyHint(node, hint) : undefined;
      case 'ObjectExpression':
        return hint;
      case 'CallExpression':
        return key === 'arguments' && isFunction(child) ? { name: routeName(node) } : undefined;
      default:
        return undefined;
    }
  }

  assignmentHint(left, hint) {
    const top = this.current === null;
    const exported = top && (isExportsMember(left) || isPrototypeMember(left) || this.isExportedMember(left));
    const name = left.type === 'Identifier' || left.type === 'MemberExpression' ? memberName(left) : '';
    if (name === '') return { place: '<exports>', exported: exported || hint?.exported };
    const owner = left.type === 'MemberExpression' && left.object.type === 'ThisExpression' ? this.className : '';
    return { name: owner === '' ? name : `${owner}.${name}`, exported };
  }

  propertyHint(node, hint) {
    const name = keyName(node);
    const accessor = node.kind === 'get' || node.kind === 'set' ? `${node.kind} ` : '';
    const prefix = hint?.name ? `${hint.name}.` : '';
    return { name: prefix + accessor + name, exported: hint?.exported && this.isPublic(name) };
  }

  isExported(name) {
    return this.exported !== null && this.current === null && this.exported.has(name);
  }

  isExportedMember(node) {
    return node.type === 'MemberExpression' && node.object.type === 'Identifier' && this.isExported(node.object.name);
  }

  isPublic(name) {
    return !name.startsWith('_') && !name.startsWith('#') && name !== 'constructor';
  }

  wanted(node, hint) {
    if (this.border === null) return true;
    if (this.current !== null) return false;
    return Boolean(hint?.exported) || (node.type === 'FunctionDeclaration' && this.isExported(node.id?.name));
  }

  walkClass(node, hint) {
    const outer = this.className;
    if (node.superClass) this.walk(node.superClass);
    this.className = node.id?.name ?? hint?.name ?? `${this.file}:${this.lineOf(node.start)} <class>`;
    const exported = this.current === null && this.border !== null;
    for (const member of node.body.body) this.walkMember(member, exported);
    this.className = outer;
  }

  walkMember(member, exported) {
    if (member.type === 'StaticBlock') return this.walkStaticBlock(member);
    if (member.computed) this.walk(member.key);
    if (!member.value) return undefined;
    const name = keyName(member);
    const accessor = member.kind === 'get' || member.kind === 'set' ? `${member.kind} ` : '';
    const hint = { name: `${this.className}.${accessor}${name}`, exported: exported && this.isPublic(name) };
    if (member.type === 'MethodDefinition') return this.walk(member.value, hint);
    // The initializer of a field is a function of its own: nothing outside suspends in it.
    const outer = this.current;
    this.current = { suspendable: false };
    if (this.border === null || isFunction(member.value)) this.walk(member.value, hint);
    this.current = outer;
    return undefined;
  }

  walkStaticBlock(node) {
    const outer = this.current;
    const instrument = this.border === null && !this.within && fitsBlock(node.body, []);
    this.current = { suspendable: false };
    if (instrument) {
      const start = this.source.indexOf('{', node.start) + 1;
      this.out.appendLeft(start, this.opening(`${this.className}.<static>`, false));
    }
    for (const statement of node.body) this.walk(statement);
    if (instrument) this.out.appendLeft(node.end - 1, FINALLY);
    else this.skipped += this.border === null ? 1 : 0;
    this.current = outer;
  }

  walkWith(node) {
    const outer = this.within;
    this.walk(node.object);
    this.within = true;
    this.walk(node.body);
    this.within = outer;
  }

  opening(name, suspendable, generator) {
    const enter = this.border === null ? 'e' : 'b';
    const number = this.number(name);
    if (!suspendable) return `${OPEN}const __cps_c=__cps_w===0?0:__cps_${enter}(${number});try{${CLOSE}`;
    const arguments_ = `${number},${generator ? 1 : 0}${this.border === null ? '' : ',1'}`;
    return `${OPEN}const __cps_c=__cps_w===0?null:__cps_a(${arguments_});try{${CLOSE}`;
  }

  canInstrument(node) {
    if (this.within) return false;
    if (node.body.type !== 'BlockStatement') return true;
    if (node.body.body.some((statement) => statement.directive === 'use asm')) return false;
    if (!fitsBlock(node.body.body, node.params)) return false;
    return !(node.async && hasAwaitUsing(node.body));
  }

  walkFunction(node, hint) {
    const wanted = this.wanted(node, hint);
    const instrument = wanted && this.canInstrument(node);
    const outer = this.current;
    if (wanted && !instrument) this.skipped++;
    const suspendable = Boolean(node.async || node.generator);
    // Parameters are evaluated before the body: nothing in them belongs to the frame.
    this.current = { suspendable: false };
    for (const param of node.params) this.walk(param);
    this.current = { suspendable: suspendable && instrument, async: node.async && !node.generator };
    if (!instrument) this.walk(node.body);
    else if (node.body.type === 'BlockStatement') this.walkBlockBody(node, hint, suspendable);
    else this.walkExpressionBody(node, hint, suspendable);
    this.current = outer;
  }

  walkBlockBody(node, hint, suspendable) {
    const { body } = node;
    let start = body.start + 1;
    let separator = '';
    for (const statement of body.body) {
      if (statement.directive === undefined) break;
      start = statement.end;
      separator = `${OPEN};${CLOSE}`;
    }
    this.out.appendLeft(start, separator + this.opening(this.nameOf(node, hint), suspendable, node.generator));
    for (const statement of body.body) this.walkStatement(statement);
    this.out.appendLeft(body.end - 1, suspendable ? FINALLY_SUSPENDABLE : FINALLY);
  }

  walkExpressionBody(node, hint, suspendable) {
    const opening = this.opening(this.nameOf(node, hint), suspendable, false).slice(0, -CLOSE.length);
    const value = suspendable ? '__cps_x(__cps_c,(' : '(';
    const end = (suspendable ? FINALLY_SUSPENDABLE : FINALLY).slice(OPEN.length, -CLOSE.length);
    this.out.appendLeft(this.arrowEnd(node), OPEN + opening.replace(OPEN, '{') + `return${CLOSE}${OPEN}${value}${CLOSE}`);
    this.walk(node.body);
    this.out.appendLeft(node.end, `${OPEN}${suspendable ? '))' : ')'}${end}}${CLOSE}`);
  }

  // The offset behind the arrow, which is the first "=>" behind the parameters that is no comment.
  arrowEnd(node) {
    const { source } = this;
    let i = node.params.length > 0 ? node.params[node.params.length - 1].end : node.start;
    while (source[i] !== '=' || source[i + 1] !== '>') {
      if (/^(?:\/\/|<!--|-->)/.test(source.slice(i, i + 4))) i = this.lineEnd(i);
      else if (source.startsWith('/*', i)) i = source.indexOf('*/', i) + 2;
      else i++;
    }
    return i + 2;
  }

  lineEnd(offset) {
    const match = /[\n\r\u2028\u2029]/g;
    match.lastIndex = offset;
    return match.exec(this.source).index;
  }

  walkSuspension(node) {
    if (!this.current?.suspendable) return this.walkChildren(node);
    const wrap = node !== this.late;
    if (wrap) this.out.appendRight(node.start, `${OPEN}__cps_r(__cps_c,(${CLOSE}`);
    if (node.argument) {
      this.out.appendRight(node.argument.start, `${OPEN}__cps_p(__cps_c,(${CLOSE}`);
      this.walk(node.argument);
      this.out.appendLeft(node.argument.end, `${OPEN}))${CLOSE}`);
    } else {
      this.out.appendLeft(node.end, `${OPEN} __cps_p(__cps_c)${CLOSE}`);
    }
    if (wrap) this.out.appendLeft(node.end, `${OPEN}))${CLOSE}`);
    return undefined;
  }

  // Each turn of the loop waits before its body, and once more when it ends; the frame is off the
  // stack then, and comes back with the next await, or leaves.
  walkForAwait(node) {
    if (!this.current?.suspendable) return this.walkChildren(node);
    this.walk(node.left);
    this.out.appendRight(node.right.start, `${OPEN}__cps_p(__cps_c,(${CLOSE}`);
    this.walk(node.right);
    this.out.appendLeft(node.right.end, `${OPEN}))${CLOSE}`);
    this.out.appendRight(node.body.start, `${OPEN}{__cps_r(__cps_c);try{${CLOSE}`);
    this.walk(node.body);
    this.out.appendLeft(node.body.end, `${OPEN}}finally{__cps_p(__cps_c)}}${CLOSE}`);
    return undefined;
  }

  walkReturn(node) {
    if (!node.argument) return;
    const wrap = this.current?.suspendable && this.current.async;
    if (wrap) this.out.appendRight(node.argument.start, `${OPEN}__cps_x(__cps_c,(${CLOSE}`);
    this.walk(node.argument);
    if (wrap) this.out.appendLeft(node.argument.end, `${OPEN}))${CLOSE}`);
  }

  // What is thrown into a suspended function arrives in a catch or finally, not behind the await.
  walkTry(node) {
    const resume = this.current?.suspendable ? `${OPEN}__cps_r(__cps_c);${CLOSE}` : '';
    this.walk(node.block);
    if (node.handler) {
      if (resume) this.out.appendLeft(node.handler.body.start + 1, resume);
      this.walk(node.handler);
    }
    if (node.finalizer) {
      if (resume) this.out.appendLeft(node.finalizer.start + 1, resume);
      this.walk(node.finalizer);
    }
  }
}

// The await or yield that a statement takes apart at its end, with a pattern that calls nothing; null
// where it does not.
function takenApart({ type, declarations, expression }) {
  const assigns = type === 'ExpressionStatement' && expression.type === 'AssignmentExpression';
  if (type !== 'VariableDeclaration' && !assigns) return null;
  const { id, init } = assigns ? { id: expression.left, init: expression.right } : declarations[declarations.length - 1];
  if (init?.type !== 'AwaitExpression' && init?.type !== 'YieldExpression') return null;
  return id.type.endsWith('Pattern') && !mayCall(id) ? init : null;
}

// The names that a module exports with `exports.a = b`, `module.exports = b`, `module.exports =
// { a, b: c }` and `export { a }`.
function exportedNames(program) {
  const names = new Set();
  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration') {
      for (const specifier of statement.specifiers) names.add(specifier.local.name);
    } else if (statement.type === 'ExportDefaultDeclaration' && statement.declaration.type === 'Identifier') {
      names.add(statement.declaration.name);
    } else if (statement.type === 'ExpressionStatement') {
      addExportsAssigned(statement.expression, names);
    } else if (statement.type === 'VariableDeclaration') {
      // var app = exports = module.exports = {}: what is assigned to app later is exported too.
      for (const { id, init } of statement.declarations) if (assignsExports(init)) names.add(id.name);
    }
  }
  return names;
}

function assignsExports(node) {
  return node?.type === 'AssignmentExpression' && (isExportsMember(node.left) || assignsExports(node.right));
}

function addExportsAssigned(expression, names) {
  if (expression.type !== 'AssignmentExpression') return;
  const { left, right } = expression;
  if (right.type === 'AssignmentExpression') addExportsAssigned(right, names);
  if (!isExportsMember(left)) return;
  if (right.type === 'Identifier') names.add(right.name);
  if (right.type !== 'ObjectExpression') return;
  for (const property of right.properties) {
    if (property.value?.type === 'Identifier') names.add(property.value.name);
  }
}

// The transformed source, with place-holders for the numbers, and the names of its functions in
// their order; null where there is nothing to do. Throws what the parser throws.
function transform(source, options) {
  if (source.includes('__cps_') || source.includes(OPEN)) return null;
  const program = parse(source, options.module ? 'module' : 'commonjs');
  const work = new Transform(source, program, options.file, options.border ?? null);
  for (const statement of program.body) work.walk(statement);
  return { code: work.out.toString(), names: work.names, skipped: work.skipped };
}

// What was transformed, its functions numbered from `base` on; no column moves. The cache's reader does the same, in
// src/cache.c.
function numbered(code, base) {
  return code.replaceAll(BASE, String(base).padStart(BASE.length));
}

module.exports = { load, transform, numbered };
