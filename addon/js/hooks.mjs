// SPDX-License-Identifier: Apache-2.0
// The hooks of module.register, on the loader's thread. Names are sent to the thread that runs the
// modules before it gets their source. Other preloads run on this thread too, and what they import
// passes through the hooks.
import binding from './binding.cjs';
import globals from './globals.cjs';
import loader from './loader.cjs';
import modules from './modules.cjs';
import registry from './registry.cjs';

let rewriter = null;

class Forwarder extends registry.Registry {
  store(base, names) {
    this.port.postMessage({ base, names });
  }
}

export function initialize({ config, counter, port }) {
  const forwarder = new Forwarder(counter);
  forwarder.port = port;
  port.unref();
  globals.defineIdle();
  rewriter = modules.createModules(config, forwarder, binding.loadBinding());
}

export async function load(url, context, next) {
  return loader.rewriteLoaded(rewriter, url, await next(url, context));
}
