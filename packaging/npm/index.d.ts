import type {
  Answer,
  Batch,
  BuildRequest,
  ChannelMarks,
  ChatFunctions,
  Completion,
  Component,
  Context,
  ContractError,
  Entry,
  Judgment,
  Level,
  LlmFunctions,
  MaybeLater,
  MemoryType,
  Occasion,
  Question,
  RecallFunctions,
  Request,
  Response,
  SavedMemory,
  Scope,
  SearchRequest,
  SearchResult,
  StorageFunctions,
  Summary,
  Target,
  Timestamp,
  Ts,
} from './contract.js';

export type * from './contract.js';

/**
 * A point in time. The package reads no clock: you say what time it is.
 *
 * - a `Date`: shown in the local time of this machine;
 * - a number: seconds since 1970, shown in UTC;
 * - a `Timestamp`: seconds since 1970, and the offset in which they are shown.
 *
 * Milliseconds are refused.
 */
export type Now = Date | number | Timestamp;

/** For whom a call is made: a channel with its threads, the workspace, or what is due. */
export type Place = { channel: string } | 'workspace' | 'schedule';

/** The storage of one call: all functions of `storage`, and those of `recall` if the store can search. */
export type PlacedStorage = StorageFunctions & (RecallFunctions | { [K in keyof RecallFunctions]?: undefined });

/** Your messages and memories, as one workspace. `MemoryStore` and `SqliteStore` are two. */
export interface Storage {
  /**
   * The storage of one call. It must return only what may be shown at the place: a channel's own messages, and memories that were
   * made from channels which everybody there may read. It is opened once for each call, and once by `load`.
   */
  at(place: Place): PlacedStorage;
}

/** Your language model. `complete` is enough. */
export interface Llm extends Partial<Omit<LlmFunctions, 'complete'>> {
  /**
   * Asks the model. A text alone counts as a whole answer. Retry inside, and throw a `MemoryError` only if that did not help, with one
   * of the codes of `LlmError` (`unavailable`, `rate-limited`, `refused`, …). Any other error ends the call.
   */
  complete(request: Request): MaybeLater<Completion | string>;
}

/** Your chat platform. `post` is enough; what is left out is not found. */
export type Chat = Pick<ChatFunctions, 'post'> & Partial<ChatFunctions>;

/** Takes the component's log. A line never holds the text of a message or a memory. */
export interface Log {
  write(level: Level, line: string): MaybeLater<void>;
}

/** How much may run, and how long. */
export interface Limits {
  /** How many calls run at once; the others wait. 16 by default. */
  concurrentCalls?: number;
  /** When a call is given up, in milliseconds. 15 minutes by default. */
  deadlineMs?: number;
}

/** What `Summarizer.load` takes. */
export interface SummarizerOptions {
  /** The model; needed if the setting `engines.memory` or `engines.response` is `llm`. */
  llm?: Llm;
  /** What differs from the defaults: keys and values as wit.md lists them. Every one is checked. */
  settings?: Record<string, string | number | boolean>;
  /** Takes the log; by default nobody does. */
  log?: Log;
  limits?: Limits;
  /** The bytes of another component than the package's own. One of another version is refused. */
  component?: Uint8Array;
}

/** What `Memory.load` takes. */
export interface MemoryOptions extends SummarizerOptions {
  storage: Storage;
  /** Where replies are posted. Without it, questions can be asked with `ask`. */
  chat?: Chat;
}

/** What a run made. */
export interface Report {
  now: Timestamp;
  /** One entry for each thread that was due, then for each channel, then for the workspace. */
  entries: Entry[];
}

/** The texts and prompts of memories, from a context that you have put together. It also works in browsers. */
export class Summarizer {
  static load(options?: SummarizerOptions): Promise<Summarizer>;
  protected constructor(...args: never);
  /** What is loaded: the component, and the version of this package. */
  readonly about: Component & { package: string };
  /** Makes the text of one memory. wit.md says what each scope and type selects from the context. */
  summarize(context: Context, scope: Scope, memoryType: MemoryType, existingMemory?: string): Promise<Summary>;
  /** The exact prompt that `summarize` would send. */
  renderPrompt(context: Context, scope: Scope, memoryType: MemoryType, existingMemory?: string): Promise<string>;
  /** The exact prompt of a reply. */
  renderReply(context: Context, occasion: Occasion, now: Now): Promise<string>;
  /** The exact prompt of the judgment whether to reply. */
  renderJudgment(context: Context, now: Now): Promise<string>;
}

/**
 * Memory over your storage. All functions throw a `MemoryError`, and work without their object (`const { ask } = memory`).
 *
 * Each call has a place, an instance of the component and a storage of its own. What the component asks for elsewhere is refused.
 */
export class Memory extends Summarizer {
  /** Checks everything that is given, and compiles the component. Do it once. */
  static load(options: MemoryOptions): Promise<Memory>;
  /** Makes everything that is due. What fails is an entry of the report, and is tried again by the next run. */
  generate(now: Now): Promise<Report>;
  /** Makes what is due in one channel. */
  generateChannel(channelId: string, now: Now): Promise<Entry>;
  /** Makes the memory of one thread, if it has a new message. */
  generateThread(channelId: string, threadTs: Ts, now: Now): Promise<Entry>;
  /** Answers a mention, and posts the answer, unless it was answered before. */
  replyToMention(target: Target, now: Now): Promise<Answer>;
  /** Decides whether an unasked answer would help. */
  judge(target: Target, now: Now): Promise<Judgment>;
  /** Answers unasked, and posts the answer, unless the message was answered before. */
  replyUnasked(target: Target, now: Now): Promise<Answer>;
  /** Answers a question from what may be seen in its channel, or in public channels if it has none. Nothing is posted or saved. */
  ask(question: Question, now: Now): Promise<Response>;
  /** Finds messages in what may be seen in a channel, or in public channels if none is given. */
  search(request: SearchRequest, now: Now, channelId?: string): Promise<SearchResult>;
  /** The context of a channel, of a thread, or of the workspace (`channelId: ''`). */
  buildContext(request: BuildRequest, now: Now): Promise<Context>;
  /** What people pinned and corrected in a channel. */
  readMarks(channelId: string, now: Now): Promise<ChannelMarks>;
}

/** Whether the same call may succeed later. */
export type Retry = 'never' | 'later' | 'after-repair';

/**
 * What went wrong. Throw one in your own functions, too: with a code of the contract (`new MemoryError('unavailable', 'no network')`)
 * the component learns it, and can defer its work.
 */
export class MemoryError extends Error {
  constructor(code: string, text: string, more?: { retry?: Retry; value?: number; payload?: unknown; cause?: unknown });
  /**
   * What happened, for programs: of the contract's errors the case (`invalid-settings`, `llm.unavailable`, `storage.conflict`); of the
   * package's own `invalid-options`, `invalid-value`, `import-failed`, `out-of-place`, `promise`, `timed-out`, `trapped`, `incompatible`
   * or `unsupported`.
   */
  readonly code: string;
  readonly retry: Retry;
  /** A number that belongs to the code: the seconds of `rate-limited`, the tokens of `context-too-long`. */
  readonly value?: number;
  /** The error of the contract, if it is one. */
  readonly payload?: ContractError;
}

/** A message as a store takes it in. */
export interface PutMessage {
  channelId: string;
  /** Seconds since 1970, a full stop and a sequence of at most six digits: `1709287200.000001`. */
  ts: Ts;
  userId: string;
  /** As a person reads it: names in the place of ids, no markup. Of more than 100,000 characters the rest is not kept, and a note says so. */
  text: string;
  /** The name that the message was posted under, if it is not the user's. */
  authorName?: string;
  /** The first message of its thread. */
  threadTs?: Ts;
  /** When it was edited, in seconds since 1970. The newest edit counts, in whatever order they come. */
  editedAt?: number;
}

/** Your embedder: it finds messages in other words, and in another language. */
export interface Embedder {
  /** Its name. Vectors of another model are made anew. */
  model: string;
  /** A vector for each text; all have one length. `isQuestion`: what is looked for, and not a message. */
  embed(texts: string[], isQuestion: boolean): MaybeLater<ArrayLike<number>[]>;
}

/** What a store is made with. */
export interface StoreOptions {
  /** Without one, messages are found by their words. Vectors that are missing are made at a search, and go with their messages. */
  embedder?: Embedder;
  /** The offset from UTC in which times are shown, in seconds. 0 by default. */
  utcOffsetSeconds?: number;
  /** The setting `workspace_scope_id`. */
  workspaceId?: string;
}

/** A workspace in memory. It searches, and shows at a place only what may be seen there. */
export class MemoryStore implements Storage {
  constructor(options?: StoreOptions);
  /** Takes in a person or a program. An empty name does not replace a known one. */
  putUser(user: { id: string; name?: string; isBot?: boolean }): void;
  /** Takes in a channel. What is not known to be public is private. When it becomes private, what others have from it is taken back. */
  putChannel(channel: { id: string; name?: string; isPrivate?: boolean }): void;
  /**
   * Takes in a message, or another text of it: an edit. What the old text said is erased from the memories, which the next run makes anew.
   */
  putMessage(message: PutMessage): void;
  /** Deletes a message, with what it said in the memories. It never comes back. */
  deleteMessage(channelId: string, ts: Ts): void;
  /** All memories, for the operator. */
  memories(): SavedMemory[];
  at(place: Place): StorageFunctions & RecallFunctions;
}

/** The parts of a database that `SqliteStore` uses: `better-sqlite3` has them, and `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): { run(...values: any[]): unknown; all(...values: any[]): unknown[] };
  close(): unknown;
}

/**
 * A workspace in a SQLite file: a `MemoryStore` that writes every change to disk before it returns. One process has the file at a time,
 * and everything in it is also in memory.
 */
export class SqliteStore extends MemoryStore {
  /** @param file a path, for Node 22.5 or newer; or an open database */
  constructor(file: string | SqliteDatabase, options?: StoreOptions);
  /** Closes the file. */
  close(): void;
}
