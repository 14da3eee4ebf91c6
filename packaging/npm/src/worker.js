// A thread that calls a component, with imports that wait for the main thread. See threads.js.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { call } from './component.js';

const { module, bell, answers } = workerData;
const main = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

/** Asks the main thread, and sleeps until it has the answer. @type {import('./component.js').Host} */
function ask(owner, name, args) {
  Atomics.store(bell, 0, 0);
  main.postMessage({ asked: { owner, name, args } });
  Atomics.wait(bell, 0, 0);
  return receiveMessageOnPort(answers)?.message;
}

main.on('message', ({ owner, name, args }) => {
  try {
    main.postMessage({ result: call(module, ask, owner, name, args, false) });
  } catch (error) {
    const { code = 'trapped', message, retry } = /** @type {any} */ (error);
    main.postMessage({ failed: { code, message, retry } });
  }
});
