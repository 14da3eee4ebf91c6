// Runs the components on imports in memory, and prints what came of it as JSON:
//
//   node host.js CONTEXT.json WORKSPACE.json [later]
//
// With `later`, all functions that the component is given answer later, as those of a database or a network do.
// tests/tests/embed/ compares the output with that of other hosts.

import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { MemoryError, Summarizer } from 'myao-memory';
import { ScriptedModel } from './imports.js';
import { plain, readAnswers, readContext } from './json.js';
import { memoryOf, play, readWorkspace } from './workspace.js';

/** @import {Context, MemoryType, Scope, Timestamp} from 'myao-memory' */
/** @import {Change} from './workspace.js' */

const [context, script] = process.argv.slice(2, 4).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const isLater = process.argv[4] === 'later';

/** @type {Change} */
const change = (functions) => (isLater ? later(functions) : functions);

/** The same functions, answering later. @template {object} T @param {T} functions @returns {T} */
function later(functions) {
  return new Proxy(functions, {
    getOwnPropertyDescriptor: (object, name) => Object.getOwnPropertyDescriptor(object, name),
    get: (object, name) => {
      const value = /** @type {any} */ (object)[name];
      if (typeof value !== 'function') return value;
      return async (/** @type {unknown[]} */ ...args) => {
        await setImmediate();
        return value.apply(object, args);
      };
    },
  });
}

/** Scope, memory type and existing memory of the specification's worked prompts; some show what is retired.
 * @param {Context} context @returns {[name: string, Scope, MemoryType, existing: string | undefined, retired: boolean][]} */
const workedPrompts = (context) => [
  ['channel-long-term', 'channel', 'long-term', context.channelMemories[0].longTermMemory, false],
  ['channel-short-term', 'channel', 'short-term', undefined, false],
  ['thread-short-term', 'thread', 'short-term', undefined, true],
  ['workspace-long-term', 'workspace', 'long-term', context.workspaceLongTermMemory, false],
  ['workspace-short-term', 'workspace', 'short-term', undefined, true],
];

/** Every prompt of a context. @param {(settings: Record<string, string>) => Promise<Summarizer>} load @param {Context} context @param {Timestamp} now */
async function prompts(load, context, now) {
  /** @type {Record<string, string>} */
  const prompts = {};
  for (const [name, scope, type, existing, legacyWorkspaceShortTerm] of workedPrompts(context)) {
    const loaded = await load({ ...settings, 'memory.legacy_workspace_short_term': String(legacyWorkspaceShortTerm) });
    prompts[name] = await loaded.renderPrompt(context, scope, type, existing);
  }
  const loaded = await load(settings);
  prompts.reply = await loaded.renderReply(context, 'mention', now);
  prompts.judgment = await loaded.renderJudgment(context, now);
  return prompts;
}

/** What a call came to, or the error of the contract that it ended with. @param {Promise<unknown>} call */
const result = (call) =>
  call.then(
    (ok) => ({ ok }),
    (error) => {
      if (error instanceof MemoryError && error.payload) return { err: error.payload };
      throw error;
    },
  );

const workspace = readWorkspace(script);
const { settings, at } = workspace;
const goldens = readContext(context);
const now = at(script.runs[0].now);
const silent = new ScriptedModel({}, {});
const memory = await prompts((settings) => memoryOf({ ...workspace, model: silent }, change, settings), goldens, now);
const smallest = await prompts((settings) => Summarizer.load({ llm: change(silent), settings }), goldens, now);

const summarizing = new ScriptedModel(readAnswers(script['answers-of-the-summarizer']), {});
const summarizer = await Summarizer.load({ llm: change(summarizing), settings });
const summary = await summarizer.summarize(goldens, 'channel', 'short-term');
const refused = await result(summarizer.summarize(goldens, 'workspace', 'short-term'));
const failed = await result(summarizer.summarize(goldens, 'thread', 'short-term'));

const played = await play(script, workspace, change);
const came = {
  memory: { prompts: memory, ...played },
  summarizer: { prompts: smallest, summary, refused, failed, requests: summarizing.requests },
};
console.log(JSON.stringify(plain(came), null, 2));
