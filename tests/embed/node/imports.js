// The imports beside `storage`, in memory: a model that answers from a script, a platform that keeps its posts,
// settings, a log, and WASI with nothing in it.

import { cli, io } from '@bytecodealliance/preview2-shim';
import { WASIShim } from '@bytecodealliance/preview2-shim/instantiation';
import { key } from './store.js';

/** @import {Agent, Completion, FinishReason, LlmError, Request} from './generated/bot/interfaces/myao-memory-llm.js' */
/** @import {PostRequest, ChatError} from './generated/bot/interfaces/myao-memory-chat.js' */
/** @import {Message, Ts, User} from './generated/bot/interfaces/myao-memory-types.js' */
/** @import {Level} from './generated/bot/interfaces/myao-memory-log.js' */
/** @import {Store, Written} from './store.js' */
/** @typedef {{ text: string, finishReason?: FinishReason, inputTokens?: number, outputTokens?: number } | { error: LlmError }} Answer */

/** An error of an import: `payload` is the error of the contract, which jco hands to the component. */
class Refusal extends Error {
  /** @param {LlmError | ChatError} payload */
  constructor(payload) {
    super(payload.tag);
    this.payload = payload;
  }
}

/** A model that answers each purpose with one text after the other, the last one again and again. */
export class ScriptedModel {
  /** @type {Request[]} What it was asked. */ requests = [];
  /** @type {Map<string, number>} */ #asked = new Map();

  /** @param {Record<string, Answer[]>} answers @param {Partial<Record<Agent, number>>} contextWindows */
  constructor(answers, contextWindows) {
    this.answers = answers;
    this.contextWindows = contextWindows;
  }

  imports() {
    return {
      complete: (/** @type {Request} */ request) => this.#answer(request),
      completeAll: (/** @type {Request[]} */ requests) =>
        requests.map((request) => {
          try {
            return /** @type {const} */ ({ tag: 'ok', val: this.#answer(request) });
          } catch (error) {
            if (error instanceof Refusal) return { tag: /** @type {const} */ ('err'), val: /** @type {LlmError} */ (error.payload) };
            throw error;
          }
        }),
      contextWindow: (/** @type {Agent} */ agent) => this.contextWindows[agent] ?? undefined,
      // A token for each character: never too few.
      countTokens: (/** @type {Agent} */ _, /** @type {string[]} */ texts) =>
        Uint32Array.from(texts, (text) => [...text].length),
    };
  }

  /** @param {Request} request @returns {Completion} */
  #answer(request) {
    this.requests.push(request);
    const { agent, scopeId, memoryType } = request.purpose;
    const purpose = [agent, scopeId, memoryType].filter(Boolean).join(' ');
    const answers = this.answers[purpose] ?? [{ error: { tag: 'other', val: { code: 'no-answer', text: `no answer to ${purpose}` } } }];
    const n = this.#asked.get(purpose) ?? 0;
    this.#asked.set(purpose, n + 1);
    const answer = answers[Math.min(n, answers.length - 1)];
    if ('error' in answer) throw new Refusal(answer.error);
    return { finishReason: 'stop', model: 'scripted', ...answer };
  }
}

/** A chat platform that knows some messages, and keeps what is posted. */
export class Platform {
  /** @type {PostRequest[]} */ posts = [];

  /** @param {Store} store for names and times @param {Written[]} messages */
  constructor(store, messages) {
    this.store = store;
    this.messages = messages;
  }

  imports() {
    return {
      // A second after the message that it answers.
      post: (/** @type {PostRequest} */ request) => {
        const isFirst = this.posts.every((post) => post.answers !== request.answers);
        if (isFirst) this.posts.push(request);
        const [seconds, sequence] = request.answers.split('.');
        const tag = isFirst ? /** @type {const} */ ('posted') : /** @type {const} */ ('already');
        return { tag, val: [`${BigInt(seconds) + 1n}.${sequence}`] };
      },
      thread: (/** @type {string} */ channelId, /** @type {Ts} */ threadTs, /** @type {number} */ limit) => {
        const isIn = (/** @type {Written} */ message) =>
          message.channelId === channelId && (message.threadTs ?? message.ts) === threadTs;
        const shown = this.#show(isIn);
        const replies = shown.filter((message) => message.ts !== threadTs);
        const first = shown.filter((message) => message.ts === threadTs);
        return [...first, ...replies.slice(Math.max(0, replies.length - limit))];
      },
      history: (/** @type {string} */ channelId, /** @type {Ts} */ until, /** @type {number} */ limit) => {
        const isShown = (/** @type {Written} */ message) =>
          message.channelId === channelId && !message.threadTs && key(message.ts) <= key(until);
        const shown = this.#show(isShown);
        return shown.slice(Math.max(0, shown.length - limit));
      },
      permalink: (/** @type {string} */ channelId, /** @type {Ts} */ ts) => `https://chat.example/${channelId}/${ts}`,
      getUser: (/** @type {string} */ id) => {
        const user = this.store.users.get(id);
        if (!user) throw new Refusal({ tag: 'not-found', val: id });
        return user;
      },
    };
  }

  /** @param {(message: Written) => boolean} isShown @returns {Message[]} */
  #show(isShown) {
    const shown = this.messages.filter(isShown);
    return shown.map((message) => this.store.show(message, shown));
  }
}

/** This host cannot search. */
export const noRecall = {
  findCandidates: () => ({ messages: [], memories: [], records: [], counts: [], messageCount: 0 }),
  terms: () => /** @type {string[]} */ ([]),
};

/** Lines go to standard error; the component never logs the text of messages or memories. */
export const log = {
  write: (/** @type {Level} */ level, /** @type {string} */ line) => console.error(`${level}: ${line}`),
};

/**
 * WASI is what Rust's standard library asks for, and nothing is in it: no arguments, environment, files, network or
 * streams, and no way to end this process; clocks stand still, and randomness is the same in every call. Left to itself, the
 * shim would lend those of this process.
 */
export function emptyWasi() {
  const stream = (/** @type {object} */ prototype, /** @type {object} */ methods) => Object.assign(Object.create(prototype), methods);
  const closed = () => { throw { tag: 'closed' }; };
  const drop = () => {};
  const input = () => stream(io.streams.InputStream.prototype, { read: closed, blockingRead: closed });
  const output = () => stream(io.streams.OutputStream.prototype, { checkWrite: () => 65536n, write: drop, flush: drop, blockingFlush: drop, blockingWriteAndFlush: drop });
  const exit = () => { throw new Error('the component ended itself'); };
  const nothing = {
    ...cli,
    environment: { getEnvironment: () => [], getArguments: () => [], initialCwd: () => undefined },
    exit: { exit, exitWithCode: exit },
    stdin: { getStdin: input },
    stdout: { getStdout: output },
    stderr: { getStderr: output },
    terminalStdin: { getTerminalStdin: () => undefined },
    terminalStdout: { getTerminalStdout: () => undefined },
    terminalStderr: { getTerminalStderr: () => undefined },
  };
  const timer = () => { throw new Error('a component has no clock'); };
  const clocks = {
    wallClock: { now: () => ({ seconds: 0n, nanoseconds: 0 }), resolution: () => ({ seconds: 1n, nanoseconds: 0 }) },
    monotonicClock: { now: () => 0n, resolution: () => 1n, subscribeInstant: timer, subscribeDuration: timer },
  };
  const bytes = (/** @type {bigint} */ length) => Uint8Array.from({ length: Number(length) }, (_, index) => index);
  const random = {
    random: { getRandomBytes: bytes, getRandomU64: () => 1n },
    insecure: { getInsecureRandomBytes: bytes, getInsecureRandomU64: () => 1n },
    insecureSeed: { insecureSeed: () => [0n, 0n] },
  };
  const sandbox = { preopens: {}, enableNetwork: false };
  return new WASIShim(/** @type {any} */ ({ cli: nothing, clocks, random, sandbox })).getImportObject();
}
