// What happens in the workspace of WORKSPACE.json, whatever way the component is called.

import { Platform, ScriptedModel } from './imports.js';
import { camel, readAnswers } from './json.js';
import { Store } from './store.js';

/** @import {Timestamp} from './generated/bot/interfaces/myao-memory-types.js' */
/** @import {botComponent} from './component.js' */

/** The exports, in one thread or in another. @template T @typedef {{ [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => R | Promise<R> : T[K] }} MaybeLater */
/** @typedef {ReturnType<typeof botComponent>} Memory */
/** @typedef {{ memoryGenerator: MaybeLater<Memory['memoryGenerator']>, responder: MaybeLater<Memory['responder']> }} Instance */

/** The people and channels of a script, with a model and a platform. @param {any} script */
export function readWorkspace(script) {
  /** @type {Record<string, string>} */
  const settings = script.settings;
  const store = new Store(script['utc-offset-seconds'], settings['workspace_scope_id']);
  for (const user of camel(script.users)) store.users.set(user.id, user);
  for (const channel of camel(script.channels)) store.channels.set(channel.id, channel);
  const model = new ScriptedModel(readAnswers(script.answers), script['context-windows']);
  const platform = new Platform(store, camel(script['known-to-the-platform']));
  /** @param {number | bigint} unixSeconds @returns {Timestamp} */
  const at = (unixSeconds) => ({ unixSeconds: BigInt(unixSeconds), utcOffsetSeconds: script['utc-offset-seconds'] });
  return { store, model, platform, settings, at };
}

/** Plays all runs and replies, and tells what came of them.
 * @param {any} script @param {ReturnType<typeof readWorkspace>} workspace @param {() => Instance} instance a fresh one for each call */
export async function play(script, { store, model, platform, at }, instance) {
  const runs = [];
  for (const run of script.runs) {
    for (const message of run.messages) store.put(camel(message));
    const now = at(run.now);
    const report = await instance().memoryGenerator.generate(now);
    const channels = [];
    for (const id of run['generate-channels'] ?? []) channels.push(await instance().memoryGenerator.generateChannel(id, now));
    const threads = [];
    for (const [id, ts] of run['generate-threads'] ?? []) threads.push(await instance().memoryGenerator.generateThread(id, ts, now));
    runs.push({ report, channels, threads });
  }
  const then = at(script.runs.at(-1).now);
  const mention = await instance().responder.replyToMention(camel(script.mention), then);
  const judged = await instance().responder.judge(camel(script.judged), then);
  const { listDeferrals } = store.imports();
  const deferrals = script.threads.map((/** @type {string} */ scopeId) => listDeferrals('thread', scopeId));
  return { runs, requests: model.requests, memories: store.saved(), deferrals, mention, judged, posts: platform.posts };
}
