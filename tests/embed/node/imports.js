// A model that answers from a script, and a chat platform that keeps its posts.

import { MemoryError } from 'myao-memory';

/** @import {Agent, Completion, FinishReason, LlmError, Message, PostOutcome, PostRequest, PutMessage, Request, Ts, User} from 'myao-memory' */
/** @typedef {{ text: string, finishReason?: FinishReason, inputTokens?: number, outputTokens?: number } | { error: LlmError }} Answer */

/** Answers each purpose with one text after the other, the last one again and again. */
export class ScriptedModel {
  /** @type {Request[]} What it was asked. */ requests = [];
  /** @type {Map<string, number>} */ #asked = new Map();

  /** @param {Record<string, Answer[]>} answers @param {Partial<Record<Agent, number>>} contextWindows */
  constructor(answers, contextWindows) {
    this.answers = answers;
    this.contextWindows = contextWindows;
  }

  /** @param {Agent} agent */
  contextWindow(agent) {
    return this.contextWindows[agent] ?? undefined;
  }

  /** @param {Request} request @returns {Completion} */
  complete(request) {
    this.requests.push(request);
    const { agent, scopeId, memoryType } = request.purpose;
    const purpose = [agent, scopeId, memoryType].filter(Boolean).join(' ');
    const answers = this.answers[purpose] ?? [{ error: { tag: 'other', val: { code: 'no-answer', text: `no answer to ${purpose}` } } }];
    const n = this.#asked.get(purpose) ?? 0;
    this.#asked.set(purpose, n + 1);
    const answer = answers[Math.min(n, answers.length - 1)];
    if ('error' in answer) throw new MemoryError(answer.error.tag, purpose, { payload: answer.error });
    return { finishReason: 'stop', model: 'scripted', ...answer };
  }
}

/** A chat platform that knows some messages, and keeps what is posted. */
export class Platform {
  /** @type {PostRequest[]} */ posts = [];

  /** @param {Map<string, User>} users @param {PutMessage[]} messages @param {number} utcOffsetSeconds */
  constructor(users, messages, utcOffsetSeconds) {
    this.users = users;
    this.messages = messages;
    this.utcOffsetSeconds = utcOffsetSeconds;
  }

  /** A second after the message that it answers. @param {PostRequest} request @returns {PostOutcome} */
  post(request) {
    const isFirst = this.posts.every((post) => post.answers !== request.answers);
    if (isFirst) this.posts.push(request);
    const [seconds, sequence] = request.answers.split('.');
    return { tag: isFirst ? 'posted' : 'already', val: [`${Number(seconds) + 1}.${sequence}`] };
  }

  /** @param {string} channelId @param {Ts} threadTs @param {number} limit */
  thread(channelId, threadTs, limit) {
    const shown = this.#show((message) => message.channelId === channelId && (message.threadTs ?? message.ts) === threadTs);
    const replies = shown.filter((message) => message.ts !== threadTs);
    const first = shown.filter((message) => message.ts === threadTs);
    return [...first, ...replies.slice(Math.max(0, replies.length - limit))];
  }

  /** @param {string} channelId @param {Ts} until @param {number} limit */
  history(channelId, until, limit) {
    const isShown = (/** @type {PutMessage} */ message) => message.channelId === channelId && !message.threadTs && Number(message.ts) <= Number(until);
    const shown = this.#show(isShown);
    return shown.slice(Math.max(0, shown.length - limit));
  }

  /** @param {string} channelId @param {Ts} ts */
  permalink(channelId, ts) {
    return `https://chat.example/${channelId}/${ts}`;
  }

  /** @param {string} id */
  getUser(id) {
    const user = this.users.get(id);
    if (!user) throw new MemoryError('not-found', id);
    return user;
  }

  /** @param {(message: PutMessage) => boolean} isShown @returns {Message[]} */
  #show(isShown) {
    const shown = this.messages.filter(isShown);
    return shown.map(({ ts, userId, text, threadTs }) => {
      const hasReplies = shown.some((other) => other.threadTs === ts);
      const timestamp = { unixSeconds: Number(ts.split('.')[0]), utcOffsetSeconds: this.utcOffsetSeconds };
      return { ts, user: this.getUser(userId), text, timestamp, threadTs: threadTs ?? (hasReplies ? ts : undefined), isForBot: false };
    });
  }
}
