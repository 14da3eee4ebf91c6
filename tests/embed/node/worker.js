// Runs one call of the smallest component in a thread of its own, so that the imports may wait for the main thread:
// imports are synchronous, and a model behind a network is not. See async-host.js.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { summarizerComponent } from './component.js';

/** @import {Completion, LlmError, Request} from './generated/summarizer/interfaces/myao-memory-llm.js' */
/** @typedef {{ tag: 'ok', val: Completion } | { tag: 'err', val: LlmError }} Answered */

const { call, settings, bell, answers } = workerData;

/** Asks the main thread, and sleeps until it has all answers. @param {Request[]} requests @returns {Answered[]} */
function ask(requests) {
  Atomics.store(bell, 0, 0);
  parentPort?.postMessage({ requests });
  Atomics.wait(bell, 0, 0);
  return receiveMessageOnPort(answers)?.message;
}

/** @param {Request} request @returns {Completion} */
function complete(request) {
  const [answer] = ask([request]);
  if (answer.tag === 'err') throw Object.assign(new Error(answer.val.tag), { payload: answer.val });
  return answer.val;
}

const model = {
  imports: () => ({
    complete,
    completeAll: ask,
    contextWindow: () => undefined,
    countTokens: (/** @type {unknown} */ _, /** @type {string[]} */ texts) => Uint32Array.from(texts, (text) => [...text].length),
  }),
};

const { context, scope, memoryType, existingMemory } = call;
const { memorySummarizer } = summarizerComponent(model, settings);
parentPort?.postMessage({ summary: memorySummarizer.summarize(context, scope, memoryType, existingMemory) });
