// The lines of a memory, and a memory without some of them.

/** @import {Citation} from '../../contract.js' */

/** What is left of a text that has lost everything. */
export const NOTHING_LEFT = '-';

/** The lines; a text without citations is one line without a source. @param {string} content @param {Citation[]} citations @returns {Citation[]} */
export function linesOf(content, citations) {
  if (citations.length > 0) return citations;
  return content === NOTHING_LEFT ? [] : [{ start: 0, length: [...content].length, messages: [], byProgram: false }];
}

/** @param {Citation[]} citations */
export const hasUnknownLine = (citations) => citations.length === 0 || citations.some(({ messages }) => messages.length === 0);

/** Whether the lines follow one another within the text. @param {string} content @param {Citation[]} lines */
export function areInOrder(content, lines) {
  let end = 0;
  for (const { start, length } of lines) {
    if (start < end || length === 0) return false;
    end = start + length;
  }
  return end <= [...content].length;
}

/**
 * A text without some of its lines: each goes with the space after it.
 * @param {string} content
 * @param {Citation[]} lines
 * @param {(line: Citation) => boolean} isGone
 */
export function without(content, lines, isGone) {
  const text = [...content];
  const part = (/** @type {number} */ from, /** @type {number} */ to) => text.slice(from, to).join('');
  let kept = '';
  let end = 0;
  let followsGone = false;
  /** @type {Citation[]} */
  const stay = [];
  for (const line of lines) {
    const between = part(end, line.start);
    kept += followsGone ? between.trimStart() : between;
    end = line.start + line.length;
    followsGone = isGone(line);
    if (followsGone) continue;
    stay.push({ ...line, start: [...kept].length });
    kept += part(line.start, end);
  }
  if (stay.length === 0) return { content: NOTHING_LEFT, citations: [] };
  return { content: (kept + part(end, text.length)).trimEnd(), citations: stay };
}
