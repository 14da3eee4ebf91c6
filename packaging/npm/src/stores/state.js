// All that a store keeps. Tables note what changed, so that a store on disk writes that and nothing else.

import { MemoryError } from '../errors.js';
import { key, order } from '../ids.js';

/** @import {SavedMemory, User} from '../../contract.js' */
/**
 * A message, or the trace of a deleted one.
 * @typedef {{ channelId: string, ts: string, userId: string, text: string, authorName?: string, threadTs?: string, editedAt?: number, isDeleted: boolean }} Kept
 */
/** A memory with what its call was given. @typedef {{ memory: SavedMemory, origins: string[], messages: string[], memories: number[] }} KeptMemory */

/** Values are replaced, never changed. @template T @extends {Map<string, T>} */
export class Table extends Map {
  /** The keys whose values changed. @type {Set<string>} */
  changed = new Set();

  /** @param {string} key @param {T} value */
  set(key, value) {
    // The constructor of a Map calls this before there are fields.
    this.changed?.add(key);
    return super.set(key, value);
  }

  /** @param {string} key */
  delete(key) {
    if (this.has(key)) this.changed.add(key);
    return super.delete(key);
  }
}

export class State {
  /** @type {Table<User>} */ users = new Table();
  /** @type {Table<{ id: string, name: string, isPrivate: boolean }>} */ channels = new Table();
  /** By channel and id. @type {Table<Kept>} */ messages = new Table();
  /** @type {Table<KeptMemory>} */ memories = new Table();
  /** @type {Table<any>} */ deferrals = new Table();
  /** Messages that do not wait, of channels with a version: which version took them as news, 0 for none. @type {Table<number>} */ settled = new Table();
  /** Threads of which a summarised message changed, and channels whose memories lost lines. @type {Table<true>} */ changedThreads = new Table();
  /** @type {Table<true>} */ lostLines = new Table();
  /** @type {Table<number>} */ counters = new Table();
  /** What messages mean to an embedder. @type {Table<{ model: string, vector: number[] }>} */ vectors = new Table();

  /** When what changed last, in this process. @type {Map<string, number>} */
  revisions = new Map();
  revision = 0;
  /** All messages, by channel. @type {Map<string, Map<string, Kept>>} */
  #byChannel = new Map();
  /** Those that are there, in order. @type {Map<string, Kept[]>} */
  #shown = new Map();

  static TABLES = /** @type {const} */ (['users', 'channels', 'messages', 'memories', 'deferrals', 'settled', 'changedThreads', 'lostLines', 'counters', 'vectors']);

  /** Whether something is not written yet. */
  isChanged() {
    return State.TABLES.some((name) => this[name].changed.size > 0);
  }

  /** Takes what is written in place of everything. @param {(table: string) => [string, any][]} rows */
  replace(rows) {
    for (const name of State.TABLES) {
      const table = /** @type {Table<any>} */ (this[name]);
      table.clear();
      for (const [id, value] of rows(name)) table.set(id, value);
      table.changed.clear();
    }
    this.#shown.clear();
    this.#byChannel.clear();
    for (const message of this.messages.values()) this.#sort(message);
  }

  /** @param {Kept} message */
  #sort(message) {
    const own = this.#byChannel.get(message.channelId) ?? new Map();
    this.#byChannel.set(message.channelId, own.set(message.ts, message));
  }

  /** @param {string} channelId @param {string} ts */
  message(channelId, ts) {
    return this.messages.get(`${channelId}:${ts}`);
  }

  /** @param {Kept} message */
  keep(message) {
    const id = `${message.channelId}:${message.ts}`;
    // It is of what the message said before.
    this.vectors.delete(id);
    this.messages.set(id, message);
    this.#sort(message);
    const shown = this.#shown.get(message.channelId);
    const last = shown?.at(-1);
    // Most messages are the newest.
    if (shown && last && !message.isDeleted && key(message.ts) > key(last.ts)) shown.push(message);
    else this.#shown.delete(message.channelId);
  }

  /** What is in a channel up to then, oldest first. @param {string} channelId @param {bigint} [until] */
  shown(channelId, until) {
    this.channel(channelId);
    let all = this.#shown.get(channelId);
    if (!all) {
      const own = [...(this.#byChannel.get(channelId)?.values() ?? [])].filter(({ isDeleted }) => !isDeleted);
      const keyed = own.map((message) => /** @type {const} */ ([key(message.ts), message]));
      all = keyed.sort(([a], [b]) => order(a, b)).map(([, message]) => message);
      this.#shown.set(channelId, all);
    }
    const last = all.at(-1);
    return until === undefined || !last || key(last.ts) <= until ? all : all.filter(({ ts }) => key(ts) <= until);
  }

  /** @param {string} id */
  channel(id) {
    const channel = this.channels.get(id);
    if (!channel) throw new MemoryError('not-found', `channel ${id} is not stored`);
    return channel;
  }

  /** Notes that a message (by channel and id) or a memory (by its number) is not any more what a call was given. @param {string} id */
  revise(id) {
    this.revisions.set(id, ++this.revision);
  }

  /** The versions of a memory, oldest first, without stand-ins. @param {string} scope @param {string} scopeId @param {string} memoryType */
  versions(scope, scopeId, memoryType) {
    const versions = this.all(scope, scopeId, memoryType).filter(({ memory }) => memory.version > 0);
    return versions.sort((a, b) => a.memory.version - b.memory.version);
  }

  /** @param {string} scope @param {string} scopeId @param {string} memoryType */
  all(scope, scopeId, memoryType) {
    return [...this.memories.values()].filter(
      ({ memory }) => memory.scope === scope && memory.scopeId === scopeId && memory.memoryType === memoryType,
    );
  }

  /** @param {string} scope @param {string} scopeId @param {string} type */
  mergedThrough(scope, scopeId, type) {
    return this.versions(scope, scopeId, type).at(-1)?.memory.mergedThrough ?? 0;
  }
}
