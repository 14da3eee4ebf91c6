// Reads a component that lies beside the package's scripts on a web server.

import { MemoryError } from './errors.js';

const COMPONENTS = /** @type {Record<string, URL>} */ ({
  summarizer: new URL('../component/summarizer.wasm', import.meta.url),
});

/** @param {string} name */
export async function readComponent(name) {
  const url = COMPONENTS[name];
  const response = await fetch(url);
  if (!response.ok) throw new MemoryError('unavailable', `${url} could not be read: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}
