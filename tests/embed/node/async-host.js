// The smallest component with a model that answers later, and a deadline that covers the time of the model:
//
//   node async-host.js CONTEXT.json WORKSPACE.json

import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { ScriptedModel } from './imports.js';
import { camel, plain, readAnswers, readContext } from './json.js';

/** @import {Completion, Request} from './generated/summarizer/interfaces/myao-memory-llm.js' */
/** @import {Summary} from './generated/summarizer/interfaces/myao-memory-memory-summarizer.js' */

const [context, script] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const call = { context: readContext(context), scope: 'channel', memoryType: 'short-term' };
const settings = camel(script.settings);
/** The context window of a small model: prompt and answer, in characters. */
const WINDOW = 800;

/** Summarises with a model that may wait. The thread ends with the call, or at the deadline, whatever it does then.
 * @param {(request: Request) => Promise<Completion>} model @param {number} deadlineMs @returns {Promise<Summary>} */
function summarize(model, deadlineMs) {
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const { port1: ours, port2: answers } = new MessageChannel();
  const workerData = { call, settings, bell, answers };
  const worker = new Worker(new URL('worker.js', import.meta.url), { workerData, transferList: [answers] });
  /** An error of the contract is an answer, and anything else ends the call. @param {Request} request */
  const ask = async (request) => {
    try {
      return { tag: 'ok', val: await model(request) };
    } catch (error) {
      if (error instanceof Error && 'payload' in error) return { tag: 'err', val: error.payload };
      throw error;
    }
  };
  /** @param {Request[]} requests */
  const answer = async (requests) => {
    ours.postMessage(await Promise.all(requests.map(ask)));
    Atomics.store(bell, 0, 1);
    Atomics.notify(bell, 0);
  };
  /** @type {Promise<Summary>} */
  const called = new Promise((resolve, reject) => {
    worker.on('message', ({ requests, summary }) => (requests ? void answer(requests).catch(reject) : resolve(summary)));
    // The contract's error is the payload of an Error, as in one thread; a trap is an Error without.
    worker.on('error', reject);
    const late = setTimeout(() => reject(new Error(`the call took longer than ${deadlineMs} ms`)), deadlineMs);
    worker.on('exit', () => clearTimeout(late));
  });
  return called.finally(() => {
    ours.close();
    return worker.terminate();
  });
}

const scripted = new ScriptedModel(readAnswers(script['answers-of-the-summarizer']), {}).imports();
const later = async (/** @type {Request} */ request) => {
  await setImmediate();
  return scripted.complete(request);
};
const summary = await summarize(later, 60_000);

// The parts of what is too long for a model are asked for side by side.
let asked = 0;
let sideBySide = 0;
const small = async (/** @type {Request} */ request) => {
  if (request.systemPrompt.length + request.maxTokens > WINDOW) {
    throw Object.assign(new Error('too long'), { payload: { tag: 'context-too-long', val: WINDOW } });
  }
  sideBySide = Math.max(sideBySide, ++asked);
  await setImmediate();
  asked -= 1;
  return { text: '- aliceとbobが朝の挨拶をした', finishReason: /** @type {const} */ ('stop'), model: 'small' };
};
const inParts = await summarize(small, 60_000);

const silent = () => new Promise(() => {});
const late = await summarize(silent, 2_000).catch((error) => error.message);
const broken = async () => { throw new TypeError('the model is broken'); };
const failed = await summarize(broken, 60_000).catch((error) => error.message);
console.log(JSON.stringify(plain({ summary, late, failed, chunks: inParts.coverage.chunks, sideBySide }), null, 2));
