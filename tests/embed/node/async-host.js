// The components on imports that answer later, with a deadline that covers the time of the imports:
//
//   node async-host.js CONTEXT.json WORKSPACE.json
//
// It prints as JSON what host.js does of the workspace, and how calls end that cannot be answered.

import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { call, modelOf } from './async-component.js';
import { ScriptedModel } from './imports.js';
import { plain, readAnswers, readContext } from './json.js';
import { play, readWorkspace } from './workspace.js';

/** @import {Completion, Request} from './generated/bot/interfaces/myao-memory-llm.js' */
/** @typedef {Record<string, (...args: any[]) => unknown>} Functions */

const [context, script] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
/** The context window of a small model: prompt and answer, in characters. */
const WINDOW = 800;
const workspace = readWorkspace(script);
const { settings } = workspace;

/** The same functions, as those of a database or a network are. @param {Functions} functions @returns {Functions} */
const later = (functions) => {
  const answer = (/** @type {Functions[string]} */ now) => async (/** @type {unknown[]} */ ...args) => {
    await setImmediate();
    return now(...args);
  };
  return Object.fromEntries(Object.entries(functions).map(([name, now]) => [name, answer(now)]));
};

const others = {
  llm: later(workspace.model.imports()),
  chat: later(workspace.platform.imports()),
};
const bot = { component: /** @type {const} */ ('bot'), settings, deadlineMs: 60_000 };
const came = await play(script, workspace, (store) => {
  // As with an instance of a class, its functions are not its own.
  const host = { ...bot, imports: { ...others, storage: Object.create(later(store.imports())) } };
  /** @param {string} exported @param {string[]} names @returns {any} */
  const exportsOf = (exported, names) =>
    Object.fromEntries(names.map((name) => [name, (/** @type {unknown[]} */ ...args) => call(host, exported, name, args)]));
  return {
    memoryGenerator: exportsOf('memoryGenerator', ['nextSteps', 'generateChannel', 'generateThread', 'generateWorkspace']),
    responder: exportsOf('responder', ['replyToMention', 'judge', 'ask']),
  };
});

/** @param {(request: Request) => Promise<Completion>} model @param {number} deadlineMs @param {object} others beside the model */
const summarize = (model, deadlineMs, others = {}) => {
  const host = { component: /** @type {const} */ ('summarizer'), imports: { llm: modelOf(model), ...others }, settings, deadlineMs };
  return call(host, 'memorySummarizer', 'summarize', [readContext(context), 'channel', 'short-term', undefined]);
};

/** @returns {any} */
const scripted = () => later(new ScriptedModel(readAnswers(script['answers-of-the-summarizer']), {}).imports()).complete;
// However far off the deadline is.
const summary = await summarize(scripted(), Infinity);

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

/** @type {() => Promise<never>} */
const silent = () => new Promise(() => {});
const late = await summarize(silent, 2_000).catch((error) => error.message);
const broken = async () => { throw new TypeError('the model is broken'); };
const failed = await summarize(broken, 60_000).catch((error) => error.message);
const lacking = { ...bot, imports: { ...others, storage: {} } };
const missing = await call(lacking, 'memoryGenerator', 'nextSteps', [[], workspace.at(0)]).catch((error) => error.message);
const full = { write: async () => { throw new TypeError('the log is full'); } };
const unlogged = await summarize(scripted(), 60_000, { log: full }).catch((error) => error.message);
console.log(JSON.stringify(plain({ memory: came, summary, late, failed, missing, unlogged, chunks: inParts.coverage.chunks, sideBySide }), null, 2));
