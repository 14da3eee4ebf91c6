// How similar messages are to a question, by the program's embedder.

import { MemoryError } from '../errors.js';
import { show } from './messages.js';

/** @import {Embedder} from '../../index.d.ts' */
/** @import {Kept, State} from './state.js' */

const AT_ONCE = 64;
const MOST_CHARS = 6_000;
/** Fewer messages have no mean that says anything. */
const LEAST_COMPARED = 8;
/** The largest number of a stored vector; cosines need no length. */
const LARGEST = 127;

/** For the most part without spaces between words: Japanese, Chinese. @param {string} text */
function isSpaceless(text) {
  const count = (/** @type {RegExp} */ letters) => text.match(letters)?.length ?? 0;
  return count(/[\u3041-\u30ff\u3400-\u9fff]/gu) * 3 >= Math.max(count(/\p{Alphabetic}/gu), 1);
}

/** @param {number[]} a @param {number[]} b */
const product = (a, b) => a.reduce((sum, number, n) => sum + number * b[n], 0);

export class Meaning {
  #embedder;
  #change;

  /** @param {Embedder} embedder @param {(change: (state: State) => void) => void} change changes what is kept */
  constructor(embedder, change) {
    if (typeof embedder?.embed !== 'function' || typeof embedder.model !== 'string') {
      throw new MemoryError('invalid-options', 'the embedder needs a function `embed` and the name of its `model`');
    }
    this.#embedder = embedder;
    this.#change = change;
  }

  /**
   * By how many standard deviations messages are more similar to a text than the mean of those in the same script: embedders find
   * texts in the question's language too similar. Vectors that are missing are made first.
   * @param {State} state @param {string} text @param {Kept[]} messages @returns {Promise<Map<Kept, number>>}
   */
  async similarities(state, text, messages) {
    const [question] = await this.#embed([text], true);
    for (let at = 0; at < messages.length; at += AT_ONCE) await this.#complete(state, messages.slice(at, at + AT_ONCE));
    /** @type {Map<boolean, [Kept, number][]>} */
    const byScript = new Map([[false, []], [true, []]]);
    for (const message of messages) {
      const vector = this.#vector(state, message);
      // It may have been edited meanwhile.
      if (vector?.length !== question.length || state.message(message.channelId, message.ts) !== message) continue;
      const cosine = product(vector, question) / Math.sqrt(product(vector, vector) * product(question, question));
      // A vector of zeros means nothing.
      if (Number.isFinite(cosine)) byScript.get(isSpaceless(message.text))?.push([message, cosine]);
    }
    const groups = [...byScript.values()].filter((group) => group.length > 0);
    const hasFew = groups.some((group) => group.length < LEAST_COMPARED);
    return new Map((hasFew ? [groups.flat()] : groups).flatMap(scaled));
  }

  /** @param {State} state @param {Kept[]} messages */
  async #complete(state, messages) {
    const missing = messages.filter((message) => !this.#vector(state, message));
    if (missing.length === 0) return;
    const vectors = await this.#embed(missing.map((message) => `${show(state, [message], [], 0)[0].user.name}: ${message.text}`), false);
    this.#change((state) => {
      missing.forEach((message, n) => {
        const { channelId, ts } = message;
        // What it said when it was read is gone if it has changed.
        if (state.message(channelId, ts) === message) state.vectors.set(`${channelId}:${ts}`, { model: this.#embedder.model, vector: vectors[n] });
      });
    });
  }

  /** @param {State} state @param {Kept} message */
  #vector(state, { channelId, ts }) {
    const kept = state.vectors.get(`${channelId}:${ts}`);
    return kept?.model === this.#embedder.model ? kept.vector : undefined;
  }

  /** @param {string[]} texts @param {boolean} isQuestion */
  async #embed(texts, isQuestion) {
    const vectors = await this.#embedder.embed(texts.map((text) => [...text.slice(0, 2 * MOST_CHARS)].slice(0, MOST_CHARS).join('')), isQuestion);
    const made = [...vectors].map((vector) => Array.from(vector));
    const isVector = (/** @type {number[]} */ vector) => vector.length > 0 && vector.every(Number.isFinite);
    if (made.length !== texts.length || !made.every(isVector)) {
      throw new MemoryError('unavailable', `the embedder returned no vector for each of ${texts.length} texts`);
    }
    return made.map((vector) => {
      const largest = Math.max(...vector.map(Math.abs), Number.MIN_VALUE);
      return vector.map((number) => Math.round((number / largest) * LARGEST));
    });
  }
}

/** @param {[Kept, number][]} group @returns {[Kept, number][]} */
function scaled(group) {
  const mean = group.reduce((sum, [, cosine]) => sum + cosine, 0) / group.length;
  const deviation = Math.sqrt(group.reduce((sum, [, cosine]) => sum + (cosine - mean) ** 2, 0) / group.length);
  if (group.length < LEAST_COMPARED || !(deviation > 0)) return [];
  return group.map(([message, cosine]) => [message, (cosine - mean) / deviation]);
}
