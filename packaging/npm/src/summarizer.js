// The texts and prompts of memories from a context, without a storage: see index.d.ts.

import { Exports, OPTIONS, bindMethods, checkOptions } from './exports.js';
import { readComponent } from './platform.js';
import { timestamp } from './time.js';

export class Summarizer {
  #exports;

  /** @param {Exports} exports */
  constructor(exports) {
    this.#exports = exports;
    this.about = exports.about;
    bindMethods(this);
  }

  /** @param {any} options @returns {Promise<any>} */
  static async load(options = {}) {
    checkOptions(options, OPTIONS);
    return new Summarizer(await Exports.load(options, options.component ?? (await readComponent('summarizer'))));
  }

  /** @param {any} context @param {string} scope @param {string} memoryType @param {string} [existingMemory] */
  async summarize(context, scope, memoryType, existingMemory) {
    return this.#exports.call('memory-summarizer', 'summarize', [context, scope, memoryType, existingMemory]);
  }

  /** @param {any} context @param {string} scope @param {string} memoryType @param {string} [existingMemory] */
  async renderPrompt(context, scope, memoryType, existingMemory) {
    return this.#exports.call('memory-summarizer', 'render-prompt', [context, scope, memoryType, existingMemory]);
  }

  /** @param {any} context @param {string} occasion @param {any} now */
  async renderReply(context, occasion, now) {
    return this.#exports.call('reply-prompt', 'render-reply', [context, occasion, timestamp(now)]);
  }

  /** @param {any} context @param {any} now */
  async renderJudgment(context, now) {
    return this.#exports.call('reply-prompt', 'render-judgment', [context, timestamp(now)]);
  }
}
