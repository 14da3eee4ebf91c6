// The lines of a memory's text.

/** @import {Memory} from './generated/bot/interfaces/myao-memory-storage.js' */
/** @import {Citation} from './generated/bot/interfaces/myao-memory-types.js' */

/** A text without some of its lines, which are counted in Unicode scalar values. @param {Memory} memory @param {(line: Citation) => boolean} isGone */
export function without({ content, citations }, isGone) {
  const text = [...content];
  const lines = citations.length > 0 ? citations : [{ start: 0, length: text.length, messages: [], byProgram: false }];
  if (!lines.some(isGone)) return { content, citations };
  /** @type {string[]} */ const kept = [];
  /** @type {Citation[]} */ const stay = [];
  let end = 0;
  for (const line of lines) {
    const between = text.slice(end, line.start);
    end = line.start + line.length;
    if (isGone(line)) continue;
    if (stay.length > 0) kept.push(...between);
    stay.push({ ...line, start: kept.length });
    kept.push(...text.slice(line.start, end));
  }
  return { content: kept.join('') || '-', citations: stay };
}
