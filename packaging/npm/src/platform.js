// What differs between runtimes. The entries of the package say it: on-node.js and in-browser.js.

import { MemoryError } from './errors.js';

/**
 * @typedef {{ readComponent: (name: string) => Promise<Uint8Array>, inThreads?: (module: WebAssembly.Module) => Promise<import('./runner.js').Way> }} Platform
 */

/** @type {Platform} */
let platform = {
  readComponent: async () => {
    throw new MemoryError('unsupported', 'import the package by its name, or src/browser.js: its other files are parts of it');
  },
};

/** @param {Platform} here */
export const setPlatform = (here) => {
  platform = here;
};

/** @param {string} name */
export const readComponent = (name) => platform.readComponent(name);

/** Threads in which a component can sleep, if there are any. */
export const threads = () => platform.inThreads;
