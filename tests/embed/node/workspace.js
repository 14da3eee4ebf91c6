// What happens in the workspace of WORKSPACE.json.

import { Memory, MemoryStore } from 'myao-memory';
import { Platform, ScriptedModel } from './imports.js';
import { camel, readAnswers } from './json.js';

/** @import {Now, PlacedStorage, Timestamp} from 'myao-memory' */
/** Changes the functions that the component is given. @typedef {<T extends object>(functions: T) => T} Change */

/** The people and channels of a script, with a model and a platform. @param {any} script */
export function readWorkspace(script) {
  /** @type {Record<string, string>} */
  const settings = script.settings;
  const utcOffsetSeconds = script['utc-offset-seconds'];
  const store = new MemoryStore({ utcOffsetSeconds, workspaceId: settings['workspace_scope_id'] });
  const users = camel(script.users);
  for (const user of users) store.putUser(user);
  for (const channel of camel(script.channels)) store.putChannel(channel);
  const model = new ScriptedModel(readAnswers(script.answers), script['context-windows']);
  const known = new Map(users.map((/** @type {{ id: string }} */ user) => [user.id, user]));
  const platform = new Platform(known, camel(script['known-to-the-platform']), utcOffsetSeconds);
  /** @param {number} unixSeconds @returns {Timestamp} */
  const at = (unixSeconds) => ({ unixSeconds, utcOffsetSeconds });
  return { store, model, platform, settings, at };
}

/** The component over a workspace. The Rust host that it is compared with takes one step after the other.
 * @param {ReturnType<typeof readWorkspace>} workspace @param {Change} change @param {Record<string, string>} [others] settings in place of the script's */
export function memoryOf({ store, model, platform, settings }, change, others = settings) {
  const storage = { at: (/** @type {any} */ place) => change(store.at(place)) };
  const log = { write: (/** @type {string} */ level, /** @type {string} */ line) => console.error(`${level}: ${line}`) };
  return Memory.load({ storage, llm: change(model), chat: change(platform), settings: others, log, limits: { concurrentCalls: 1 } });
}

/** Plays all runs and replies, and tells what came of them. @param {any} script @param {ReturnType<typeof readWorkspace>} workspace @param {Change} change */
export async function play(script, workspace, change) {
  const { store, model, platform, at } = workspace;
  const memory = await memoryOf(workspace, change);
  const runs = [];
  for (const run of script.runs) {
    for (const message of run.messages) store.putMessage(camel(message));
    const now = at(run.now);
    const report = await memory.generate(now);
    const channels = [];
    for (const id of run['generate-channels'] ?? []) channels.push(await memory.generateChannel(id, now));
    const threads = [];
    for (const [id, ts] of run['generate-threads'] ?? []) threads.push(await memory.generateThread(id, ts, now));
    runs.push({ report, channels, threads });
  }
  const then = at(script.runs.at(-1).now);
  const mention = await memory.replyToMention(camel(script.mention), then);
  const judged = await memory.judge(camel(script.judged), then);
  const { 'channel-id': channelId, text } = script.asked;
  const asked = await memory.ask({ text, channelId }, then);
  const deferrals = script.threads.map((/** @type {string} */ scopeId) =>
    store.at({ channel: scopeId.split(':')[0] }).listDeferrals('thread', scopeId));
  return { runs, requests: model.requests, memories: store.memories(), deferrals, mention, judged, asked, posts: platform.posts };
}
