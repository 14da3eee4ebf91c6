// Node, Deno and Bun: the components lie in the package's folder, and there are threads.

import { readFile } from 'node:fs/promises';
import { setPlatform } from './platform.js';

setPlatform({
  readComponent: (name) => readFile(new URL(`../component/${name}.wasm`, import.meta.url)),
  inThreads: async (module) => (await import('./threads.js')).inThreads(module),
});
