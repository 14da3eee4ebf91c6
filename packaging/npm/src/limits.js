// What a store takes in: the contract's limit on messages, and texts that are text.

import { MemoryError } from './errors.js';

/** The longest message that is kept, in characters. */
const MOST = 100_000;
const NOTE_JA = '\n[長すぎるため、続きは保存していません]';
const NOTE_EN = '\n[the rest is not kept: it is too long]';

/** A message that is too long is cut, with a note at its end that says so. @param {string} text */
export function cut(text) {
  // A character has at most two units.
  const head = text.length <= MOST ? [] : [...text.slice(0, 2 * (MOST + 1))];
  if (head.length <= MOST) return text;
  const kept = (/** @type {string} */ note) => head.slice(0, MOST - [...note].length).join('');
  const note = /[ぁ-ヿ一-鿿]/u.test(kept(NOTE_EN)) ? NOTE_JA : NOTE_EN;
  return kept(note) + note;
}

/** Half of a character that takes two units. @param {string} text */
export const hasLoneSurrogate = (text) => /\p{Surrogate}/u.test(text);

/** Refuses what is given and not of a type. @param {unknown} value @param {'string' | 'boolean'} type @param {string} what */
export function given(value, type, what) {
  if (value === undefined) return;
  const expected = type === 'boolean' ? 'true or false' : 'a string';
  if (typeof value !== type) throw new MemoryError('invalid', `${what} is ${value === null ? 'null' : `of type ${typeof value}`}: ${expected} is expected`);
  if (typeof value === 'string' && hasLoneSurrogate(value)) throw new MemoryError('invalid', `${what} has a lone surrogate: a string of whole characters is expected`);
}
