// A workspace in memory: the import `storage`, as wit/storage.wit documents it. A platform puts its own database here.

/** @import {Backlog, ChannelFilter, Deferral, Due, DueQuery, Marked, Memory, MemoryDraft, MemoryQuery, MemoryType, Message, MessageQuery, Scope, StorageError, Timestamp, Ts} from './generated/bot/interfaces/myao-memory-storage.js' */
/** @import {Channel, Citation, KeptSpan, KeptText, MessageRef, User} from './generated/bot/interfaces/myao-memory-types.js' */
/** @typedef {{ channelId: string, ts: Ts, userId: string, text: string, threadTs?: Ts }} Written a message as it was written */

/** An error of an import: `payload` is the error of the contract, which jco hands to the component. */
export class Refusal extends Error {
  /** @param {StorageError} payload */
  constructor(payload) {
    super(`${payload.tag}: ${JSON.stringify(payload.val)}`);
    this.payload = payload;
  }
}

/** A message id as one number: seconds first, then the sequence. @param {Ts} ts */
export function key(ts) {
  const parts = /^(\d+)\.(\d{1,6})$/.exec(ts);
  if (!parts) throw new Refusal({ tag: 'invalid', val: `\`${ts}\` is no message id` });
  return BigInt(parts[1]) * 1_000_000n + BigInt(parts[2]);
}

/** @template T @param {T} a @param {T} b */
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const SCOPES = ['workspace', 'channel', 'thread'];
const MARK = /^\s*@[^]{0,200}?(remember|覚えて|correction|訂正)/i;
const TYPES = ['long-term', 'short-term'];

export class Store {
  /** @type {Map<string, Channel>} */ channels = new Map();
  /** @type {Map<string, User>} */ users = new Map();
  /** @type {Map<string, Written[]>} By channel, in order of their ids. */ messages = new Map();
  /** @type {Memory[]} The current texts. */ memories = [];
  /** @type {Map<string, Deferral>} */ deferrals = new Map();
  /** @type {Map<bigint, Set<string>>} The channels that a memory was made from, by its id. */ origins = new Map();
  /** @type {Set<string>} Threads of which a summarised message was changed. */ changedThreads = new Set();
  /** @type {Map<string, Set<Ts>>} Messages that do not wait, of channels with a version. */ settled = new Map();
  #lastId = 0n;

  /** @param {number} utcOffsetSeconds @param {string} workspaceId the setting `workspace-scope-id` */
  constructor(utcOffsetSeconds, workspaceId) {
    this.utcOffsetSeconds = utcOffsetSeconds;
    this.workspaceId = workspaceId;
  }

  /** Takes a message in, in place of an earlier one with its id. @param {Written} message */
  put(message) {
    const written = this.messages.get(message.channelId) ?? [];
    const others = written.filter((other) => other.ts !== message.ts);
    const thread = message.threadTs ?? message.ts;
    if (others.length < written.length) this.changedThreads.add(`${message.channelId}:${thread}`);
    others.push(message);
    this.messages.set(message.channelId, others.sort((a, b) => order(key(a.ts), key(b.ts))));
  }

  /** The channels that a memory was made from. @param {bigint} id */
  originsOf(id) {
    return this.origins.get(id) ?? new Set();
  }

  /** The functions of the import, for nobody in particular: a call gets those of a place (place.js). */
  imports() {
    return {
      listChannels: () => this.#channels(),
      listMessages: (/** @type {MessageQuery} */ query) => this.#messages(query),
      listMarked: (/** @type {string} */ channelId, /** @type {Ts} */ until, /** @type {number} */ limit) =>
        this.#marked(channelId, until, limit),
      listMemories: (/** @type {MemoryQuery} */ query) => this.#memories(query),
      readSpans: (/** @type {KeptSpan[]} */ spans) => spans.flatMap((span) => this.#part(span)),
      listDue: (/** @type {DueQuery} */ query) => this.#due(query),
      getBacklog: (/** @type {string} */ channelId, /** @type {Ts | undefined} */ threadTs, /** @type {Ts} */ until) =>
        this.#backlog(channelId, threadTs, until),
      saveMemory: (/** @type {MemoryDraft} */ draft) => this.#save(draft),
      listDeferrals: (/** @type {Scope} */ scope, /** @type {string} */ scopeId) =>
        TYPES.flatMap((type) => this.deferrals.get(`${scope} ${scopeId} ${type}`) ?? []),
      defer: (/** @type {Scope} */ scope, /** @type {string} */ scopeId, /** @type {Deferral} */ deferral) => {
        this.deferrals.set(`${scope} ${scopeId} ${deferral.memoryType}`, deferral);
      },
    };
  }

  #channels() {
    return [...this.channels.values()].sort((a, b) => order(a.name, b.name) || order(a.id, b.id));
  }

  /** @param {MessageQuery} query @returns {Message[]} */
  #messages({ channelId, since, until, limit, keep, wholeThread, threadLimit, onlyNew }) {
    const there = this.#until(channelId, until);
    const isWhole = (/** @type {Written} */ message) => wholeThread !== undefined && isIn(message, wholeThread);
    const inBounds = there.filter((message) => !isWhole(message) && (!since || key(message.ts) >= key(since)));
    const noReply = keep === 'newest-top-level';
    const between = inBounds.filter((m) => (!onlyNew || this.#waits(m)) && !(noReply && m.threadTs !== undefined));
    const kept = keep === 'oldest' ? between.slice(0, limit) : between.slice(Math.max(0, between.length - limit));
    const replies = there.filter((message) => isWhole(message) && message.ts !== wholeThread);
    const newest = replies.slice(Math.max(0, replies.length - threadLimit));
    const first = there.filter((message) => message.ts === wholeThread);
    const picked = new Set([...kept, ...first, ...newest]);
    const begun = new Set([...picked].map((message) => message.threadTs));
    return there
      .filter((message) => picked.has(message) || begun.has(message.ts))
      .map((message) => this.show(message, there));
  }

  /**
   * The newest messages of people that may be marks. This store knows neither guests nor pins.
   * @param {string} channelId @param {Ts} until @param {number} limit @returns {Marked[]}
   */
  #marked(channelId, until, limit) {
    const there = this.#until(channelId, until);
    const mayBe = there.filter(({ userId, text }) => !this.users.get(userId)?.isBot && MARK.test(text));
    const newest = mayBe.slice(Math.max(0, mayBe.length - limit));
    return newest.map((message) => ({ message: this.show(message, there), isPinned: false }));
  }

  /** A message as the component sees it, among those that are there. @param {Written} message @param {Written[]} there */
  show(message, there) {
    const hasReplies = there.some((other) => other.threadTs === message.ts);
    const user = this.users.get(message.userId);
    if (!user) throw new Refusal({ tag: 'other', val: { code: 'no-user', text: `nobody is called ${message.userId}` } });
    const threadTs = message.threadTs ?? (hasReplies ? message.ts : undefined);
    return { ts: message.ts, user, text: message.text, timestamp: this.time(message.ts), threadTs };
  }

  /** The words of a part of a message, unless it is gone. @param {KeptSpan} span @returns {KeptText[]} */
  #part(span) {
    const { channelId, ts } = span.message;
    const there = (this.messages.get(channelId) ?? []).filter((message) => message.ts === ts);
    return there.map((message) => {
      const { user, text, timestamp } = this.show(message, there);
      return { span, user, timestamp, text: [...text].slice(span.start, span.start + span.length).join('') };
    });
  }

  /** When a message was written. @param {Ts} ts @returns {Timestamp} */
  time(ts) {
    return { unixSeconds: key(ts) / 1_000_000n, utcOffsetSeconds: this.utcOffsetSeconds };
  }

  /** The current texts, ordered by scope, scope id, type and version. */
  saved() {
    return [...this.memories].sort(
      (a, b) =>
        SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope) ||
        order(a.scopeId, b.scopeId) ||
        TYPES.indexOf(a.memoryType) - TYPES.indexOf(b.memoryType) ||
        a.version - b.version,
    );
  }

  /** @param {MemoryQuery} query @returns {Memory[]} */
  #memories({ until, workspace, channels, historyLimit, unmerged, threads, citations }) {
    const isThere = (/** @type {Memory} */ memory) =>
      until === undefined || memory.updatedAt.unixSeconds <= key(until) / 1_000_000n;
    const isWanted = (/** @type {Memory} */ memory) => {
      if (memory.scope === 'workspace') return workspace;
      if (memory.scope === 'thread') return threads.includes(memory.scopeId);
      if (channels.tag === 'none' || (channels.tag === 'one' && channels.val !== memory.scopeId)) return false;
      if (memory.memoryType === 'long-term' || memory.version === 0) return true;
      const versions = this.#versions('channel', memory.scopeId, 'short-term').filter(isThere);
      const isNew = versions.indexOf(memory) >= versions.length - historyLimit;
      return isNew || (unmerged && memory.id > this.#mergedThrough('channel', memory.scopeId, 'long-term'));
    };
    const wanted = this.saved().filter(isThere).filter(isWanted);
    return citations ? wanted : wanted.map((memory) => ({ ...memory, citations: [], records: [] }));
  }

  /** @param {DueQuery} query @returns {Due} */
  #due(query) {
    const isOld = (/** @type {Backlog} */ { latestMessageTs: latest }) =>
      latest === undefined || key(latest) < key(query.windowStart);
    const isChannelDue = (/** @type {Backlog} */ backlog) => {
      if (backlog.unmergedCount > 0) return true;
      if (backlog.newMessageCount === 0 || backlog.latestMessageTs === undefined) return false;
      if (backlog.shortTermVersion === undefined) return !isOld(backlog);
      const isOver = key(backlog.latestMessageTs) <= key(query.idleSince);
      return query.always || isOver || backlog.newMessageCount >= query.messageThreshold;
    };
    const isThreadDue = (/** @type {Backlog} */ backlog) =>
      backlog.newMessageCount > 0 && (backlog.shortTermVersion !== undefined || !isOld(backlog));
    const ids = [...this.channels.keys()].sort();
    const threads = ids.flatMap((id) => {
      const begun = new Set((this.messages.get(id) ?? []).flatMap((message) => message.threadTs ?? []));
      const inOrder = [...begun].sort((a, b) => order(key(a), key(b)));
      return inOrder.map((threadTs) => this.#backlog(id, threadTs, query.until));
    });
    return {
      channels: ids.map((id) => this.#backlog(id, undefined, query.until)).filter(isChannelDue),
      threads: threads.filter(isThreadDue),
      workspaceLongTerm: this.#isWorkspaceDue('long-term'),
      workspaceShortTerm: this.#isWorkspaceDue('short-term'),
    };
  }

  /** @param {MemoryType} type */
  #isWorkspaceDue(type) {
    const merged = this.#mergedThrough('workspace', this.workspaceId, type);
    const open = [...this.channels.values()].filter((channel) => !channel.isPrivate);
    return open.some(({ id }) => (this.#versions('channel', id, type).at(-1)?.id ?? 0n) > merged);
  }

  /** @param {string} channelId @param {Ts | undefined} threadTs @param {Ts} until @returns {Backlog} */
  #backlog(channelId, threadTs, until) {
    const channel = this.#channel(channelId);
    const scopeId = threadTs === undefined ? channelId : `${channelId}:${threadTs}`;
    const versions = this.#versions(threadTs === undefined ? 'channel' : 'thread', scopeId, 'short-term');
    const newest = versions.at(-1);
    const through = newest?.sourceLatestMessageTs;
    let waiting = this.#until(channelId, until);
    if (threadTs !== undefined) {
      // Until there is a reply there is no thread.
      const hasReplies = waiting.some((message) => message.threadTs === threadTs && message.ts !== threadTs);
      waiting = hasReplies ? waiting.filter((message) => isIn(message, threadTs)) : [];
    }
    const isAfter = (/** @type {Written} */ message) => through === undefined || key(message.ts) > key(through);
    const news = waiting.filter((message) => (threadTs === undefined ? this.#waits(message) : isAfter(message)));
    const merged = this.#mergedThrough('channel', channelId, 'long-term');
    return {
      channel,
      threadTs,
      latestMessageTs: waiting.at(-1)?.ts,
      newMessageCount: news.length + (newest && this.changedThreads.has(scopeId) ? 1 : 0),
      lateMessageCount: news.filter((message) => !isAfter(message)).length,
      // Nothing is deleted here.
      lostLines: false,
      shortTermVersion: newest?.version,
      summarizedThrough: through,
      unmergedCount: threadTs === undefined ? versions.filter((memory) => memory.id > merged).length : 0,
    };
  }

  /** Nothing is changed before every check is made: the save is atomic. @param {MemoryDraft} draft @returns {Memory} */
  #save(draft) {
    if (draft.scope === 'workspace' && draft.scopeId !== this.workspaceId)
      throw new Refusal({ tag: 'invalid', val: `\`${draft.scopeId}\` is not this workspace` });
    if (draft.scope !== 'workspace') this.#channel(draft.scopeId.split(':')[0]);
    if (draft.content.trim() === '')
      throw new Refusal({ tag: 'invalid', val: `the memory of ${draft.scopeId} is empty` });
    const current = this.#versions(draft.scope, draft.scopeId, draft.memoryType);
    const newest = current.at(-1);
    if (draft.expected !== newest?.id)
      throw new Refusal({ tag: 'conflict', val: `${draft.scopeId} has a newer memory: read again` });
    const isStandIn = (/** @type {Memory} */ memory) => memory.version === 0 && isOf(memory, draft);
    const standIn = this.memories.find(isStandIn);
    const version = { overwrite: 1, 'new-version': (newest?.version ?? 0) + 1, 'stand-in': 0 }[draft.mode];
    const replaced = draft.mode === 'overwrite' ? current : [];
    const first = [...replaced, ...(standIn ? [standIn] : [])].find((memory) => memory.version === version);
    const { scope, scopeId, memoryType, content, engine, now, sourceMessageCount } = draft;
    const { sourceLatestMessageTs, mergedThrough, records } = draft;
    const citations = draft.citations.map((line) => ({ ...line, byProgram: this.#isByProgram(line) }));
    const memory = { id: ++this.#lastId, scope, scopeId, memoryType, version, content, engine, sourceMessageCount,
      sourceLatestMessageTs, mergedThrough, citations, records, createdAt: first?.createdAt ?? now, updatedAt: now };
    this.memories = this.memories.filter((other) => other !== standIn && !replaced.includes(other));
    this.memories.push(memory);
    if (draft.mode !== 'stand-in') {
      this.deferrals.delete(`${scope} ${scopeId} ${memoryType}`);
      this.changedThreads.delete(scopeId);
      if (scope === 'channel' && memoryType === 'short-term') this.#settle(scopeId, new Set(draft.sourceMessages));
    }
    return memory;
  }

  /** Whether programs wrote all messages of a line. @param {Citation} line */
  #isByProgram({ messages }) {
    const isProgram = (/** @type {MessageRef} */ { channelId, ts }) => {
      const message = (this.messages.get(channelId) ?? []).find((written) => written.ts === ts);
      return message !== undefined && this.users.get(message.userId)?.isBot === true;
    };
    return messages.length > 0 && messages.every(isProgram);
  }

  /** Whether a message is in no version of its channel yet. @param {Written} message */
  #waits({ channelId, ts }) {
    return !this.settled.get(channelId)?.has(ts);
  }

  /**
   * What a version was made from does not wait any more, nor what is older than the first version. The first message of a
   * thread may be far older than the rest. @param {string} channelId @param {Set<Ts>} taken
   */
  #settle(channelId, taken) {
    const written = this.messages.get(channelId) ?? [];
    const begun = new Set(written.filter(({ ts }) => taken.has(ts)).map(({ threadTs }) => threadTs));
    const first = written.findIndex(({ ts }) => taken.has(ts) && !begun.has(ts));
    const history = written.slice(0, Math.max(0, first)).map(({ ts }) => ts);
    const before = this.settled.get(channelId) ?? history;
    this.settled.set(channelId, new Set([...before, ...taken]));
  }

  /** The versions of a memory, oldest first, without stand-ins. @param {Scope} scope @param {string} scopeId @param {MemoryType} memoryType */
  #versions(scope, scopeId, memoryType) {
    const versions = this.memories.filter((memory) => memory.version > 0 && isOf(memory, { scope, scopeId, memoryType }));
    return versions.sort((a, b) => a.version - b.version);
  }

  /** @param {Scope} scope @param {string} scopeId @param {MemoryType} type */
  #mergedThrough(scope, scopeId, type) {
    return this.#versions(scope, scopeId, type).at(-1)?.mergedThrough ?? 0n;
  }

  /** @param {string} id */
  #channel(id) {
    const channel = this.channels.get(id);
    if (!channel) throw new Refusal({ tag: 'not-found', val: `channel ${id} is not stored` });
    return channel;
  }

  /** What is in a channel up to then. @param {string} channelId @param {Ts} until */
  #until(channelId, until) {
    this.#channel(channelId);
    return (this.messages.get(channelId) ?? []).filter((message) => key(message.ts) <= key(until));
  }
}

/** @param {Written} message @param {Ts} threadTs */
const isIn = (message, threadTs) => message.ts === threadTs || message.threadTs === threadTs;

/** @param {Memory} memory @param {{ scope: Scope, scopeId: string, memoryType: MemoryType }} of */
const isOf = (memory, of) =>
  memory.scope === of.scope && memory.scopeId === of.scopeId && memory.memoryType === of.memoryType;
