// Calls in threads of their own, for runtimes that cannot wait for promises in a component (Node 20 and 22). A thread sleeps
// until this one has the answer to what its component asks.

import { MessageChannel, Worker } from 'node:worker_threads';
import { MemoryError } from './errors.js';

/** @import {Way, Work} from './runner.js' */

/** A thread, which does one call after the other. */
class Thread {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    const { port1, port2 } = new MessageChannel();
    this.bell = new Int32Array(new SharedArrayBuffer(4));
    this.answers = port1;
    const workerData = { module, bell: this.bell, answers: port2 };
    this.worker = new Worker(new URL('worker.js', import.meta.url), { workerData, transferList: [port2], execArgv: [], env: {} });
    this.worker.unref();
  }

  /** @param {Work} work @param {AbortSignal} signal @returns {Promise<any>} */
  async call({ host, owner, name, args }, signal) {
    const { worker } = this;
    const ended = new AbortController();
    const only = { signal: ended.signal };
    try {
      worker.ref();
      return await new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), only);
        const listeners = {
          error: reject,
          exit: () => reject(new MemoryError('trapped', `the thread of ${owner}.${name} ended`)),
          message: (/** @type {any} */ { asked, result, failed }) => {
            if (asked) this.#answer(host, asked).catch(reject);
            else if (failed) reject(new MemoryError(failed.code, failed.message, failed));
            else resolve(result);
          },
        };
        for (const [event, listener] of Object.entries(listeners)) {
          worker.on(event, listener);
          ended.signal.addEventListener('abort', () => worker.off(event, listener));
        }
        worker.postMessage({ owner, name, args });
      });
    } finally {
      ended.abort();
      worker.unref();
    }
  }

  /** @param {import('./component.js').Host} host @param {{ owner: string, name: string, args: any[] }} asked */
  async #answer(host, { owner, name, args }) {
    this.answers.postMessage(await host(owner, name, args));
    Atomics.store(this.bell, 0, 1);
    Atomics.notify(this.bell, 0);
  }

  end() {
    this.answers.close();
    return this.worker.terminate();
  }
}

/** @param {WebAssembly.Module} module @returns {Way} */
export function inThreads(module) {
  /** @type {Thread[]} */
  const idle = [];
  return async (work, signal) => {
    const thread = idle.pop() ?? new Thread(module);
    try {
      const result = await thread.call(work, signal);
      idle.push(thread);
      return result;
    } catch (error) {
      // Whatever it does: computing, or sleeping until an answer that will not come.
      await thread.end();
      throw error;
    }
  };
}
