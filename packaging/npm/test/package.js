// The package as it was put together, for tests.

export * from '../../../target/npm/src/index.js';
export { terms } from '../../../target/npm/src/stores/terms.js';

/** Whether this runtime has node:sqlite. */
export const hasSqlite = Boolean(process.getBuiltinModule?.('node:sqlite'));
