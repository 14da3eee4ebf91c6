// Channels, people and messages: what is written, and how it is read.

import { seconds } from '../check.js';
import { MemoryError } from '../errors.js';
import { invalid, key, order, secondOf, written } from '../ids.js';
import { cut, given } from '../limits.js';

/** @import {KeptSpan, KeptText, Message, MessageQuery, User} from '../../contract.js' */
/** @import {Kept, State} from './state.js' */

/** Begins with a mention, and soon says that something is to be remembered or corrected. The component reads the rest. */
const MARK = /^\s*@[^]{0,200}?(remember|覚えて|correction|訂正)/i;
const UNKNOWN_USER = '(unknown user)';

/** @param {State} state */
export const listChannels = (state) => [...state.channels.values()].sort((a, b) => order(a.name, b.name) || order(a.id, b.id));

/** What a message becomes with another state of it; `undefined` if nothing changes. The newest edit wins, in whatever order they come.
 * @param {Kept | undefined} before @param {Kept} message @returns {Kept | undefined} */
export function merged(before, message) {
  if (before?.isDeleted) return undefined;
  if (!before) return message;
  if ((message.editedAt ?? 0) <= (before.editedAt ?? 0) && before.editedAt !== undefined) return undefined;
  const threadTs = before.threadTs ?? message.threadTs;
  return { ...message, threadTs };
}

/**
 * A message as the component sees it, among those that are there.
 * @param {State} state
 * @param {Kept} message
 * @param {Kept[]} there
 * @param {number} utcOffsetSeconds
 * @returns {Message}
 */
function shown(state, message, there, utcOffsetSeconds) {
  const hasReplies = message.threadTs === undefined && there.some((other) => other.threadTs === message.ts);
  const threadTs = message.threadTs ?? (hasReplies ? message.ts : undefined);
  const time = (/** @type {number} */ unixSeconds) => ({ unixSeconds, utcOffsetSeconds });
  const editedAt = message.editedAt === undefined ? undefined : time(message.editedAt);
  return { ts: message.ts, user: author(state, message), text: message.text, timestamp: time(secondOf(message.ts)), threadTs, editedAt, isForBot: false };
}

/** @param {State} state @param {Kept} message @returns {User} */
function author(state, { userId, authorName }) {
  const user = state.users.get(userId);
  return { id: userId, name: authorName || user?.name || UNKNOWN_USER, isBot: user?.isBot ?? false };
}

/** Shows messages of one channel. @param {State} state @param {Kept[]} messages @param {Kept[]} there @param {number} utcOffsetSeconds */
export function show(state, messages, there, utcOffsetSeconds) {
  const replied = there.filter(({ threadTs }) => threadTs !== undefined);
  return messages.map((message) => shown(state, message, replied, utcOffsetSeconds));
}

/** @param {State} state @param {MessageQuery} query @param {(message: Kept) => boolean} waits @returns {{ picked: Kept[], there: Kept[] }} */
export function listMessages(state, { channelId, since, until, limit, keep, wholeThread, threadLimit, onlyNew }, waits) {
  const there = state.shown(channelId, key(until));
  const from = since === undefined ? undefined : key(since);
  const whole = wholeThread === undefined ? undefined : written(wholeThread);
  const isWhole = (/** @type {Kept} */ { ts, threadTs }) => whole !== undefined && (ts === whole || threadTs === whole);
  const isBetween = (/** @type {Kept} */ message) =>
    !isWhole(message) &&
    (from === undefined || key(message.ts) >= from) &&
    (!onlyNew || waits(message)) &&
    (keep !== 'newest-top-level' || message.threadTs === undefined);
  const between = there.filter(isBetween);
  const kept = keep === 'oldest' ? between.slice(0, limit) : newest(between, limit);
  const replies = there.filter((message) => isWhole(message) && message.ts !== whole);
  const picked = new Set([...kept, ...there.filter(({ ts }) => ts === whole), ...newest(replies, threadLimit)]);
  const begun = new Set([...picked].map(({ threadTs }) => threadTs));
  return { picked: there.filter((message) => picked.has(message) || begun.has(message.ts)), there };
}

/** @template T @param {T[]} items @param {number} limit */
const newest = (items, limit) => items.slice(Math.max(0, items.length - limit));

/** The newest messages of people that may be marks. @param {State} state @param {string} channelId @param {string} until @param {number} limit */
export function listMarked(state, channelId, until, limit) {
  const there = state.shown(channelId, key(until));
  const mayBe = there.filter(({ userId, text }) => !state.users.get(userId)?.isBot && MARK.test(text));
  return { picked: newest(mayBe, limit), there };
}

/** The words of a part of a message, unless it is gone. @param {State} state @param {KeptSpan} span @param {number} utcOffsetSeconds @returns {KeptText[]} */
export function readSpan(state, span, utcOffsetSeconds) {
  const message = state.message(span.message.channelId, written(span.message.ts));
  if (!message || message.isDeleted) return [];
  const { user, timestamp } = shown(state, message, [], utcOffsetSeconds);
  return [{ span, user, timestamp, text: [...message.text].slice(span.start, span.start + span.length).join('') }];
}

/** A message as it is kept. @param {any} message @returns {Kept} */
export function keptOf({ channelId, ts, userId, text, authorName, threadTs, editedAt, ...rest }) {
  const unknown = Object.keys(rest);
  if (unknown.length > 0) throw invalid(`a message has no ${unknown.join(', ')}; it has channelId, ts, userId, text, authorName, threadTs, editedAt`);
  for (const [name, value] of Object.entries({ channelId, ts, userId, text, authorName: authorName ?? '' })) {
    if (value === undefined) throw invalid(`the message's ${name} is missing: a string is expected`);
    given(value, 'string', `the message's ${name}`);
  }
  const own = written(ts);
  seconds(secondOf(own), "the message's ts");
  if (editedAt !== undefined) seconds(editedAt, "the message's editedAt");
  const thread = threadTs === undefined ? undefined : written(threadTs);
  return { channelId, ts: own, userId, text: cut(text), authorName, threadTs: thread === own ? undefined : thread, editedAt, isDeleted: false };
}

/** The trace of a message that is deleted. @param {Kept | undefined} before @param {string} channelId @param {string} ts @returns {Kept} */
export const traceOf = (before, channelId, ts) => ({ channelId, ts: written(ts), userId: '', text: '', threadTs: before?.threadTs, isDeleted: true });

/** @param {unknown} value @param {string} what @returns {string} */
export function id(value, what) {
  if (typeof value !== 'string' || value === '') throw new MemoryError('invalid', `${what} has no id: a string is expected`);
  given(value, 'string', `the id of ${what}`);
  return value;
}
