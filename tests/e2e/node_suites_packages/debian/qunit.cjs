// SPDX-License-Identifier: Apache-2.0
// Preloaded: QUnit's reporter tells what failed alone; this prints a line for each assertion.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const QUnit = require(path.join(process.cwd(), 'node_modules/qunit-extras'));

QUnit.log(({ result, module, name }) => fs.writeSync(1, `\n${result ? 'ok' : 'not ok'} - ${module}: ${name}\n`));
