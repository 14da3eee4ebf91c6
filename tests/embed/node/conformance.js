// Checks the stores of the package against the contract: the component runs each check over an empty store. Prints what came
// of each check: `passed`, or what was skipped or failed. All channels of the checks are public.
//
//     node conformance.js

import { readFileSync } from 'node:fs';
import { WASIShim } from '@bytecodealliance/preview2-shim/instantiation';
import { MemoryError, MemoryStore, SqliteStore } from 'myao-memory';
import { instantiate } from './generated/conformance/conformance.js';

/** @typedef {MemoryStore | SqliteStore} Store */
/** @typedef {'workspace' | 'schedule' | { channel: string }} Place */

/** The 64-bit numbers of the contract: bigints in jco's bindings, numbers in the package. */
const WIDE = new Set(['id', 'unixSeconds', 'mergedThrough']);

/** @param {any} value @param {string} [field] @returns {any} */
function toComponent(value, field = '') {
  if (Array.isArray(value)) return value.map((item) => toComponent(item));
  if (typeof value === 'number') return WIDE.has(field) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, toComponent(of, name)]));
}

/** @param {any} value @returns {any} */
function toStore(value) {
  if (typeof value === 'bigint') return Number(value);
  if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value), Number);
  if (Array.isArray(value)) return value.map(toStore);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, toStore(of)]));
}

/** @param {string} channel @returns {Place} */
const inChannel = (channel) => ({ channel });

/** @param {string} scope @param {string} scopeId @returns {Place} */
const ofMemory = (scope, scopeId) => (scope === 'workspace' ? scope : inChannel(scopeId.split(':')[0]));

/** For which place the store is opened, by the function and its arguments. @type {Record<string, (...args: any[]) => Place>} */
const STORAGE = {
  listChannels: () => 'workspace',
  listMessages: (query) => inChannel(query.channelId),
  listMarked: (channelId) => inChannel(channelId),
  listStrikes: () => 'workspace',
  listItems: ({ channelId }) => (channelId === undefined ? 'workspace' : inChannel(channelId)),
  listMemories: () => 'workspace',
  readSpans: () => 'workspace',
  listDue: () => 'schedule',
  getBacklog: (channelId) => inChannel(channelId),
  saveMemory: (draft) => ofMemory(draft.scope, draft.scopeId),
  listDeferrals: ofMemory,
  defer: ofMemory,
};
/** @type {typeof STORAGE} */
const RECALL = { findCandidates: () => 'workspace', terms: () => 'workspace' };

/** The functions of an import over one store. @param {Store} store @param {typeof STORAGE} places */
function functionsOver(store, places) {
  const call = (/** @type {string} */ name, /** @type {any[]} */ given) => {
    const args = given.map(toStore);
    const opened = /** @type {any} */ (store.at(places[name](...args)));
    try {
      return toComponent(opened[name](...args));
    } catch (error) {
      if (!(error instanceof MemoryError)) throw error;
      throw Object.assign(new Error(error.message), { payload: { tag: error.code, val: error.message } });
    }
  };
  return Object.fromEntries(Object.keys(places).map((name) => [name, (/** @type {any[]} */ ...args) => call(name, args)]));
}

/** @param {string} name */
const coreModule = (name) => new WebAssembly.Module(readFileSync(new URL(`generated/conformance/${name}`, import.meta.url)));

/** The checks over one store, which must be empty. @param {Store} store */
function suiteOver(store) {
  const putMessage = (/** @type {any} */ given) => {
    const message = toStore(given);
    store.putMessage({ ...message, editedAt: message.editedAt?.unixSeconds });
  };
  const platform = {
    addUser: (/** @type {any} */ user) => void store.putUser(user),
    addChannel: (/** @type {any} */ channel) => void store.putChannel(channel),
    putMessage,
    deleteMessage: (/** @type {string} */ channelId, /** @type {string} */ ts) => void store.deleteMessage(channelId, ts),
  };
  const imports = {
    'myao:memory/storage': functionsOver(store, STORAGE),
    'myao:memory/recall': functionsOver(store, RECALL),
    'myao:conformance/platform': platform,
    ...new WASIShim().getImportObject(),
  };
  return instantiate(coreModule, /** @type {any} */ (imports)).suite;
}

/** @param {() => Store} newStore @param {string} check */
function run(newStore, check) {
  try {
    const outcome = suiteOver(newStore()).run(check);
    return outcome.tag === 'passed' ? outcome.tag : { [outcome.tag]: outcome.val };
  } catch (error) {
    // The store threw what is no error of the contract.
    return { failed: String(error) };
  }
}

/** @type {Record<string, () => Store>} */
const stores = { MemoryStore: () => new MemoryStore() };
if (process.getBuiltinModule('node:sqlite')) stores.SqliteStore = () => new SqliteStore(':memory:');
else console.error('this Node has no node:sqlite: SqliteStore is not checked');
const checks = suiteOver(new MemoryStore()).checks();
const outcomes = Object.entries(stores).map(([name, newStore]) => [
  name,
  Object.fromEntries(checks.map((check) => [check, run(newStore, check)])),
]);
console.log(JSON.stringify(Object.fromEntries(outcomes), null, 2));
if (outcomes.some(([, of]) => Object.values(of).some((outcome) => outcome !== 'passed'))) process.exitCode = 1;
