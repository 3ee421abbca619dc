// SPDX-License-Identifier: Apache-2.0
// What a function is called, for a reader: from its own name, or from where it stands.
'use strict';

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete', 'options', 'head', 'all']);

function keyName(node) {
  const { key } = node;
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  if (!node.computed && key.type === 'Identifier') return key.name;
  if (key.type === 'Literal') return String(key.value);
  if (key.type === 'MemberExpression' && key.property.type === 'Identifier') return `[${memberName(key)}]`;
  return '<computed>';
}

// The dotted name of a chain of members, without what says nothing: exports, prototype, this.
function memberName(node) {
  if (node.type === 'Identifier') return node.name === 'exports' ? '' : node.name;
  if (node.type === 'ThisExpression') return 'this';
  if (node.type !== 'MemberExpression') return '';
  const object = memberName(node.object);
  let property = '<computed>';
  if (node.property.type === 'PrivateIdentifier') property = `#${node.property.name}`;
  else if (!node.computed) property = node.property.name;
  else if (node.property.type === 'Literal') property = String(node.property.value);
  if (property === 'prototype') return object;
  if (object === 'module' && property === 'exports') return '';
  return object === '' || object === 'this' ? property : `${object}.${property}`;
}

function isExportsMember(node) {
  if (node.type === 'Identifier') return node.name === 'exports';
  if (node.type !== 'MemberExpression') return false;
  if (node.object.type === 'Identifier' && node.object.name === 'module') return true;
  return isExportsMember(node.object);
}

function isPrototypeMember(node) {
  return (
    node.type === 'MemberExpression' &&
    node.object.type === 'MemberExpression' &&
    !node.object.computed &&
    node.object.property.name === 'prototype'
  );
}

// "GET /cart handler" for a function given to app.get('/cart', ...).
function routeName(call) {
  const { callee, arguments: args } = call;
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return null;
  const method = callee.property.name;
  if (!METHODS.has(method)) return null;
  const route = args[0];
  if (route?.type === 'Literal' && typeof route.value === 'string' && route.value.startsWith('/')) {
    return `${method.toUpperCase()} ${route.value} handler`;
  }
  // router.route('/cart').get(...)
  const inner = callee.object;
  if (
    inner.type === 'CallExpression' &&
    inner.callee.type === 'MemberExpression' &&
    inner.callee.property.name === 'route' &&
    inner.arguments[0]?.type === 'Literal'
  ) {
    return `${method.toUpperCase()} ${inner.arguments[0].value} handler`;
  }
  return null;
}

module.exports = { keyName, memberName, isExportsMember, isPrototypeMember, routeName };
