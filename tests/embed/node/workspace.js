// What happens in the workspace of WORKSPACE.json, whatever way the component is called.

import { Platform, ScriptedModel } from './imports.js';
import { camel, readAnswers } from './json.js';
import { StoreAt } from './place.js';
import { Store } from './store.js';

/** @import {Timestamp} from './generated/bot/interfaces/myao-memory-types.js' */
/** @import {DoneStep, Entry, Step} from './generated/bot/interfaces/myao-memory-memory-generator.js' */
/** @import {botComponent} from './component.js' */
/** @import {Place} from './place.js' */

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

/** Makes everything that is due, one step after the other.
 * @param {Timestamp} now @param {(place: Place) => Instance} instance */
async function generate(now, instance) {
  /** @type {DoneStep[]} */ const done = [];
  /** @type {Entry[]} */ const entries = [];
  for (;;) {
    const { steps } = await instance('schedule').memoryGenerator.nextSteps(done, now);
    if (steps.length === 0) return { now, entries };
    for (const step of steps) {
      const entry = await take(step, now, instance);
      done.push({ step, made: entry.made.length > 0 });
      entries.push(entry);
    }
  }
}

/** @param {Step} step @param {Timestamp} now @param {(place: Place) => Instance} instance */
function take(step, now, instance) {
  switch (step.tag) {
    case 'thread': {
      const { channelId, threadTs } = step.val;
      return instance({ channel: channelId }).memoryGenerator.generateThread(channelId, threadTs, now);
    }
    case 'channel':
      return instance({ channel: step.val }).memoryGenerator.generateChannel(step.val, now);
    case 'workspace':
      return instance('workspace').memoryGenerator.generateWorkspace(now);
  }
}

/** Plays all runs and replies, and tells what came of them.
 * @param {any} script @param {ReturnType<typeof readWorkspace>} workspace
 * @param {(storage: StoreAt) => Instance} instanceOver a fresh instance for each call, over the store as its place sees it */
export async function play(script, { store, model, platform, at }, instanceOver) {
  const instance = (/** @type {Place} */ place) => instanceOver(new StoreAt(store, place));
  const inChannel = (/** @type {string} */ channel) => instance({ channel });
  const runs = [];
  for (const run of script.runs) {
    for (const message of run.messages) store.put(camel(message));
    const now = at(run.now);
    const report = await generate(now, instance);
    const channels = [];
    for (const id of run['generate-channels'] ?? []) channels.push(await inChannel(id).memoryGenerator.generateChannel(id, now));
    const threads = [];
    for (const [id, ts] of run['generate-threads'] ?? []) threads.push(await inChannel(id).memoryGenerator.generateThread(id, ts, now));
    runs.push({ report, channels, threads });
  }
  const then = at(script.runs.at(-1).now);
  const [mentioned, judgedOn] = [camel(script.mention), camel(script.judged)];
  const mention = await inChannel(mentioned.channelId).responder.replyToMention(mentioned, then);
  const judged = await inChannel(judgedOn.channelId).responder.judge(judgedOn, then);
  const { 'channel-id': channelId, text } = script.asked;
  const asked = await inChannel(channelId).responder.ask({ text, channelId }, then);
  const { listDeferrals } = store.imports();
  const deferrals = script.threads.map((/** @type {string} */ scopeId) => listDeferrals('thread', scopeId));
  return { runs, requests: model.requests, memories: store.saved(), deferrals, mention, judged, asked, posts: platform.posts };
}
