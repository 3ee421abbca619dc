// SPDX-License-Identifier: Apache-2.0
// Three things that do not need each other, one after another.
'use strict';
const wait = require('./wait.cjs');

async function loadUser() {
  return wait(40, 'user');
}

async function loadOrders() {
  return wait(45, 'orders');
}

async function loadNews() {
  return wait(35, 'news');
}

exports.answer = async function dashboard() {
  const user = await loadUser();
  const orders = await loadOrders();
  const news = await loadNews();
  return [user, orders, news];
};
