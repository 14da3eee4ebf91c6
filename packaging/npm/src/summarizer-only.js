// The entry `myao-memory/summarizer` outside browsers.

import './on-node.js';

export { MemoryError } from './errors.js';
export { Summarizer } from './summarizer.js';
