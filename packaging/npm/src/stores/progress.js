// What waits to be summarised, and what is due.

import { key, order, written } from '../ids.js';

/** @import {Backlog, Due, DueQuery} from '../../contract.js' */
/** @import {Kept, KeptMemory, State} from './state.js' */
/** Whether a memory may be seen. @typedef {(memory: KeptMemory) => boolean} Sees */

/** Whether a message is in no version of its channel yet. @param {State} state */
export const waits = (state) => (/** @type {Kept} */ { channelId, ts }) => !state.settled.has(`${channelId}:${ts}`);

/** @param {State} state @param {string} channelId @param {string | undefined} threadTs @param {string} until @returns {Backlog} */
export function backlog(state, channelId, threadTs, until) {
  const thread = threadTs === undefined ? undefined : written(threadTs);
  const there = state.shown(channelId, key(until));
  return thread === undefined ? ofChannel(state, channelId, there) : ofThread(state, channelId, thread, threadOf(there, thread));
}

/** The messages of a thread; none until there is a reply. @param {Kept[]} there @param {string} thread */
function threadOf(there, thread) {
  const own = there.filter(({ ts, threadTs }) => ts === thread || threadTs === thread);
  return own.some(({ threadTs }) => threadTs === thread) ? own : [];
}

/** @param {State} state @param {string} channelId @param {Kept[]} there @returns {Backlog} */
function ofChannel(state, channelId, there) {
  const versions = state.versions('channel', channelId, 'short-term');
  const newest = versions.at(-1)?.memory;
  const merged = state.mergedThrough('channel', channelId, 'long-term');
  const news = newest ? there.filter(waits(state)) : there;
  return {
    channel: state.channel(channelId),
    threadTs: undefined,
    latestMessageTs: there.at(-1)?.ts,
    newMessageCount: news.length,
    lateMessageCount: news.filter((message) => !isAfter(message, newest?.sourceLatestMessageTs)).length,
    lostLines: state.lostLines.has(channelId),
    shortTermVersion: newest?.version,
    summarizedThrough: newest?.sourceLatestMessageTs,
    unmergedCount: versions.filter(({ memory }) => memory.id > merged).length,
  };
}

/** @param {State} state @param {string} channelId @param {string} thread @param {Kept[]} own @returns {Backlog} */
function ofThread(state, channelId, thread, own) {
  const scopeId = `${channelId}:${thread}`;
  const newest = state.versions('thread', scopeId, 'short-term').at(-1)?.memory;
  const news = own.filter((message) => isAfter(message, newest?.sourceLatestMessageTs));
  return {
    channel: state.channel(channelId),
    threadTs: thread,
    latestMessageTs: own.at(-1)?.ts,
    newMessageCount: news.length + (newest && own.length > 0 && state.changedThreads.has(scopeId) ? 1 : 0),
    lateMessageCount: 0,
    lostLines: false,
    shortTermVersion: newest?.version,
    summarizedThrough: newest?.sourceLatestMessageTs,
    unmergedCount: 0,
  };
}

/** @param {Kept} message @param {string | undefined} watermark */
const isAfter = ({ ts }, watermark) => watermark === undefined || key(ts) > key(watermark);

/** @param {State} state @param {DueQuery} query @param {Sees} isOpen whether the workspace may see a memory @returns {Due} */
export function listDue(state, query, isOpen) {
  const [until, begin, idle] = [query.until, query.windowStart, query.idleSince].map(key);
  const isOld = (/** @type {Backlog} */ { latestMessageTs }) => latestMessageTs === undefined || key(latestMessageTs) < begin;
  const isChannelDue = (/** @type {Backlog} */ backlog) => {
    if (backlog.unmergedCount > 0) return true;
    if (backlog.latestMessageTs === undefined || backlog.newMessageCount === 0) return false;
    if (backlog.shortTermVersion === undefined) return !isOld(backlog);
    const isOver = key(backlog.latestMessageTs) <= idle;
    return query.always || backlog.lostLines || isOver || backlog.newMessageCount >= query.messageThreshold;
  };
  const isThreadDue = (/** @type {Backlog} */ backlog) =>
    backlog.newMessageCount > 0 && (backlog.shortTermVersion !== undefined || !isOld(backlog));
  const ids = [...state.channels.keys()].sort();
  return {
    channels: ids.map((id) => ofChannel(state, id, state.shown(id, until))).filter(isChannelDue),
    threads: ids.flatMap((id) => threads(state, id, until)).filter(isThreadDue),
    workspaceLongTerm: isWorkspaceDue(state, 'long-term', isOpen),
    workspaceShortTerm: isWorkspaceDue(state, 'short-term', isOpen),
  };
}

/** @param {State} state @param {string} id @param {bigint} until */
function threads(state, id, until) {
  /** @type {Map<string, Kept[]>} */
  const replies = new Map();
  const there = state.shown(id, until);
  for (const message of there) {
    if (message.threadTs !== undefined) replies.set(message.threadTs, [...(replies.get(message.threadTs) ?? []), message]);
  }
  const inOrder = [...replies].sort(([a], [b]) => order(key(a), key(b)));
  return inOrder.map(([thread, own]) => {
    const first = state.message(id, thread);
    return ofThread(state, id, thread, first && !first.isDeleted ? [first, ...own] : own);
  });
}

/** @param {State} state @param {string} type @param {Sees} isOpen */
function isWorkspaceDue(state, type, isOpen) {
  const kept = [...state.memories.values()].filter(isOpen).filter(({ memory }) => memory.version > 0 && memory.memoryType === type);
  const merged = kept.find(({ memory }) => memory.scope === 'workspace')?.memory.mergedThrough ?? 0;
  return kept.some(({ memory }) => memory.scope === 'channel' && memory.id > merged && !state.channels.get(memory.scopeId)?.isPrivate);
}

/** What a version was made from does not wait any more, nor what is older than the first version. Without sources, it was made from
 * everything up to its newest message.
 * @param {State} state
 * @param {KeptMemory} version
 * @param {Set<string>} sources ids of messages
 * @param {boolean} isFirst
 */
export function settle(state, { memory }, sources, isFirst) {
  const channelId = memory.scopeId;
  const all = state.shown(channelId);
  const latest = memory.sourceLatestMessageTs;
  const taken = sources.size > 0 ? all.filter(({ ts }) => sources.has(ts)) : all.filter((message) => latest !== undefined && !isAfter(message, latest));
  if (isFirst) {
    // The first message of a thread may be far older than the rest.
    const begun = new Set(taken.map(({ threadTs }) => threadTs));
    const first = all.findIndex(({ ts }) => taken.some((message) => message.ts === ts) && !begun.has(ts));
    for (const { ts } of all.slice(0, Math.max(0, first))) state.settled.set(`${channelId}:${ts}`, 0);
  }
  for (const { ts } of taken) {
    if (!state.settled.get(`${channelId}:${ts}`)) state.settled.set(`${channelId}:${ts}`, memory.id);
  }
  state.lostLines.delete(channelId);
}

/** What was news of a version waits again. @param {State} state @param {string} channelId @param {number} version */
export function waitAgain(state, channelId, version) {
  const news = state.shown(channelId).filter(({ ts }) => state.settled.get(`${channelId}:${ts}`) === version);
  for (const { ts } of news) waitAlone(state, channelId, ts);
}

/** One message waits again. @param {State} state @param {string} channelId @param {string} ts */
export function waitAlone(state, channelId, ts) {
  if (state.settled.delete(`${channelId}:${ts}`)) state.lostLines.set(channelId, true);
}
