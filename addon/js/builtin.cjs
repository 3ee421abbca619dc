// SPDX-License-Identifier: Apache-2.0
// Modules of Node's own, where one is needed late: not through require(), which the application may have hooked.
'use strict';

const get = process.getBuiltinModule;

module.exports = { builtin: typeof get === 'function' ? (name) => get(name) : require };
