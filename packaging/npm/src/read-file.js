// Reads a component that lies in the package.

import { readFile } from 'node:fs/promises';

/** @param {string} name */
export const readComponent = (name) => readFile(new URL(`../component/${name}.wasm`, import.meta.url));
