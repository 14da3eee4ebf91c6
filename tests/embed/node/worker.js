// Runs one call of the smallest component in a thread of its own, so that the imports may wait for the main thread:
// imports are synchronous, and a model behind a network is not. See async-host.js.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { summarizerComponent } from './component.js';

/** @import {Completion, LlmError, Request} from './generated/summarizer/interfaces/myao-memory-llm.js' */
/** @typedef {{ ok: Completion } | { err: LlmError }} Answered */

const { call, settings, bell, answers } = workerData;

/** Asks the main thread, and sleeps until it has answered. @param {Request} request @returns {Completion} */
function complete(request) {
  Atomics.store(bell, 0, 0);
  parentPort?.postMessage({ request });
  Atomics.wait(bell, 0, 0);
  /** @type {Answered} */
  const answer = receiveMessageOnPort(answers)?.message;
  if ('err' in answer) throw Object.assign(new Error(answer.err.tag), { payload: answer.err });
  return answer.ok;
}

const model = {
  imports: () => ({
    complete,
    completeAll: (/** @type {Request[]} */ requests) =>
      requests.map((request) => {
        try {
          return /** @type {const} */ ({ tag: 'ok', val: complete(request) });
        } catch (error) {
          if (error instanceof Error && 'payload' in error) return { tag: /** @type {const} */ ('err'), val: /** @type {LlmError} */ (error.payload) };
          throw error;
        }
      }),
    contextWindow: () => undefined,
    countTokens: (/** @type {unknown} */ _, /** @type {string[]} */ texts) => Uint32Array.from(texts, (text) => [...text].length),
  }),
};

const { context, scope, memoryType, existingMemory } = call;
const { memorySummarizer } = summarizerComponent(model, settings);
parentPort?.postMessage({ summary: memorySummarizer.summarize(context, scope, memoryType, existingMemory) });
