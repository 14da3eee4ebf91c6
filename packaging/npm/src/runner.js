// Runs calls: so many at once, each until its deadline, on what this runtime has.

import { call, canWait } from './component.js';
import { MemoryError } from './errors.js';
import { threads } from './platform.js';

/** @import {Host, Outcome} from './component.js' */
/** @typedef {{ concurrentCalls: number, deadlineMs: number }} Limits */
/** @typedef {{ host: Host, owner: string, name: string, args: any[] }} Work */
/** Does one call; `signal` is aborted at its deadline. @typedef {(work: Work, signal: AbortSignal) => Promise<Outcome>} Way */

/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;
const DEFAULTS = { concurrentCalls: 16, deadlineMs: 15 * 60 * 1000 };

/** @param {any} limits @returns {Limits} */
export function limitsOf(limits = {}) {
  for (const [name, value] of Object.entries(limits)) {
    if (!(name in DEFAULTS)) throw new MemoryError('invalid-options', `limits.${name} is not known; there are ${Object.keys(DEFAULTS).join(', ')}`);
    if (typeof value !== 'number' || !(value >= 1)) throw new MemoryError('invalid-options', `limits.${name} is ${value}: a number from 1 on is expected`);
  }
  return { ...DEFAULTS, ...limits };
}

/** Calls in this thread, waiting for promises (JSPI). @param {WebAssembly.Module} module @returns {Way} */
const waiting = (module) => async ({ host, owner, name, args }) => call(module, host, owner, name, args, true);

/** Calls in this thread, without waiting: only for imports that answer at once. @param {WebAssembly.Module} module @returns {Way} */
const atOnce = (module) => async ({ host, owner, name, args }) => call(module, host, owner, name, args, false);

/** The best way that this runtime has. A browser without JSPI can still show prompts. @param {WebAssembly.Module} module @returns {Promise<Way>} */
export async function wayOf(module) {
  if (canWait()) return waiting(module);
  return (await threads()?.(module)) ?? atOnce(module);
}

export class Runner {
  #running = 0;
  /** @type {(() => void)[]} */
  #queue = [];

  /** @param {Way} way @param {Limits} limits */
  constructor(way, limits) {
    this.way = way;
    this.limits = limits;
  }

  /** @param {Work} work @returns {Promise<Outcome>} */
  async run(work) {
    if (this.#running >= this.limits.concurrentCalls) await new Promise((resolve) => this.#queue.push(() => resolve(undefined)));
    else this.#running += 1;
    try {
      return await this.#untilDeadline(work);
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** @param {Work} work @returns {Promise<Outcome>} */
  #untilDeadline(work) {
    const { deadlineMs } = this.limits;
    const ended = new AbortController();
    /** What is asked after the deadline is not done. @type {Host} */
    const host = (...asked) => {
      ended.signal.throwIfAborted();
      return work.host(...asked);
    };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const error = new MemoryError('timed-out', `${work.owner}.${work.name} took longer than ${deadlineMs} ms`);
        ended.abort(error);
        reject(error);
      }, Math.min(deadlineMs, LONGEST_MS));
      this.way({ ...work, host }, ended.signal).then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
