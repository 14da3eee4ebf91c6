// Runs the components on imports in memory, and prints what came of it as JSON:
//
//   node host.js CONTEXT.json WORKSPACE.json
//
// tests/tests/embed/ compares the output with that of other hosts.

import { readFileSync } from 'node:fs';
import { botComponent, summarizerComponent } from './component.js';
import { ScriptedModel } from './imports.js';
import { plain, readAnswers, readContext } from './json.js';
import { StoreAt } from './place.js';
import { Store } from './store.js';
import { play, readWorkspace } from './workspace.js';

/** @import {Context, MemoryType, Scope, Timestamp} from './generated/bot/interfaces/myao-memory-types.js' */

/** Scope, memory type and existing memory of the specification's worked prompts; some show what is retired.
 * @param {Context} context @returns {[name: string, Scope, MemoryType, existing: string | undefined, retired: boolean][]} */
const workedPrompts = (context) => [
  ['channel-long-term', 'channel', 'long-term', context.channelMemories[0].longTermMemory, false],
  ['channel-short-term', 'channel', 'short-term', undefined, false],
  ['thread-short-term', 'thread', 'short-term', undefined, true],
  ['workspace-long-term', 'workspace', 'long-term', context.workspaceLongTermMemory, false],
  ['workspace-short-term', 'workspace', 'short-term', undefined, true],
];

/** Every prompt of a context.
 * @param {(settings: Record<string, string>) => Pick<ReturnType<typeof summarizerComponent>, 'memorySummarizer' | 'replyPrompt'>} instance
 * @param {Context} context @param {Timestamp} now */
function prompts(instance, context, now) {
  /** @type {Record<string, string>} */
  const prompts = {};
  for (const [name, scope, type, existing, legacyWorkspaceShortTerm] of workedPrompts(context)) {
    const { memorySummarizer } = instance({ ...settings, 'memory.legacy_workspace_short_term': String(legacyWorkspaceShortTerm) });
    prompts[name] = memorySummarizer.renderPrompt(context, scope, type, existing);
  }
  const { replyPrompt } = instance(settings);
  prompts.reply = replyPrompt.renderReply(context, 'mention', now);
  prompts.judgment = replyPrompt.renderJudgment(context, now);
  return prompts;
}

/** The result of an export, or the error of the contract that it ended with. @param {() => unknown} call */
function result(call) {
  try {
    return { ok: call() };
  } catch (error) {
    // jco throws the contract's error as the payload of an Error; anything else is a trap or a fault of the host.
    if (error instanceof Error && 'payload' in error) return { err: error.payload };
    throw error;
  }
}

const [context, script] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));

const workspace = readWorkspace(script);
const { platform, settings, at } = workspace;

const goldens = readContext(context);
const silent = new ScriptedModel({}, {});
const withoutWorkspace = (/** @type {Record<string, string>} */ settings) =>
  botComponent({ store: new StoreAt(new Store(0, settings['workspace_scope_id']), 'workspace'), model: silent, platform, settings });
const now = at(script.runs[0].now);
const memory = prompts(withoutWorkspace, goldens, now);
const smallest = prompts((settings) => summarizerComponent(silent, settings), goldens, now);

const summarizing = new ScriptedModel(readAnswers(script['answers-of-the-summarizer']), {});
const { memorySummarizer } = summarizerComponent(summarizing, settings);
const summary = memorySummarizer.summarize(goldens, 'channel', 'short-term', undefined);
const refused = result(() => memorySummarizer.summarize(goldens, 'workspace', 'short-term', undefined));
const failed = result(() => memorySummarizer.summarize(goldens, 'thread', 'short-term', undefined));

const played = await play(script, workspace, (store) => botComponent({ ...workspace, store }));
const came = {
  memory: { prompts: memory, ...played },
  summarizer: { prompts: smallest, summary, refused, failed, requests: summarizing.requests },
};
console.log(JSON.stringify(plain(came), null, 2));
