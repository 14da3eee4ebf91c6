// Message ids and scopes, and how they are ordered.

import { MemoryError } from './errors.js';

/** @param {string} text */
export const invalid = (text) => new MemoryError('invalid', text);

/** A message id as one number: seconds first, then the sequence. @param {string} ts */
export function key(ts) {
  const parts = /^(\d{1,12})\.(\d{1,6})$/.exec(ts);
  if (!parts) throw invalid(`\`${ts}\` is no message id: seconds, a full stop and a sequence of at most six digits`);
  return BigInt(parts[1]) * 1_000_000n + BigInt(parts[2]);
}

/** A message id as it is always written. @param {string} ts */
export function written(ts) {
  const number = key(ts);
  return `${number / 1_000_000n}.${String(number % 1_000_000n).padStart(6, '0')}`;
}

/** @param {string} ts */
export const secondOf = (ts) => Number(key(ts) / 1_000_000n);

/** @template {string | number | bigint} T @param {T} a @param {T} b */
export const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The channel and the thread of a scope id; no channel for the workspace.
 * @param {string} scope
 * @param {string} scopeId
 * @returns {{ channelId?: string, threadTs?: string }}
 */
export function subjectOf(scope, scopeId) {
  if (scope === 'workspace') return {};
  if (scope === 'channel') return { channelId: scopeId };
  // Ids of channels may hold colons, those of messages do not.
  const at = scopeId.lastIndexOf(':');
  if (at < 0) throw invalid(`\`${scopeId}\` is no thread: the channel, a colon and the first message`);
  return { channelId: scopeId.slice(0, at), threadTs: scopeId.slice(at + 1) };
}

/** A scope id as it is always written. @param {string} scope @param {string} scopeId */
export function writtenScope(scope, scopeId) {
  const { channelId, threadTs } = subjectOf(scope, scopeId);
  return threadTs === undefined ? scopeId : `${channelId}:${written(threadTs)}`;
}
