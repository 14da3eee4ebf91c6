// The whole component over a storage: see index.d.ts for what each function does.

import { Bound } from './bound.js';
import { MemoryError } from './errors.js';
import { Exports, OPTIONS, checkOptions } from './exports.js';
import { generateAll } from './generate.js';
import { chatFunctions, functionsIn, storageFunctions } from './imports.js';
import { readComponent } from './platform.js';
import { Summarizer } from './summarizer.js';
import { timestamp } from './time.js';

/** @import {Changes, Place} from './bound.js' */
/** @import {Functions} from './imports.js' */
/** @import {Step} from './generate.js' */

export class Memory extends Summarizer {
  #exports;
  #storage;
  #chat;
  #workspaceId;

  /** @param {Exports} exports @param {any} storage @param {Functions | undefined} chat @param {string} workspaceId */
  constructor(exports, storage, chat, workspaceId) {
    super(exports);
    this.#exports = exports;
    this.#storage = storage;
    this.#chat = chat;
    this.#workspaceId = workspaceId;
  }

  /** @param {any} options */
  static async load(options) {
    checkOptions(options, ['storage', 'chat', ...OPTIONS]);
    const { at } = functionsIn('storage', asInstance(options.storage), { needed: ['at'] });
    const chat = options.chat === undefined ? undefined : chatFunctions(options.chat);
    storageFunctions(at('schedule'));
    const exports = await Exports.load(options, options.component ?? (await readComponent('bot')));
    return new Memory(exports, at, chat, String(options.settings?.workspace_scope_id ?? 'default'));
  }

  /** @param {any} now */
  async generate(now) {
    const at = timestamp(now);
    const entries = await generateAll(
      {
        nextSteps: (done) => this.#read('schedule', 'memory-generator', 'next-steps', [done, at]),
        take: (step, turn) => this.#take(step, at, turn),
      },
      this.#workspaceId,
    );
    return { now: at, entries };
  }

  /** @param {string} channelId @param {any} now */
  async generateChannel(channelId, now) {
    return this.#write({ channel: channelId }, 'memory-generator', 'generate-channel', [channelId, timestamp(now)]);
  }

  /** @param {string} channelId @param {string} threadTs @param {any} now */
  async generateThread(channelId, threadTs, now) {
    return this.#write({ channel: channelId }, 'memory-generator', 'generate-thread', [channelId, threadTs, timestamp(now)]);
  }

  /** @param {any} target @param {any} now */
  async replyToMention(target, now) {
    return this.#reply('reply-to-mention', target, now);
  }

  /** @param {any} target @param {any} now */
  async replyUnasked(target, now) {
    return this.#reply('reply-unasked', target, now);
  }

  /** @param {any} target @param {any} now */
  async judge(target, now) {
    return this.#read({ channel: target?.channelId }, 'responder', 'judge', [target, timestamp(now)]);
  }

  /** @param {any} question @param {any} now */
  async ask(question, now) {
    const place = question?.channelId === undefined ? 'workspace' : { channel: question.channelId };
    return this.#read(place, 'responder', 'ask', [question, timestamp(now)]);
  }

  /** @param {any} request @param {any} now @param {string} [channelId] */
  async search(request, now, channelId) {
    const place = channelId === undefined ? 'workspace' : { channel: channelId };
    return this.#read(place, 'searcher', 'search', [request, timestamp(now)]);
  }

  /** @param {any} request @param {any} now */
  async buildContext(request, now) {
    const place = request?.channelId ? { channel: request.channelId } : 'workspace';
    return this.#read(place, 'context-builder', 'build', [request, timestamp(now)]);
  }

  /** @param {string} channelId @param {any} now */
  async readMarks(channelId, now) {
    return this.#read({ channel: channelId }, 'marks', 'read-marks', [channelId, timestamp(now)]);
  }

  /** @param {string} name @param {any} target @param {any} now */
  async #reply(name, target, now) {
    if (!this.#chat) throw new MemoryError('invalid-options', 'load got no chat, and a reply is posted there: give one, or use `ask`');
    return this.#call({ channel: target?.channelId }, { answers: target }, 'responder', name, [target, timestamp(now)]);
  }

  /** @param {Step} step @param {import('./time.js').Timestamp} now @param {Promise<unknown>} turn */
  #take(step, now, turn) {
    switch (step.tag) {
      case 'thread': {
        const { channelId, threadTs } = step.val;
        return this.#write({ channel: channelId }, 'memory-generator', 'generate-thread', [channelId, threadTs, now]);
      }
      case 'channel':
        return this.#write({ channel: step.val }, 'memory-generator', 'generate-channel', [step.val, now], turn);
      default:
        return this.#write('workspace', 'memory-generator', 'generate-workspace', [now]);
    }
  }

  /** @param {Place} place @param {string} owner @param {string} name @param {unknown[]} args */
  #read(place, owner, name, args) {
    return this.#call(place, 'nothing', owner, name, args);
  }

  /** @param {Place} place @param {string} owner @param {string} name @param {unknown[]} args @param {Promise<unknown>} [turn] */
  #write(place, owner, name, args, turn) {
    return this.#call(place, 'memories', owner, name, args, turn);
  }

  /**
   * @param {Place} place
   * @param {Changes} changes
   * @param {string} owner
   * @param {string} name
   * @param {unknown[]} args
   * @param {Promise<unknown>} [turn]
   */
  #call(place, changes, owner, name, args, turn) {
    const functions = storageFunctions(this.#storage(place));
    const storage = turn ? savedInTurn(functions, turn) : functions;
    const imports = { storage, recall: functions, chat: this.#chat ?? {} };
    return this.#exports.call(owner, name, args, imports, new Bound(place, changes, this.#workspaceId));
  }
}

/** `at` of a storage may be its only function or one of many. @param {any} storage */
const asInstance = (storage) => (typeof storage?.at === 'function' ? { at: storage.at.bind(storage) } : storage);

/** What is merged into the workspace's memory is saved when the turn comes. @param {Functions} storage @param {Promise<unknown>} turn @returns {Functions} */
function savedInTurn(storage, turn) {
  const isMerged = (/** @type {any} */ draft) => draft.memoryType === 'long-term';
  return { ...storage, saveMemory: (draft) => (isMerged(draft) ? turn.then(() => storage.saveMemory(draft)) : storage.saveMemory(draft)) };
}
