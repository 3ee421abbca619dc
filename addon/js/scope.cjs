// SPDX-License-Identifier: Apache-2.0
// Whether the body of a function means the same inside a block.
//
// The transform puts the body into a try block. Declarations with let, const and class do not
// notice. A function declaration does: at the top of a function it is a variable, may be repeated
// and may share its name with a var or a parameter; in a block it may not. Such a function is left
// as it is. So is one with a function declaration behind a label, and one with a direct eval beside
// function declarations, which might declare one.
'use strict';

function isFunction(node) {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

function eachChild(node, visit) {
  for (const key in node) {
    const value = node[key];
    if (value === null || typeof value !== 'object') continue;
    if (Array.isArray(value)) {
      for (const item of value) if (item !== null && typeof item === 'object') visit(item, key);
    } else if (typeof value.type === 'string') visit(value, key);
  }
}

function patternNames(node, out) {
  switch (node?.type) {
    case 'Identifier':
      out.add(node.name);
      break;
    case 'ObjectPattern':
      for (const property of node.properties) patternNames(property.value ?? property.argument, out);
      break;
    case 'ArrayPattern':
      for (const element of node.elements) patternNames(element, out);
      break;
    case 'AssignmentPattern':
      patternNames(node.left, out);
      break;
    case 'RestElement':
      patternNames(node.argument, out);
      break;
  }
}

// The names that var and nested function declarations give to a function's scope; true where there
// is a direct eval.
function collect(node, top, out) {
  if (isFunction(node)) {
    if (!top && node.type === 'FunctionDeclaration') out.add(node.id.name);
    return false;
  }
  if (node.type === 'VariableDeclaration' && node.kind === 'var') {
    for (const declarator of node.declarations) patternNames(declarator.id, out);
  }
  let found = node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'eval';
  eachChild(node, (child) => {
    if (collect(child, false, out)) found = true;
  });
  return found;
}

function hasAwaitUsing(node) {
  if (isFunction(node)) return false;
  if (node.type === 'VariableDeclaration' && node.kind === 'await using') return true;
  let found = false;
  eachChild(node, (child) => {
    found ||= hasAwaitUsing(child);
  });
  return found;
}

const PLAIN = new Set(['Identifier', 'Literal', 'ObjectPattern', 'ArrayPattern', 'ObjectExpression', 'ArrayExpression',
  'AssignmentPattern', 'RestElement', 'Property']);

// Whether a pattern, or a default in it, may call a function that is written down somewhere.
function mayCall(node) {
  if (isFunction(node)) return false;
  let found = !PLAIN.has(node.type);
  eachChild(node, (child) => {
    found ||= mayCall(child);
  });
  return found;
}

// What stands behind labels.
function labelled(statement) {
  return statement.type === 'LabeledStatement' ? labelled(statement.body) : statement;
}

// statements: of a function body or a static block.
function fitsBlock(statements, params) {
  const declared = new Set();
  for (const statement of statements) {
    if (labelled(statement).type !== 'FunctionDeclaration') continue;
    if (statement.type === 'LabeledStatement' || declared.has(statement.id.name)) return false;
    declared.add(statement.id.name);
  }
  if (declared.size === 0) return true;
  const others = new Set(['arguments']);
  for (const param of params) patternNames(param, others);
  for (const statement of statements) if (collect(statement, true, others)) return false;
  for (const name of declared) if (others.has(name)) return false;
  return true;
}

module.exports = { isFunction, eachChild, fitsBlock, hasAwaitUsing, mayCall };
