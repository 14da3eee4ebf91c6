// Points in time, as people give them: nothing here reads a clock.

import { LAST_SECOND, seconds } from './check.js';
import { MemoryError } from './errors.js';

/** @typedef {{ unixSeconds: number, utcOffsetSeconds: number }} Timestamp */

/**
 * @param {unknown} now a `Date` (shown in the local time of this machine), seconds since 1970 (shown in UTC), or both said
 * @param {string} path
 * @returns {Timestamp}
 */
export function timestamp(now, path = 'now') {
  if (now instanceof Date) {
    if (Number.isNaN(now.getTime())) throw new MemoryError('invalid-time', `${path} is an invalid Date`);
    return timestamp({ unixSeconds: Math.floor(now.getTime() / 1000), utcOffsetSeconds: -now.getTimezoneOffset() * 60 || 0 }, path);
  }
  const given = typeof now === 'number' ? { unixSeconds: now, utcOffsetSeconds: 0 } : /** @type {Timestamp | null | undefined} */ (now);
  const unixSeconds = Number(given?.unixSeconds);
  const utcOffsetSeconds = given?.utcOffsetSeconds;
  if (!Number.isFinite(unixSeconds) || !Number.isInteger(utcOffsetSeconds)) {
    throw new MemoryError('invalid-time', `${path}: a Date, seconds since 1970 (at most ${LAST_SECOND}) or { unixSeconds, utcOffsetSeconds } is expected`);
  }
  seconds(unixSeconds, path);
  return { unixSeconds: Math.floor(unixSeconds), utcOffsetSeconds: /** @type {number} */ (utcOffsetSeconds) };
}
