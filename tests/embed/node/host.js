// Runs the components on imports in memory, and prints what came of it as JSON:
//
//   node host.js CONTEXT.json WORKSPACE.json
//
// tests/tests/embed/ compares the output with that of other hosts.

import { readFileSync } from 'node:fs';
import { memoryComponent, summarizerComponent } from './component.js';
import { Platform, ScriptedModel } from './imports.js';
import { camel, plain, readContext } from './json.js';
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

/** Every prompt of a context. @param {(settings: Values) => Renderer} instance @param {Context} context @param {Values} settings @param {Timestamp} now */
function prompts(instance, context, settings, now) {
  const worked = workedPrompts(context).map(([name, scope, type, existing, legacyWorkspaceShortTerm]) => {
    const { memorySummarizer } = instance({ ...settings, legacyWorkspaceShortTerm });
    return [name, memorySummarizer.renderPrompt(context, scope, type, existing)];
  });
  const { replyPrompt } = instance(settings);
  const [mention, judgment] = [replyPrompt.renderReply(context, 'mention', now), replyPrompt.renderJudgment(context, now)];
  return { ...Object.fromEntries(worked), reply: mention, judgment };
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
const model = new ScriptedModel(camel(script.answers), script['context-windows']);
const platform = new Platform(store, camel(script['known-to-the-platform']));
const workspace = { store, model, platform, settings };

/** One run over what there is by then. @param {any} run */
async function generate(run) {
  for (const message of camel(run.messages)) store.put(message);
  const now = at(run.now);
  const report = (await memoryComponent(workspace)).memoryGenerator.generate(now);
  const channels = (run['generate-channels'] ?? []).map(async (/** @type {string} */ id) =>
    (await memoryComponent(workspace)).memoryGenerator.generateChannel(id, now));
  const threads = (run['generate-threads'] ?? []).map(async (/** @type {[string, string]} */ [id, ts]) =>
    (await memoryComponent(workspace)).memoryGenerator.generateThread(id, ts, now));
  return { report, channels: await Promise.all(channels), threads: await Promise.all(threads) };
}
