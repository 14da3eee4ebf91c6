// A workspace in memory: see index.d.ts.

import { erase, takeBack } from './erasure.js';
import { invalid, key, written } from '../ids.js';
import { given } from '../limits.js';
import { allMemories, defer, listDeferrals, listMemories, saveMemory } from './memories.js';
import { id, keptOf, listChannels, listMarked, listMessages, merged, readSpan, show, traceOf } from './messages.js';
import { backlog, listDue, waits } from './progress.js';
import { Meaning } from './meaning.js';
import { findCandidates, visible } from './recall.js';
import { State } from './state.js';
import { terms } from './terms.js';

/** @import {Deferral, DueQuery, ItemQuery, KeptSpan, MemoryDraft, MemoryQuery, MessageQuery, RecallQuery} from '../../contract.js' */
/** @import {Place} from '../bound.js' */
/** @import {Kept, KeptMemory} from './state.js' */

export class MemoryStore {
  #state;
  #utcOffsetSeconds;
  #workspaceId;
  #meaning;

  /** @param {import('../../index.d.ts').StoreOptions} [options] @param {State} [state] what is there already */
  constructor({ utcOffsetSeconds = 0, workspaceId = 'default', embedder } = {}, state = new State()) {
    this.#state = state;
    this.#meaning = embedder && new Meaning(embedder, (change) => this.#change(change));
    this.#utcOffsetSeconds = utcOffsetSeconds;
    this.#workspaceId = workspaceId;
  }

  /**
   * Changes the state, all of it or nothing. A store on disk does it otherwise.
   * @template T
   * @param {State} state
   * @param {(state: State) => T} change
   * @returns {T}
   */
  change(state, change) {
    return change(state);
  }

  /** @template T @param {(state: State) => T} change @returns {T} */
  #change(change) {
    return this.change(this.#state, change);
  }

  /** @param {{ id: string, name?: string, isBot?: boolean }} user */
  putUser(user) {
    id(user?.id, 'the user');
    given(user.name ?? '', 'string', "the user's name");
    given(user.isBot, 'boolean', "the user's isBot");
    this.#change((state) => {
      const before = state.users.get(user.id);
      state.users.set(user.id, { id: user.id, name: user.name || before?.name || '', isBot: user.isBot ?? before?.isBot ?? false });
    });
  }

  /** @param {{ id: string, name?: string, isPrivate?: boolean }} channel */
  putChannel(channel) {
    id(channel?.id, 'the channel');
    given(channel.name ?? '', 'string', "the channel's name");
    given(channel.isPrivate, 'boolean', "the channel's isPrivate");
    this.#change((state) => {
      const before = state.channels.get(channel.id);
      const isPrivate = channel.isPrivate ?? before?.isPrivate ?? true;
      state.channels.set(channel.id, { id: channel.id, name: channel.name || before?.name || '', isPrivate });
      if (before && !before.isPrivate && isPrivate) takeBack(state, channel.id);
    });
  }

  /** @param {any} message */
  putMessage(message) {
    const kept = keptOf(message);
    this.#change((state) => {
      state.channel(kept.channelId);
      const before = state.message(kept.channelId, kept.ts);
      const after = merged(before, kept);
      if (!after) return;
      state.keep(after);
      if (before && before.text !== after.text) this.#changed(state, before);
    });
  }

  /** @param {string} channelId @param {string} ts */
  deleteMessage(channelId, ts) {
    this.#change((state) => {
      state.channel(channelId);
      const before = state.message(channelId, written(ts));
      if (before?.isDeleted) return;
      state.keep(traceOf(before, channelId, ts));
      if (before) this.#changed(state, before);
    });
  }

  /** What a message said is gone. @param {State} state @param {Kept} before */
  #changed(state, { channelId, ts, threadTs }) {
    state.changedThreads.set(`${channelId}:${threadTs ?? ts}`, true);
    erase(state, channelId, ts);
  }

  memories() {
    return allMemories(this.#state, () => true);
  }

  /** @param {Place} place */
  at(place) {
    const state = this.#state;
    const own = typeof place === 'object' ? place.channel : undefined;
    const seesChannel = (/** @type {string} */ channelId) => channelId === own || state.channels.get(channelId)?.isPrivate === false;
    const sees = (/** @type {KeptMemory} */ { origins }) => origins.every(seesChannel);
    const hears = (/** @type {string} */ channelId) => {
      if (channelId !== own) throw invalid(`the messages of ${channelId} are not for this place`);
    };
    const given = { messages: /** @type {Set<string>} */ (new Set()), memories: /** @type {Set<number>} */ (new Set()), since: state.revision };
    const give = (/** @type {string} */ channelId, /** @type {{ picked: Kept[], there: Kept[] }} */ { picked, there }) => {
      for (const { ts } of picked) given.messages.add(`${channelId}:${ts}`);
      return show(state, picked, there, this.#utcOffsetSeconds);
    };
    return {
      listChannels: () => listChannels(state).filter(({ id }) => place === 'schedule' || seesChannel(id)),
      listMessages: (/** @type {MessageQuery} */ query) => (hears(query.channelId), give(query.channelId, listMessages(state, query, waits(state)))),
      listMarked: (/** @type {string} */ channelId, /** @type {string} */ until, /** @type {number} */ limit) => {
        hears(channelId);
        return give(channelId, listMarked(state, channelId, until, limit)).map((message) => ({ message, isPinned: false }));
      },
      // Nobody picks anything here: what corrections strike is kept by the program.
      listStrikes: () => [],
      // Items are kept by the program.
      listItems: (/** @type {ItemQuery} */ { channelId }) => (channelId === undefined ? undefined : hears(channelId)),
      listMemories: (/** @type {MemoryQuery} */ query) => {
        const found = listMemories(state, query, sees);
        for (const memory of found) given.memories.add(memory.id);
        return found;
      },
      readSpans: (/** @type {KeptSpan[]} */ spans) =>
        spans.filter(({ message }) => seesChannel(message.channelId)).flatMap((span) => readSpan(state, span, this.#utcOffsetSeconds)),
      listDue: (/** @type {DueQuery} */ query) => listDue(state, query, ({ origins }) => origins.every((id) => state.channels.get(id)?.isPrivate === false)),
      getBacklog: (/** @type {string} */ channelId, /** @type {string | undefined} */ threadTs, /** @type {string} */ until) =>
        backlog(state, channelId, threadTs, until),
      saveMemory: (/** @type {MemoryDraft} */ draft) =>
        this.#change((state) => saveMemory(state, draft, { sees, given, workspaceId: this.#workspaceId })),
      listDeferrals: (/** @type {string} */ scope, /** @type {string} */ scopeId) => listDeferrals(state, scope, scopeId),
      defer: (/** @type {string} */ scope, /** @type {string} */ scopeId, /** @type {Deferral} */ deferral) =>
        this.#change((state) => defer(state, scope, scopeId, deferral)),
      findCandidates: (/** @type {RecallQuery} */ query) => {
        const find = (/** @type {Map<Kept, number>} */ similarities) =>
          findCandidates(state, query, { seesChannel, utcOffsetSeconds: this.#utcOffsetSeconds }, similarities);
        if (!this.#meaning || query.text === '') return find(new Map());
        return this.#meaning.similarities(state, query.text, visible(state, seesChannel, key(query.until))).then(find);
      },
      terms,
    };
  }
}
