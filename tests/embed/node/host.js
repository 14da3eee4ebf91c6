// Runs the components on imports in memory, and prints what came of it as JSON:
//
//   node host.js CONTEXT.json WORKSPACE.json
//
// tests/tests/embed/ compares the output with that of other hosts.

import { readFileSync } from 'node:fs';
import { memoryComponent, summarizerComponent } from './component.js';
import { Platform, ScriptedModel } from './imports.js';
import { camel, plain, readAnswers, readContext } from './json.js';
import { Store } from './store.js';

/** @import {Context, MemoryType, Scope, Timestamp} from './generated/memory/interfaces/myao-memory-types.js' */
/** @import {Values} from './generated/memory/interfaces/myao-memory-settings.js' */

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
 * @param {(settings: Values) => Pick<ReturnType<typeof summarizerComponent>, 'memorySummarizer' | 'replyPrompt'>} instance
 * @param {Context} context @param {Timestamp} now */
function prompts(instance, context, now) {
  /** @type {Record<string, string>} */
  const prompts = {};
  for (const [name, scope, type, existing, legacyWorkspaceShortTerm] of workedPrompts(context)) {
    const { memorySummarizer } = instance({ ...settings, legacyWorkspaceShortTerm });
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

/** @param {number | bigint} unixSeconds @returns {Timestamp} */
const at = (unixSeconds) => ({ unixSeconds: BigInt(unixSeconds), utcOffsetSeconds: script['utc-offset-seconds'] });

/** @type {Values} */
const settings = camel(script.settings);
const store = new Store(script['utc-offset-seconds'], settings.workspaceScopeId);
for (const user of camel(script.users)) store.users.set(user.id, user);
for (const channel of camel(script.channels)) store.channels.set(channel.id, channel);
const model = new ScriptedModel(readAnswers(script.answers), script['context-windows']);
const platform = new Platform(store, camel(script['known-to-the-platform']));
const workspace = { store, model, platform, settings };

/** One run over what there is by then. @param {any} run */
function generate(run) {
  for (const message of run.messages) store.put(camel(message));
  const now = at(run.now);
  const generator = () => memoryComponent(workspace).memoryGenerator;
  const report = generator().generate(now);
  const channels = (run['generate-channels'] ?? []).map((/** @type {string} */ id) => generator().generateChannel(id, now));
  const threads = (run['generate-threads'] ?? []).map((/** @type {string[]} */ [id, ts]) => generator().generateThread(id, ts, now));
  return { report, channels, threads };
}

const goldens = readContext(context);
const silent = new ScriptedModel({}, {});
const withoutWorkspace = (/** @type {Values} */ settings) =>
  memoryComponent({ store: new Store(0, settings.workspaceScopeId), model: silent, platform, settings });
const now = at(script.runs[0].now);
const memory = prompts(withoutWorkspace, goldens, now);
const smallest = prompts((settings) => summarizerComponent(silent, settings), goldens, now);

const summarizing = new ScriptedModel(readAnswers(script['answers-of-the-summarizer']), {});
const { memorySummarizer } = summarizerComponent(summarizing, settings);
const summary = memorySummarizer.summarize(goldens, 'channel', 'short-term', undefined);
const refused = result(() => memorySummarizer.summarize(goldens, 'workspace', 'short-term', undefined));
const failed = result(() => memorySummarizer.summarize(goldens, 'thread', 'short-term', undefined));

const runs = [];
for (const run of script.runs) runs.push(generate(run));
const then = at(script.runs.at(-1).now);
const mention = memoryComponent(workspace).responder.replyToMention(camel(script.mention), then);
const judged = memoryComponent(workspace).responder.judge(camel(script.judged), then);

const { listDeferrals } = store.imports();
const deferrals = script.threads.map((/** @type {string} */ scopeId) => listDeferrals('thread', scopeId));
const came = {
  memory: { prompts: memory, runs, requests: model.requests, memories: store.saved(), deferrals, mention, judged, posts: platform.posts },
  summarizer: { prompts: smallest, summary, refused, failed, requests: summarizing.requests },
};
console.log(JSON.stringify(plain(came), null, 2));
