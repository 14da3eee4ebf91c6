// The terms of a text, by which it is found, as `recall.terms` in wit/recall.wit says: words, and pairs of characters in scripts
// without spaces.

/** Longer terms are no words. */
const MOST_CHARACTERS = 64;
/** A part of this length behind an apostrophe is an ending: `'s`, `'ll`. */
const ENDING_CHARACTERS = 2;

/** Han, kana, Hangul, Thai, Lao, Myanmar, Khmer. */
const PAIR =
  /[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{323af}\uac00-\ud7a3\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3]/u;
const WORD =
  /[\p{Alphabetic}\p{N}\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u093c\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d]/u;
const EMOJI = /[\u2600-\u27bf\u{1f300}-\u{1f3fa}\u{1f400}-\u{1faff}]/u;
const HYPHEN = /[\u2010-\u2013\u2212]/u;

/** @param {string} c */
const isWord = (c) => c !== undefined && WORD.test(c) && !PAIR.test(c);
/** @param {string} c */
const isPair = (c) => c !== undefined && PAIR.test(c);
/** The mark with which two words are one term. @param {string} c */
const joiner = (c) => (HYPHEN.test(c) ? '-' : '-_./:@+'.includes(c) ? c : undefined);

/** The terms in their order, repeated ones too. @param {string} text @returns {string[]} */
export function terms(text) {
  /** @type {string[]} */
  const found = [];
  for (const chunk of text.split(/\p{White_Space}+/u)) split([...chunk.normalize('NFKC')].flatMap((c) => [...c.toLowerCase()]), found);
  return found.filter((term) => [...term].length <= MOST_CHARACTERS);
}

/** @param {string[]} chars @param {string[]} found */
function split(chars, found) {
  for (let at = 0; at < chars.length; ) {
    if (isPair(chars[at])) at = pairs(chars, at, found);
    else if (isWord(chars[at])) at = words(chars, at, found);
    else {
      if (EMOJI.test(chars[at])) found.push(chars[at]);
      at += 1;
    }
  }
}

/** @param {string[]} chars @param {number} start @param {(c: string) => boolean} is */
function endOfRun(chars, start, is) {
  let end = start;
  while (is(chars[end])) end += 1;
  return end;
}

/** Words that are joined by single marks, and then all of them as one term. @param {string[]} chars @param {number} start @param {string[]} found */
function words(chars, start, found) {
  let begin = start;
  let parts = 0;
  let whole = '';
  let isJoined = false;
  let isEnding = false;
  for (;;) {
    const end = endOfRun(chars, begin, isWord);
    if (!(isEnding && end - begin <= ENDING_CHARACTERS)) {
      const word = chars.slice(begin, end).join('');
      parts += 1;
      whole += word;
      found.push(word);
    }
    const mark = chars[end];
    const goesOn = mark !== undefined && isWord(chars[end + 1]);
    const joint = goesOn ? joiner(mark) : undefined;
    isEnding = goesOn && (mark === "'" || mark === '’');
    if (joint !== undefined) {
      whole += joint;
      isJoined = true;
    } else if (!isEnding) {
      if (parts > 1 && isJoined) found.push(whole);
      return end;
    }
    begin = end + 1;
  }
}

/** Pairs of neighbouring characters; a character that stands alone is a term. @param {string[]} chars @param {number} start @param {string[]} found */
function pairs(chars, start, found) {
  const end = endOfRun(chars, start, isPair);
  if (end === start + 1) found.push(chars[start]);
  for (let at = start; at + 1 < end; at += 1) found.push(chars[at] + chars[at + 1]);
  return end;
}
