// Runs one call of a component, with imports that wait for the main thread. See async-component.js.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { botComponent, summarizerComponent } from './component.js';

const { component, settings, exported, name, args, bell, answers } = workerData;

/** Asks the main thread, and sleeps until it has the answer. @param {{ imported: string, name: string, args: unknown[] }} asked */
function ask(asked) {
  Atomics.store(bell, 0, 0);
  parentPort?.postMessage({ asked });
  Atomics.wait(bell, 0, 0);
  const answer = receiveMessageOnPort(answers)?.message;
  if (answer.tag === 'err') throw Object.assign(new Error(answer.val.tag), { payload: answer.val });
  return answer.val;
}

/** An interface of which the main thread has the functions. @param {string} imported @returns {{ imports: () => any }} */
const distant = (imported) => {
  const get = (/** @type {unknown} */ _, /** @type {string} */ name) => (/** @type {unknown[]} */ ...args) => ask({ imported, name, args });
  return { imports: () => new Proxy({}, { get }) };
};

/** Lines go ahead of the result, and nothing waits for them. */
const log = { write: (/** @type {unknown[]} */ ...line) => parentPort?.postMessage({ line }) };

/** @type {any} */
const instance =
  component === 'bot'
    ? botComponent({ store: distant('storage'), model: distant('llm'), platform: distant('chat'), settings, log })
    : summarizerComponent(distant('llm'), settings, log);
parentPort?.postMessage({ result: instance[exported][name](...args) });
