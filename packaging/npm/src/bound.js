// Binds a call to its place: what it may ask for, and what it was given and may therefore use. What a component does beyond that ends
// its call. host/plugin/src/capabilities/bound.rs does the same.

import { MemoryError } from './errors.js';
import { subjectOf } from './ids.js';

/** @import {Citation, FoundMessage, Item, KeptSpan, MemoryDraft, Message, MessageRef, PostRequest, SavedMemory, Target} from '../contract.js' */
/** For whom a call is made: a channel with its threads, the workspace, or what is due. @typedef {{ channel: string } | 'workspace' | 'schedule'} Place */
/** What a call may change: nothing, the memories of its place, or the chat by an answer to a message. @typedef {'nothing' | 'memories' | { answers: Target }} Changes */

/** @param {MessageRef} of */
const idOf = ({ channelId, ts }) => `${channelId}:${ts}`;

export class Bound {
  #place;
  #changes;
  #workspaceId;
  #channelId;
  /** What the call was given, or its memories cite. @type {Set<string>} */
  #messages = new Set();
  /** @type {Set<number>} */
  #memories = new Set();

  /** @param {Place} place @param {Changes} changes @param {string} workspaceId */
  constructor(place, changes, workspaceId) {
    this.#place = place;
    this.#changes = changes;
    this.#workspaceId = workspaceId;
    this.#channelId = typeof place === 'object' ? place.channel : undefined;
  }

  /** Throws if the call may not do that. @param {string} owner an interface @param {string} name by the contract's names @param {any[]} args */
  check(owner, name, args) {
    const [first, second] = args;
    switch (`${owner}.${name}`) {
      case 'storage.list-channels': return this.#reads('channels');
      case 'storage.list-strikes': return this.#reads('strikes');
      case 'storage.list-memories': return this.#reads('memories');
      case 'storage.list-items': return first.channelId === undefined ? this.#reads('items') : this.#hears(first.channelId);
      case 'recall.find-candidates': return this.#reads('messages');
      case 'storage.list-messages': return this.#hears(first.channelId);
      case 'storage.list-marked':
      case 'storage.get-backlog':
      case 'chat.thread':
      case 'chat.history': return this.#hears(first);
      case 'storage.read-spans': return this.#wasGiven(first.map((/** @type {KeptSpan} */ { message }) => message));
      case 'storage.list-due': return this.#allow(this.#place === 'schedule', 'read what is due');
      case 'storage.list-deferrals': return this.#owns(first, second, 'read the deferrals of');
      case 'storage.defer': return this.#makes(first, second, 'defer');
      case 'storage.save-memory': return this.#saves(first);
      case 'llm.complete': return this.#asks([first]);
      case 'llm.complete-all': return this.#asks(first);
      case 'chat.post': return this.#posts(first);
      case 'chat.permalink': return this.#messages.has(idOf({ channelId: first, ts: second })) || this.#hears(first);
      case 'chat.get-user': return this.#allow(this.#channelId !== undefined, `look up the person ${first}`);
      default: return undefined;
    }
  }

  /** Notes what the call was given. @param {string} owner @param {string} name @param {any[]} args @param {any} value */
  note(owner, name, args, value) {
    switch (`${owner}.${name}`) {
      case 'storage.list-messages': return this.#noteMessages(args[0].channelId, value);
      case 'chat.thread':
      case 'chat.history': return this.#noteMessages(args[0], value);
      case 'storage.list-marked': return this.#noteMessages(args[0], value.map((/** @type {{ message: Message }} */ { message }) => message));
      case 'storage.list-memories': return this.#noteMemories(value);
      case 'storage.list-items':
        for (const { title } of /** @type {Item[]} */ (value ?? [])) this.#messages.add(idOf(title.span.message));
        return undefined;
      case 'storage.save-memory': return this.#noteMemories([value]);
      case 'recall.find-candidates':
        for (const { at } of /** @type {FoundMessage[]} */ (value.messages)) this.#messages.add(idOf(at));
        return undefined;
      default: return undefined;
    }
  }

  /** @param {string} channelId @param {Message[]} messages */
  #noteMessages(channelId, messages) {
    for (const { ts } of messages) this.#messages.add(idOf({ channelId, ts }));
  }

  /** @param {SavedMemory[]} memories */
  #noteMemories(memories) {
    for (const { id, citations, records } of memories) {
      this.#memories.add(id);
      for (const of of cited(citations, records)) this.#messages.add(idOf(of));
    }
  }

  /** @param {boolean} isAllowed @param {string} what */
  #allow(isAllowed, what) {
    if (isAllowed) return;
    const where = this.#channelId === undefined ? `'${this.#place}'` : `channel ${this.#channelId}`;
    throw new MemoryError('out-of-place', `a call for ${where} may not ${what}`);
  }

  /** @param {string} what */
  #reads(what) {
    this.#allow(this.#place !== 'schedule', `read ${what}`);
  }

  /** @param {string} channelId */
  #hears(channelId) {
    this.#allow(channelId === this.#channelId, `use messages of channel ${channelId}`);
  }

  /** @param {MessageRef[]} all */
  #wasGiven(all) {
    for (const of of all) this.#allow(this.#messages.has(idOf(of)), `use message ${of.ts} of ${of.channelId}, which it was not given`);
  }

  /** @param {string} scope @param {string} scopeId @param {string} action */
  #owns(scope, scopeId, action) {
    const isWorkspaces = this.#place === 'workspace' && scopeId === this.#workspaceId;
    const isOwn = scope === 'workspace' ? isWorkspaces : subjectOf(scope, scopeId).channelId === this.#channelId;
    this.#allow(isOwn, `${action} ${scopeId}`);
  }

  /** @param {string} scope @param {string} scopeId @param {string} action */
  #makes(scope, scopeId, action) {
    this.#owns(scope, scopeId, action);
    this.#allow(this.#changes === 'memories', `${action} ${scopeId}: it makes no memories`);
  }

  /** @param {MemoryDraft} draft */
  #saves({ scope, scopeId, expected, sourceChannelId, sourceMessages, sourceMemories, mergedThrough, citations, records, items }) {
    this.#makes(scope, scopeId, 'save a memory of');
    if (sourceChannelId !== '') this.#hears(sourceChannelId);
    for (const id of [...sourceMemories, mergedThrough, expected]) {
      this.#allow(id === undefined || this.#memories.has(id), `use memory ${id}, which it was not given`);
    }
    const changed = items.flatMap(({ title, message }) => [title.message, message]);
    for (const of of changed) this.#allow(scope === 'channel' && of.channelId === scopeId, `change an item of ${of.channelId}`);
    this.#wasGiven([...cited(citations, records), ...changed, ...sourceMessages.map((ts) => ({ channelId: sourceChannelId, ts }))]);
  }

  /** @param {{ purpose: { scope: string, scopeId: string } }[]} requests */
  #asks(requests) {
    for (const { purpose } of requests) this.#owns(purpose.scope, purpose.scopeId, 'ask the model for');
  }

  /** @param {PostRequest} request */
  #posts({ channelId, threadTs, answers, citations }) {
    const target = typeof this.#changes === 'object' ? this.#changes.answers : undefined;
    const isAnswer = target?.channelId === channelId && target.threadTs === threadTs && target.messageTs === answers;
    this.#allow(isAnswer, `answer message ${answers} in channel ${channelId}`);
    this.#wasGiven(cited(citations, []));
  }
}

/** @param {Citation[]} citations @param {KeptSpan[]} records */
const cited = (citations, records) => [...citations.flatMap(({ messages }) => messages), ...records.map(({ message }) => message)];
