// What a program gives the component: checked before anything runs, and called with their own `this`.

import { checked, isPromise } from './check.js';
import { MemoryError, payloadOf } from './errors.js';
import { camel } from './names.js';
import { functionOf, functionsOf } from './types.js';

/** @import {Host, Outcome} from './component.js' */
/** @typedef {Record<string, (...args: any[]) => any>} Functions */

/** @param {string} text */
const invalid = (text) => new MemoryError('invalid-options', text);

/** The names of an object's functions, its own and those of its class. @param {any} object */
function functionNames(object) {
  const names = new Set();
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === 'function' || get) names.add(name);
    }
  }
  names.delete('constructor');
  return [...names];
}

/** The functions of an import, each bound to its object. A plain object may have no others: a misspelt one would never be called.
 * @param {string} name of the import @param {any} object @param {{ needed: string[], optional?: string[] }} functions @returns {Functions} */
export function functionsIn(name, object, { needed, optional = [] }) {
  if (isPromise(object)) throw invalid(`${name} is a promise: await it`);
  if (typeof object !== 'object' || object === null) throw invalid(`${name} is no object with the functions ${needed.join(', ')}`);
  const known = [...needed, ...optional];
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(object));
  const given = functionNames(object);
  const missing = needed.filter((each) => typeof object[each] !== 'function');
  const unknown = isPlain ? given.filter((each) => !known.includes(each)) : [];
  if (missing.length > 0 || unknown.length > 0) {
    const parts = [];
    if (missing.length > 0) parts.push(`it has no function ${missing.join(', ')}`);
    if (unknown.length > 0) parts.push(`nothing calls ${unknown.join(', ')} (known are ${known.join(', ')})`);
    throw invalid(`${name}: ${parts.join('; ')}`);
  }
  return Object.fromEntries(known.flatMap((each) => (object[each] === undefined ? [] : [[each, bound(name, object, each)]])));
}

/** @param {string} name @param {any} object @param {string} each */
function bound(name, object, each) {
  if (typeof object[each] !== 'function') throw invalid(`${name}.${each} is no function`);
  return object[each].bind(object);
}

const RECALL = functionsOf('recall');

/** The functions of a storage that was opened for a place. @param {any} opened */
export function storageFunctions(opened) {
  const functions = functionsIn('storage.at(place)', opened, { needed: functionsOf('storage'), optional: RECALL });
  const missing = RECALL.filter((name) => !functions[name]);
  if (missing.length === 1) throw invalid(`storage.at(place): it has no function ${missing[0]}; of ${RECALL.join(' and ')} give both or none`);
  return { ...(missing.length > 0 ? NO_RECALL : {}), ...functions };
}

/** A store that cannot search. */
const NO_RECALL = {
  findCandidates: () => ({ messages: [], counts: [], messageCount: 0 }),
  terms: () => [],
};

/** A model: `complete` is enough. @param {any} llm @returns {Functions} */
export function llmFunctions(llm) {
  const functions = functionsIn('llm', llm, { needed: ['complete'], optional: ['completeAll', 'contextWindow', 'countTokens'] });
  const complete = async (/** @type {any} */ request) => completion(await functions.complete(request));
  return {
    completeAll: (/** @type {any[]} */ requests) => Promise.all(requests.map((request) => eachOutcome(complete, request))),
    contextWindow: () => undefined,
    // A token for each character: never too few.
    countTokens: (_, /** @type {string[]} */ texts) => texts.map((text) => [...text].length),
    ...functions,
    complete: (/** @type {any} */ request) => {
      const answer = functions.complete(request);
      return isPromise(answer) ? answer.then(completion) : completion(answer);
    },
  };
}

/** A text alone is a whole answer. @param {any} answer */
const completion = (answer) => (typeof answer === 'string' ? { text: answer, finishReason: 'stop', model: '' } : answer);

/** @param {(request: any) => Promise<any>} complete @param {any} request @returns {Promise<Outcome>} */
async function eachOutcome(complete, request) {
  try {
    return { tag: 'ok', val: await complete(request) };
  } catch (error) {
    const val = payloadOf(error, /** @type {any} */ (functionOf('llm', 'complete')).err);
    if (val === undefined) throw error;
    return { tag: 'err', val };
  }
}

/** Where there is no model. @type {Functions} */
export const NO_LLM = llmFunctions({
  complete: () => {
    throw new MemoryError('invalid-request', 'no llm was given to load');
  },
});

/** A chat platform: `post` is enough. @param {any} chat @returns {Functions} */
export function chatFunctions(chat) {
  const missing = (/** @type {string} */ name) => () => {
    throw new MemoryError('not-found', `the chat has no function ${name}`);
  };
  const optional = functionsOf('chat').filter((name) => name !== 'post');
  const functions = functionsIn('chat', chat, { needed: ['post'], optional });
  return { ...Object.fromEntries(optional.map((name) => [name, missing(name)])), ...functions };
}

/** Answers the imports of one call. @param {Record<string, Functions>} imports by interface @param {import('./bound.js').Bound} [bound] to its place @returns {Host} */
export function hostOf(imports, bound) {
  return (owner, name, args) => {
    const func = functionOf(owner, name);
    const given = imports[owner]?.[camel(name)];
    const path = `${owner === 'recall' ? 'storage' : owner}.${camel(name)}`;
    if (!func || !given) throw new MemoryError('import-failed', `${path} is not there for this call`);
    // The component must not learn that it was caught, and go on: this is thrown, and no error of the contract.
    bound?.check(owner, name, args);
    /** @param {unknown} value @returns {Outcome} */
    const ok = (value) => {
      const val = func.ok ? checked(func.ok, value, `what ${path} returned`, { exact: false }) : undefined;
      bound?.note(owner, name, args, val);
      return { tag: 'ok', val };
    };
    /** @param {any} error @returns {Outcome} */
    const failed = (error) => {
      const payload = func.err ? payloadOf(error, func.err) : undefined;
      if (func.err && payload !== undefined) return { tag: 'err', val: checked(func.err, payload, `the error of ${path}`, { exact: false }) };
      throw importFailed(path, error);
    };
    let value;
    try {
      value = given(...args);
    } catch (error) {
      return failed(error);
    }
    return isPromise(value) ? value.then(ok, failed) : ok(value);
  };
}

/** @param {string} path @param {any} error */
function importFailed(path, error) {
  const lostThis = error instanceof TypeError && /private|undefined|\bthis\b/.test(error.message);
  const hint = lostThis ? ' (a method that was taken from its object has lost its `this`: give the object, or bind the method)' : '';
  return new MemoryError('import-failed', `${path} failed: ${error?.message ?? error}${hint}`, { cause: error });
}
