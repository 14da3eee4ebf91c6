// The entry for browsers: the component lies beside the package's scripts, and there are no threads in which it could sleep.

import { MemoryError } from './errors.js';
import { setPlatform } from './platform.js';

export { MemoryError } from './errors.js';
export { Summarizer } from './summarizer.js';

const COMPONENT = new URL('../component/summarizer.wasm', import.meta.url);

setPlatform({
  readComponent: async () => {
    const response = await fetch(COMPONENT);
    if (!response.ok) throw new MemoryError('unavailable', `${COMPONENT} could not be read: ${response.status} ${response.statusText}`);
    return new Uint8Array(await response.arrayBuffer());
  },
});
