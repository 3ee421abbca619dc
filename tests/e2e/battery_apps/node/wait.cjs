// SPDX-License-Identifier: Apache-2.0
// Stands in for a database or a service that takes a while.
'use strict';
const { setTimeout } = require('node:timers/promises');

module.exports = (ms, value) => setTimeout(ms, value);
