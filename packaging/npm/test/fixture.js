// Stores with channels and messages, and queries and drafts with most of their fields filled in.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemoryStore, SqliteStore, hasSqlite } from './package.js';

/** Declares a test for each store. @param {string} name @param {(store: Fixture) => void} check */
export function forEachStore(name, check) {
  test(`in memory: ${name}`, () => check(new Fixture(new MemoryStore())));
  test(`in SQLite: ${name}`, { skip: !hasSqlite }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'myao-'));
    const path = join(folder, 'store.db');
    t.after(() => rmSync(folder, { recursive: true }));
    check(new Fixture(new SqliteStore(path), path));
  });
}

export const time = (unixSeconds) => ({ unixSeconds, utcOffsetSeconds: 0 });
const COVERAGE = {
  messages: 1, covered: 1, leftOut: { otherChannels: 0, workspace: 0, messages: 0, channel: 0 },
  chunks: 1, calls: 1, unfounded: 0, doubtful: 0, refused: 0, records: 0, late: 0,
};

/** A store with a public channel C1, and shorter names for what tests do. */
export class Fixture {
  constructor(store, path) {
    this.store = store;
    this.path = path;
    this.channel('C1', 'general');
  }

  /** The storage of a new call. */
  at(place = { channel: 'C1' }) {
    return this.store.at(place);
  }

  /** What is in the file, read anew; the same store in memory. */
  reopened() {
    if (!this.path) return this;
    this.store.close();
    this.store = new SqliteStore(this.path);
    return this;
  }

  channel(id, name, isPrivate = false) {
    this.store.putChannel({ id, name, isPrivate });
  }

  say(...all) {
    for (const ts of all) this.put({ ts });
  }

  reply(threadTs, ...all) {
    for (const ts of all) this.put({ ts, threadTs });
  }

  put({ channelId = 'C1', ts, text = `text of ${ts}`, userId = 'U1', ...more }) {
    this.store.putMessage({ channelId, ts, userId, text, ...more });
  }

  messages(query = {}) {
    const whole = { channelId: 'C1', until: '9.0', limit: 1000, keep: 'newest', threadLimit: 0, onlyNew: false, ...query };
    return this.at({ channel: whole.channelId }).listMessages(whole);
  }

  ids(query) {
    return this.messages(query).map(({ ts }) => ts.replace('.000000', '.0'));
  }

  memories(query = {}) {
    const threads = ['1', '2', '150'].map((second) => `C1:${second}.000000`);
    const whole = { workspace: true, channels: { tag: 'all' }, historyLimit: 100, unmerged: true, threads, citations: false, ...query };
    return this.at().listMemories(whole);
  }

  labels(query) {
    return this.memories(query).map(({ scopeId, memoryType, version }) => `${scopeId} ${memoryType} ${version}`);
  }

  save(draft, storage = this.at()) {
    return storage.saveMemory({
      scope: 'channel', scopeId: 'C1', memoryType: 'short-term', mode: 'new-version', expected: undefined, content: 'a text',
      engine: 'extractive', now: time(500), sourceChannelId: draft.sourceMessages ? 'C1' : '', sourceMessages: [], sourceMemories: [],
      sourceMessageCount: 1, sourceLatestMessageTs: undefined, mergedThrough: undefined, truncated: false, coverage: COVERAGE,
      citations: [], records: [], items: [], ...draft,
    });
  }

  longTerm(merged, draft = {}) {
    return this.save({ memoryType: 'long-term', mode: 'overwrite', mergedThrough: merged.id, ...draft });
  }

  workspace(draft = {}) {
    return this.save({ scope: 'workspace', scopeId: 'default', memoryType: 'long-term', ...draft });
  }

  backlog(until = '10000.0', threadTs = undefined) {
    return this.at().getBacklog('C1', threadTs, until);
  }

  /** Due at 10000.0: a window of 5000 s, idle after 1000 s, full with 3 messages. */
  due(query = {}) {
    return this.at('schedule').listDue({ until: '10000.0', windowStart: '5000.0', idleSince: '9000.0', messageThreshold: 3, always: false, ...query });
  }

  dueChannels(query) {
    return this.due(query).channels.map(({ channel }) => channel.id);
  }

  found(terms, query = {}, place = { channel: 'C1' }) {
    return this.at(place).findCandidates({ terms, text: '', channels: [], since: undefined, until: '99.0', limit: 10, neighbours: 0, ...query });
  }
}
