export { MemoryError } from './errors.js';
export { Summarizer } from './summarizer.js';
