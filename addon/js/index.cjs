// SPDX-License-Identifier: Apache-2.0
// node --require .../index.cjs
'use strict';

require('./start.cjs');
