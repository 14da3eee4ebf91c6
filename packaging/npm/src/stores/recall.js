// Finds messages by their terms and their meaning, by looking at every text.

import { key, order } from '../ids.js';
import { show } from './messages.js';
import { terms } from './terms.js';

/** @import {Candidates, RecallQuery} from '../../contract.js' */
/** @import {Kept, State} from './state.js' */

/** A term in more messages finds only the newest ones of this number. */
const COMMON_MESSAGES = 1000;
/** A term in no more than one of so many messages finds all of them. */
const COMMON_PART = 50;
/** How many messages are found by their meaning, and how similar they are at least. */
const MOST_SIMILAR = 50;
const LEAST_SIMILARITY = 1;

/** The terms of messages; a changed one is another object. @type {WeakMap<Kept, string[]>} */
const known = new WeakMap();

/** @param {Kept} message */
function termsOf(message) {
  const found = known.get(message) ?? terms(message.text);
  known.set(message, found);
  return found;
}

/** How much it weighs that a text has terms: the rarer they are, the more. @param {RecallQuery} query @param {number[]} counts @param {number} total */
function weigher(query, counts, total) {
  const isCommon = (/** @type {number} */ count) => count > Math.max(COMMON_MESSAGES, Math.floor(total / COMMON_PART));
  const weight = (/** @type {number} */ count) => Math.floor(Math.log2(Math.max(1, Math.floor(total / Math.max(1, count))))) + 1;
  const rare = new Map(query.terms.flatMap((term, n) => (isCommon(counts[n]) ? [] : [[term, weight(counts[n])]])));
  return (/** @type {Set<string>} */ own) => [...rare].reduce((sum, [term, weight]) => sum + (own.has(term) ? weight : 0), 0);
}

/** What may be seen, by channel. @param {State} state @param {(id: string) => boolean} seesChannel @param {bigint} until */
export const visible = (state, seesChannel, until) =>
  [...state.channels.keys()].filter(seesChannel).sort().flatMap((id) => state.shown(id, until));

/**
 * @param {State} state
 * @param {RecallQuery} query
 * @param {{ seesChannel: (id: string) => boolean, utcOffsetSeconds: number }} place
 * @param {Map<Kept, number>} similarities
 * @returns {Candidates}
 */
export function findCandidates(state, query, { seesChannel, utcOffsetSeconds }, similarities) {
  const until = key(query.until);
  const since = query.since === undefined ? 0n : key(query.since);
  const channels = [...state.channels.keys()].filter(seesChannel).sort();
  const seen = visible(state, seesChannel, until).map((message) => ({ message, own: new Set(termsOf(message)) }));
  const newestFirst = [...seen].sort((a, b) => order(key(b.message.ts), key(a.message.ts)));
  const counts = query.terms.map((term) => seen.filter(({ own }) => own.has(term)).length);
  const weigh = weigher(query, counts, seen.length);
  const isAsked = (/** @type {Kept} */ { channelId, ts }) => key(ts) >= since && (query.channels.length === 0 || query.channels.includes(channelId));
  const asked = newestFirst.filter(({ message }) => isAsked(message)).map((found) => ({ ...found, weight: weigh(found.own) }));
  const isFound = (/** @type {{ own: Set<string>, weight: number }} */ { own, weight }, /** @type {number} */ n) =>
    weight > 0 || (n < COMMON_MESSAGES && (query.terms.length === 0 || query.terms.some((term) => own.has(term))));
  // The sort is stable: the newest stay first.
  const byTerms = asked.filter(isFound).sort((a, b) => b.weight - a.weight).slice(0, query.limit);
  const similarity = (/** @type {{ message: Kept }} */ { message }) => similarities.get(message) ?? 0;
  const byMeaning = asked.filter((found) => similarity(found) >= LEAST_SIMILARITY).sort((a, b) => similarity(b) - similarity(a));
  const picked = [...byTerms, ...byMeaning.slice(0, MOST_SIMILAR)];
  const keys = new Set(picked.flatMap(({ message }) => [message, ...neighbours(state, message, since, until, query.neighbours)]));
  return {
    messages: channels.flatMap((id) => foundIn(state, id, keys, query, utcOffsetSeconds, similarities)),
    counts: query.terms.map((term, n) => ({ term, messages: counts[n] })),
    messageCount: seen.length,
  };
}

/** @param {State} state @param {string} channelId @param {Set<Kept>} keys @param {RecallQuery} query @param {number} utcOffsetSeconds
 * @param {Map<Kept, number>} similarities */
function foundIn(state, channelId, keys, query, utcOffsetSeconds, similarities) {
  const there = state.shown(channelId, key(query.until));
  const found = there.filter((message) => keys.has(message));
  return show(state, found, there, utcOffsetSeconds).map((message, n) => ({
    at: { channelId, ts: message.ts },
    channelName: state.channel(channelId).name,
    message,
    counts: query.terms.map((term) => termsOf(found[n]).filter((other) => other === term).length),
    length: termsOf(found[n]).length,
    similarity: similarities.get(found[n]),
  }));
}

/** The messages before and after one: of its thread, or of the top level. The first message of a thread stands in both.
 * @param {State} state @param {Kept} of @param {bigint} since @param {bigint} until @param {number} count */
function neighbours(state, of, since, until, count) {
  if (count === 0) return [];
  const between = state.shown(of.channelId, until).filter(({ ts }) => key(ts) >= since);
  const thread = of.threadTs ?? of.ts;
  const inThread = between.filter((message) => message === of || message.ts === thread || message.threadTs === thread);
  const topLevel = of.threadTs === undefined ? between.filter(({ threadTs }) => threadTs === undefined) : [];
  return [inThread, topLevel].flatMap((all) => {
    const at = all.indexOf(of);
    return at < 0 ? [] : [...all.slice(Math.max(0, at - count), at), ...all.slice(at + 1, at + 1 + count)];
  });
}
