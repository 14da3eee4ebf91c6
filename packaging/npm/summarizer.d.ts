export { MemoryError, Summarizer } from './index.js';
export type { SummarizerOptions, Now } from './index.js';
export type * from './contract.js';
