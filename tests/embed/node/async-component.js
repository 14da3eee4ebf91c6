// Calls a component whose imports may be async functions: a database, a model behind a network. For the component
// imports are synchronous, so it runs in a thread of its own (worker.js) and sleeps until this one has the answer.

import { MessageChannel, Worker } from 'node:worker_threads';
import { log } from './imports.js';

/** @import {Agent, Completion, Request} from './generated/bot/interfaces/myao-memory-llm.js' */
/** @typedef {any} Functions an object with the functions of an interface, async or not: a plain one, or of a class */
/** @typedef {'storage' | 'llm' | 'chat' | 'log'} Import */

/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** A result, or the error of the contract that is the `payload` of what was thrown. What else is thrown ends the call.
 * @template T @param {() => T | Promise<T>} ask */
export async function answered(ask) {
  try {
    return /** @type {const} */ ({ tag: 'ok', val: await ask() });
  } catch (error) {
    const payload = /** @type {any} */ (error)?.payload;
    if (payload !== undefined) return { tag: /** @type {const} */ ('err'), val: payload };
    throw error;
  }
}

/** The import `llm` of a model that answers one request; what `complete-all` asks for is asked side by side.
 * @param {(request: Request) => Promise<Completion>} complete */
export const modelOf = (complete) => ({
  complete,
  completeAll: (/** @type {Request[]} */ requests) => Promise.all(requests.map((request) => answered(() => complete(request)))),
  contextWindow: () => undefined,
  countTokens: (/** @type {Agent} */ _, /** @type {string[]} */ texts) => Uint32Array.from(texts, (text) => [...text].length),
});

/** Calls an export in a fresh instance. Its thread ends with the call, or at the deadline, whatever it does then; an
 * import that is under way goes on, but its answer goes nowhere.
 * @param {{ component: 'bot' | 'summarizer', imports: Partial<Record<Import, Functions>>, settings: Record<string, string>, deadlineMs: number }} host
 *   `log` may be left out: lines go to standard error then
 * @param {string} exported an interface, as `memoryGenerator` @param {string} name @param {unknown[]} args @returns {Promise<any>} */
export async function call({ component, imports, settings, deadlineMs }, exported, name, args) {
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const { port1: ours, port2: answers } = new MessageChannel();
  const workerData = { component, settings, exported, name, args, bell, answers };
  const worker = new Worker(new URL('worker.js', import.meta.url), { workerData, transferList: [answers] });
  const all = { log, ...imports };
  /** @param {{ imported: Import, name: string, args: unknown[] }} asked */
  const answer = async ({ imported, name, args }) => {
    if (typeof all[imported]?.[name] !== 'function') throw new Error(`the import ${imported} has no function ${name}`);
    ours.postMessage(await answered(() => all[imported][name](...args)));
    Atomics.store(bell, 0, 1);
    Atomics.notify(bell, 0);
  };
  /** @param {unknown[]} line */
  const write = async (line) => all.log.write(...line);
  const called = new Promise((resolve, reject) => {
    worker.on('message', ({ asked, line, result }) => {
      if (asked) answer(asked).catch(reject);
      else if (line) write(line).catch(reject);
      else resolve(result);
    });
    // The contract's error is the payload of an Error, as in one thread; a trap is an Error without.
    worker.on('error', reject);
    const late = setTimeout(() => reject(new Error(`the call took longer than ${deadlineMs} ms`)), Math.min(deadlineMs, LONGEST_MS));
    worker.on('exit', () => {
      clearTimeout(late);
      reject(new Error('the thread of the call ended without a result'));
    });
  });
  return called.finally(() => {
    // What is asked after the deadline is not done.
    worker.removeAllListeners('message');
    ours.close();
    return worker.terminate();
  });
}
