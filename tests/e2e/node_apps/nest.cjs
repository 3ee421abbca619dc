// SPDX-License-Identifier: Apache-2.0
'use strict';
// Builds the Nest application with TypeScript, as `nest build` does, and runs what came of it.
const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const source = path.join(__dirname, 'nest/app.ts');
const built = source.replace(/\.ts$/, '.js');
const { outputText } = ts.transpileModule(fs.readFileSync(source, 'utf8'), {
  compilerOptions: {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2022,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
  },
});
fs.writeFileSync(built, outputText);
require(built);
