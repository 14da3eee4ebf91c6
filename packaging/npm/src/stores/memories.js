// Reading and saving memories.

import { MemoryError } from '../errors.js';
import { areInOrder, hasUnknownLine } from './lines.js';
import { invalid, order, secondOf, subjectOf, written, writtenScope } from '../ids.js';
import { settle } from './progress.js';

/** @import {Citation, SavedMemory, MemoryDraft, MemoryQuery, MessageRef} from '../../contract.js' */
/** @import {State} from './state.js' */
/** @import {Sees} from './progress.js' */
/** What a call was given until now. @typedef {{ messages: Set<string>, memories: Set<number>, since: number }} Given */

const SCOPES = ['workspace', 'channel', 'thread'];
const TYPES = ['long-term', 'short-term'];

/** @param {SavedMemory} a @param {SavedMemory} b */
const inOrder = (a, b) =>
  SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) ||
  order(a.scopeId, b.scopeId) ||
  TYPES.indexOf(a.memoryType) - TYPES.indexOf(b.memoryType) ||
  a.version - b.version;

/** @param {State} state @param {Sees} sees */
export const allMemories = (state, sees) =>
  [...state.memories.values()].filter(sees).map(({ memory }) => shown(state, memory)).sort(inOrder);

/** A memory as it is read: whether programs wrote a line is known now. @param {State} state @param {SavedMemory} memory */
const shown = (state, memory) => ({ ...memory, citations: memory.citations.map((line) => ({ ...line, byProgram: isByProgram(state, line) })) });

/** @param {State} state @param {Citation} line */
function isByProgram(state, { messages }) {
  const isProgram = (/** @type {MessageRef} */ { channelId, ts }) => {
    const message = state.message(channelId, written(ts));
    return message !== undefined && state.users.get(message.userId)?.isBot === true;
  };
  return messages.length > 0 && messages.every(isProgram);
}

/** @param {State} state @param {MemoryQuery} query @param {Sees} sees @returns {SavedMemory[]} */
export function listMemories(state, query, sees) {
  const until = query.until === undefined ? undefined : BigInt(secondOf(query.until));
  const threads = new Set(query.threads.map((id) => writtenScope('thread', id)));
  const { channels } = query;
  const isAsked = (/** @type {SavedMemory} */ { scope, scopeId }) => {
    if (scope === 'workspace') return query.workspace;
    if (scope === 'thread') return threads.has(scopeId);
    return channels.tag === 'all' || (channels.tag === 'one' && channels.val === scopeId);
  };
  const all = allMemories(state, sees).filter((memory) => isAsked(memory) && (until === undefined || BigInt(memory.updatedAt.unixSeconds) <= until));
  const isVersion = (/** @type {SavedMemory} */ { scope, memoryType, version }) => scope === 'channel' && memoryType === 'short-term' && version > 0;
  const kept = all.filter((memory) => {
    if (!isVersion(memory)) return true;
    const newer = all.filter((other) => isVersion(other) && other.scopeId === memory.scopeId && other.version > memory.version).length;
    return newer < query.historyLimit || (query.unmerged && memory.id > state.mergedThrough('channel', memory.scopeId, 'long-term'));
  });
  return query.citations ? kept : kept.map((memory) => ({ ...memory, citations: [], records: [] }));
}

/** Nothing is changed before every check is made: the save is atomic.
 * @param {State} state @param {MemoryDraft} draft @param {{ sees: Sees, given: Given, workspaceId: string }} call @returns {SavedMemory} */
export function saveMemory(state, draft, { sees, given, workspaceId }) {
  const { scope, memoryType } = draft;
  const scopeId = checkSubject(state, draft, workspaceId);
  const { channelId } = subjectOf(scope, scopeId);
  const sources = checkSources(state, draft);
  const all = state.versions(scope, scopeId, memoryType);
  const newest = all.filter(sees).at(-1)?.memory.id;
  if (newest !== draft.expected) {
    throw new MemoryError('conflict', `the newest ${memoryType} memory of ${scopeId} is ${newest}, not ${draft.expected}: read again`);
  }
  const revised = [...given.messages, ...given.memories].some((id) => (state.revisions.get(String(id)) ?? 0) > given.since);
  if (revised) throw new MemoryError('conflict', `what the memory of ${scopeId} was made from has changed or gone: read again`);
  const latest = draft.sourceLatestMessageTs;
  const sourceLatestMessageTs = latest === undefined ? undefined : written(latest);

  const standIn = state.all(scope, scopeId, memoryType).find(({ memory }) => memory.version === 0);
  const last = all.at(-1)?.memory.version ?? 0;
  const version = { overwrite: 1, 'new-version': last + 1, 'stand-in': 0 }[draft.mode];
  const replaced = [...(draft.mode === 'overwrite' ? all : []), ...(standIn ? [standIn] : [])];
  const first = replaced.find(({ memory }) => memory.version === version);
  const id = (state.counters.get('memory') ?? 0) + 1;
  const { content, engine, now, sourceMessageCount, mergedThrough, citations, records } = draft;
  const memory = { id, scope, scopeId, memoryType, version, content, engine, createdAt: first?.memory.createdAt ?? now, updatedAt: now,
    sourceMessageCount, sourceLatestMessageTs, mergedThrough, citations, records };
  const kept = { memory, ...lineage(state, draft, { channelId, sources, given }) };
  state.counters.set('memory', id);
  for (const { memory } of replaced) state.memories.delete(String(memory.id));
  state.memories.set(String(id), kept);
  if (draft.mode !== 'stand-in') {
    state.deferrals.delete(`${scope} ${scopeId} ${memoryType}`);
    if (scope === 'thread') state.changedThreads.delete(scopeId);
    if (scope === 'channel' && memoryType === 'short-term') settle(state, kept, sources, all.length === 0);
  }
  return shown(state, memory);
}

/** @param {State} state @param {MemoryDraft} draft @param {string} workspaceId */
function checkSubject(state, { scope, scopeId, content }, workspaceId) {
  const { channelId } = subjectOf(scope, scopeId);
  if (channelId !== undefined) state.channel(channelId);
  else if (scopeId !== workspaceId) throw invalid(`\`${scopeId}\` is not this workspace, which is \`${workspaceId}\``);
  if (content.trim() === '') throw invalid(`the text of the memory of ${scopeId} is empty: save nothing instead`);
  return writtenScope(scope, scopeId);
}

/** The ids of the messages that a draft was made from. @param {State} state @param {MemoryDraft} draft */
function checkSources(state, draft) {
  const { sourceChannelId, sourceMessages, sourceMemories, mergedThrough, citations, records, content, scopeId } = draft;
  for (const id of [...sourceMemories, ...(mergedThrough === undefined ? [] : [mergedThrough])]) {
    if (!state.memories.has(String(id)) && !(id <= (state.counters.get('memory') ?? 0))) throw invalid(`memory ${id} does not exist`);
  }
  if (!areInOrder(content, citations)) throw invalid(`the citations of the memory of ${scopeId} are not lines of its text`);
  const cited = [...citations.flatMap(({ messages }) => messages), ...records.map(({ message }) => message)];
  const sources = sourceMessages.map((ts) => ({ channelId: sourceChannelId, ts }));
  for (const { channelId, ts } of [...cited, ...sources]) {
    if (!state.message(channelId, written(ts))) throw invalid(`message ${ts} of channel ${channelId} is not stored`);
  }
  return new Set(sourceMessages.map(written));
}

/** The channels that a memory was made from, and what its lines without a source may hold. A channel's memory says itself from which
 * of the channel's memories it was made: its call was also given those that it replaces.
 * @param {State} state @param {MemoryDraft} draft @param {{ channelId?: string, sources: Set<string>, given: Given }} from */
function lineage(state, draft, { channelId, sources, given }) {
  const memories = new Set([...given.memories, ...draft.sourceMemories]);
  const channels = [...given.messages].map((id) => id.slice(0, id.lastIndexOf(':')));
  const origins = [...memories].flatMap((id) => state.memories.get(String(id))?.origins ?? []);
  const isOwn = (/** @type {number} */ id) => {
    const memory = state.memories.get(String(id))?.memory;
    return draft.scope === 'channel' && memory?.scope === 'channel' && memory.scopeId === draft.scopeId;
  };
  const handed = hasUnknownLine(draft.citations) ? [...memories].filter((id) => draft.sourceMemories.includes(id) || !isOwn(id)) : [];
  return {
    origins: [...new Set([...origins, ...channels, ...(channelId === undefined ? [] : [channelId])])],
    messages: [...new Set([...given.messages, ...[...sources].map((ts) => `${draft.sourceChannelId}:${ts}`)])],
    memories: handed,
  };
}

/** @param {State} state @param {string} scope @param {string} scopeId @param {any} deferral */
export function defer(state, scope, scopeId, deferral) {
  const { channelId } = subjectOf(scope, scopeId);
  if (channelId !== undefined) state.channel(channelId);
  state.deferrals.set(`${scope} ${writtenScope(scope, scopeId)} ${deferral.memoryType}`, deferral);
}

/** @param {State} state @param {string} scope @param {string} scopeId */
export function listDeferrals(state, scope, scopeId) {
  const { channelId } = subjectOf(scope, scopeId);
  if (channelId !== undefined) state.channel(channelId);
  return TYPES.flatMap((type) => state.deferrals.get(`${scope} ${writtenScope(scope, scopeId)} ${type}`) ?? []);
}
