// What an edited or deleted message said is erased from every memory, and a channel that becomes private takes back what it gave.

import { linesOf, without } from './lines.js';
import { waitAgain, waitAlone } from './progress.js';
import { subjectOf, written } from '../ids.js';

/** @import {Citation, MessageRef} from '../../contract.js' */
/** @import {KeptMemory, State} from './state.js' */

/** Erases the lines that cite a message, and those without a source that may have been made from it. What the memories were made from
 * waits again. @param {State} state @param {string} channelId @param {string} ts */
export function erase(state, channelId, ts) {
  const id = `${channelId}:${ts}`;
  const isMeant = (/** @type {MessageRef} */ of) => of.channelId === channelId && written(of.ts) === ts;
  state.revise(id);
  /** Memories that may hold what the message said. @type {Set<number>} */
  const holding = new Set();
  // A memory is made from older ones, so that these come first.
  for (const kept of [...state.memories.values()].sort((a, b) => a.memory.id - b.memory.id)) {
    const mayHold = kept.messages.includes(id) || kept.memories.some((of) => holding.has(of));
    const isGone = (/** @type {Citation} */ line) => (line.messages.length === 0 ? mayHold : line.messages.some(isMeant));
    const gone = linesOf(kept.memory.content, kept.memory.citations).filter(isGone);
    if (gone.length > 0) holding.add(kept.memory.id);
    const records = kept.memory.records.filter(({ message }) => !isMeant(message));
    if (gone.length > 0 || records.length < kept.memory.records.length) loseLines(state, kept, isGone, records);
    if (gone.length > 0 && kept.memory.memoryType === 'long-term') {
      for (const of of gone.flatMap(({ messages }) => messages).filter((of) => !isMeant(of))) waitAlone(state, of.channelId, written(of.ts));
    }
  }
  const version = state.settled.get(id);
  if (version) waitAgain(state, channelId, version);
}

/** @param {State} state @param {KeptMemory} kept @param {(line: Citation) => boolean} isGone @param {KeptMemory['memory']['records']} records */
function loseLines(state, kept, isGone, records) {
  const { memory } = kept;
  const { scope, scopeId } = memory;
  const { content, citations } = without(memory.content, linesOf(memory.content, memory.citations), isGone);
  state.memories.set(String(memory.id), { ...kept, memory: { ...memory, content, citations, records } });
  state.revise(String(memory.id));
  for (const type of ['long-term', 'short-term']) state.deferrals.delete(`${scope} ${scopeId} ${type}`);
  if (scope === 'channel') waitAgain(state, scopeId, memory.id);
  if (scope === 'thread') state.changedThreads.set(scopeId, true);
}

/** Takes away the memories elsewhere that were made from a channel, with the later versions of each. The next run makes them anew.
 * @param {State} state @param {string} channelId */
export function takeBack(state, channelId) {
  const isElsewhere = (/** @type {KeptMemory} */ { memory }) => subjectOf(memory.scope, memory.scopeId).channelId !== channelId;
  const gave = [...state.memories.values()].filter((kept) => kept.origins.includes(channelId) && isElsewhere(kept));
  for (const { memory } of gave) {
    const later = state.all(memory.scope, memory.scopeId, memory.memoryType).filter((other) => other.memory.id >= memory.id);
    for (const { memory: each } of later) {
      state.memories.delete(String(each.id));
      state.revise(String(each.id));
      if (each.scope === 'channel') waitAgain(state, each.scopeId, each.id);
      if (each.scope === 'thread') state.changedThreads.set(each.scopeId, true);
    }
  }
}
