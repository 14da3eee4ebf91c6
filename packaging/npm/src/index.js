import './on-node.js';

export { MemoryError } from './errors.js';
export { Memory } from './memory.js';
export { MemoryStore } from './stores/memory-store.js';
export { SqliteStore } from './stores/sqlite-store.js';
export { Summarizer } from './summarizer.js';
