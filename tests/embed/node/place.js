// A store as a call for one place sees it (docs/privacy.md): what a private channel holds reaches no call for another place.

import { Refusal } from './store.js';

/** @import {Backlog, Deferral, DueQuery, MemoryDraft, MemoryId, MemoryQuery, MessageQuery, Scope} from './generated/bot/interfaces/myao-memory-storage.js' */
/** @import {KeptSpan, Ts} from './generated/bot/interfaces/myao-memory-types.js' */
/** @import {Store} from './store.js' */

/** For whom a call is made: a channel with its threads, the workspace, or what is due. @typedef {{ channel: string } | 'workspace' | 'schedule'} Place */

/** The import `storage` of one call. */
export class StoreAt {
  /** @type {Set<MemoryId>} The memories that the call was given. */ #given = new Set();

  /** @param {Store} store @param {Place} place */
  constructor(store, place) {
    this.store = store;
    this.place = place;
    this.channelId = typeof place === 'object' ? place.channel : undefined;
  }

  imports() {
    const { store } = this;
    const all = store.imports();
    return {
      listChannels: () => all.listChannels().filter(({ id }) => this.#sees(id)),
      listMessages: (/** @type {MessageQuery} */ query) => (this.#hears(query.channelId), all.listMessages(query)),
      listMarked: (/** @type {string} */ channelId, /** @type {Ts} */ until, /** @type {number} */ limit) =>
        (this.#hears(channelId), all.listMarked(channelId, until, limit)),
      listMemories: (/** @type {MemoryQuery} */ query) => {
        const seen = all.listMemories(query).filter(({ id }) => [...store.originsOf(id)].every((channel) => this.#sees(channel)));
        for (const { id } of seen) this.#given.add(id);
        return seen;
      },
      readSpans: (/** @type {KeptSpan[]} */ spans) => all.readSpans(spans.filter(({ message }) => this.#sees(message.channelId))),
      listDue: (/** @type {DueQuery} */ query) => {
        if (this.place !== 'schedule') this.#refuse('what is due');
        return all.listDue(query);
      },
      getBacklog: (/** @type {string} */ channelId, /** @type {Ts | undefined} */ threadTs, /** @type {Ts} */ until) =>
        (this.#hears(channelId), all.getBacklog(channelId, threadTs, until)),
      saveMemory: (/** @type {MemoryDraft} */ draft) => {
        this.#owns(draft.scope, draft.scopeId);
        const memory = all.saveMemory(draft);
        const origins = [...this.#given].flatMap((id) => [...store.originsOf(id)]);
        store.origins.set(memory.id, new Set(this.channelId === undefined ? origins : [...origins, this.channelId]));
        return memory;
      },
      listDeferrals: (/** @type {Scope} */ scope, /** @type {string} */ scopeId) =>
        (this.#owns(scope, scopeId), all.listDeferrals(scope, scopeId)),
      defer: (/** @type {Scope} */ scope, /** @type {string} */ scopeId, /** @type {Deferral} */ deferral) =>
        (this.#owns(scope, scopeId), all.defer(scope, scopeId, deferral)),
    };
  }

  /** Whether what comes from a channel may be shown here. @param {string} channelId */
  #sees(channelId) {
    return channelId === this.channelId || this.store.channels.get(channelId)?.isPrivate === false;
  }

  /** @param {string} channelId */
  #hears(channelId) {
    if (channelId !== this.channelId) this.#refuse(`the messages of ${channelId}`);
  }

  /** @param {Scope} scope @param {string} scopeId */
  #owns(scope, scopeId) {
    const isOwn = scope === 'workspace' ? this.place === 'workspace' : scopeId.split(':')[0] === this.channelId;
    if (!isOwn) this.#refuse(`the memory of ${scopeId}`);
  }

  /** @param {string} what @returns {never} */
  #refuse(what) {
    throw new Refusal({ tag: 'invalid', val: `${what} is not for ${this.channelId ?? this.place}` });
  }
}
