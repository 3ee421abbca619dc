// SPDX-License-Identifier: Apache-2.0
// A fresh realm for one program, with or without what transformed source needs in it.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const transformer = require('../js/transform.cjs');

const NAMES = ['__cps_e', '__cps_b', '__cps_l', '__cps_a', '__cps_m', '__cps_p', '__cps_r', '__cps_x'];
const TO_STRING = fs.readFileSync(path.join(__dirname, '../js/tostring.cjs'), 'utf8');
// What the realm's global says about how many requests are recorded; undefined: nothing is transformed.
const MODES = {
  plain: {},
  idle: { border: null, count: { value: 0 } },
  watched: { border: null, count: { value: 1 } },
  changing: { border: null, count: { get: alternating() } },
  border: { border: 'package', count: { value: 1 } },
};

// A tracer that comes and goes between any two functions.
function alternating() {
  let calls = 0;
  return () => ++calls & 1;
}

transformer.load();

function rewrite(source, isModule, border, counts) {
  try {
    const made = transformer.transform(source, { file: 'test.js', module: isModule, border });
    if (made === null || made.names.length === 0) return source;
    counts.transformed++;
    counts.skipped += made.skipped;
    return transformer.numbered(made.code, 0);
  } catch {
    return source;
  }
}

class Realm {
  // harness: the texts that come before a test. counts: what was transformed.
  constructor(mode, harness, counts) {
    this.name = mode;
    this.mode = MODES[mode];
    this.harness = harness;
    this.counts = counts;
    this.modules = new Map();
    this.outcome = null; // what $DONE was called with, in an array
    this.context = vm.createContext({}, { importModuleDynamically: this.importer('') });
    this.global = vm.runInContext('this', this.context);
    if (this.mode.count) this.prepare();
    this.addHost();
  }

  prepare() {
    for (const name of NAMES) Object.defineProperty(this.global, name, { value: globalThis[name] });
    Object.defineProperty(this.global, '__cps_w', { ...this.mode.count, configurable: true });
    const load = vm.compileFunction(TO_STRING, ['module'], { parsingContext: this.context });
    const module_ = {};
    load(module_);
    module_.exports.patchToString();
  }

  // Everything that the host of a test gives to it.
  addHost() {
    const { global } = this;
    global.print = () => {};
    global.createIsHTMLDDA = () => ({});
    global.reportCompare = () => {};
    for (const text of this.harness) vm.runInContext(text, this.context);
    global.$DONE = (error) => (this.outcome = this.outcome ?? [error]);
    global.$262 = {
      global,
      gc: () => {},
      createRealm: () => new Realm(this.name, this.harness, this.counts).global.$262,
      evalScript: (text) => this.script(text, '').runInContext(this.context),
      detachArrayBuffer: (buffer) => void structuredClone(buffer, { transfer: [buffer] }),
    };
  }

  transformed(source, isModule) {
    return this.mode.count ? rewrite(source, isModule, this.mode.border, this.counts) : source;
  }

  importer(file) {
    return async (specifier) => {
      const module_ = this.module(path.resolve(path.dirname(file), specifier));
      if (module_.status === 'unlinked') await this.link(module_);
      if (module_.status === 'linked') await module_.evaluate();
      return module_;
    };
  }

  script(source, file) {
    const options = { filename: 'test.js', importModuleDynamically: this.importer(file) };
    return new vm.Script(this.transformed(source, false), options);
  }

  module(file, source = fs.readFileSync(file, 'utf8')) {
    const known = this.modules.get(file);
    if (known) return known;
    const made = new vm.SourceTextModule(this.transformed(source, true), {
      context: this.context,
      identifier: file,
      importModuleDynamically: this.importer(file),
      initializeImportMeta: (meta) => (meta.url = 'test.js'),
    });
    this.modules.set(file, made);
    return made;
  }

  link(module_) {
    return module_.link((name, from) => this.module(path.resolve(path.dirname(from.identifier), name)));
  }

  // Runs a test; what its promises do comes later.
  async run(test) {
    if (!test.module) {
      this.script(test.source, test.file).runInContext(this.context);
      return;
    }
    const main = this.module(test.file, test.source);
    await this.link(main);
    await main.evaluate();
  }
}

module.exports = { MODES: Object.keys(MODES), Realm };
