// Binds a call to its place: what it reads, saves, defers and posts belongs there. A call for another place ends with an error.

import { MemoryError } from './errors.js';
import { subjectOf } from './ids.js';

/** @import {Functions} from './imports.js' */
/** For whom a call is made: a channel with its threads, the workspace, or what is due. @typedef {{ channel: string } | 'workspace' | 'schedule'} Place */

/** @param {Place} place */
export const channelOf = (place) => (typeof place === 'object' ? place.channel : undefined);

/** @param {Place} place */
const named = (place) => (typeof place === 'object' ? `channel ${place.channel}` : `the place '${place}'`);

/** @param {Functions} functions of the storage @param {Place} place @param {boolean} isReading whether the call may save nothing @returns {Functions} */
export function boundStorage(functions, place, isReading) {
  /** @param {boolean} isAllowed @param {string} what */
  const allow = (isAllowed, what) => {
    if (!isAllowed) throw new MemoryError('out-of-place', `the component asked for ${what} in a call for ${named(place)}`);
  };
  const hears = (/** @type {string} */ channelId) => allow(channelId === channelOf(place), `the messages of ${channelId}`);
  const owns = (/** @type {string} */ scope, /** @type {string} */ scopeId) =>
    allow(scope === 'workspace' ? place === 'workspace' : subjectOf(scope, scopeId).channelId === channelOf(place), `the memory of ${scopeId}`);
  const saves = (/** @type {string} */ scope, /** @type {string} */ scopeId) => {
    if (isReading) throw new MemoryError('out-of-place', `the component saved the memory of ${scopeId} in a call that only reads`);
    owns(scope, scopeId);
  };
  return {
    ...functions,
    listMessages: (query) => (hears(query.channelId), functions.listMessages(query)),
    listMarked: (channelId, ...rest) => (hears(channelId), functions.listMarked(channelId, ...rest)),
    listDue: (query) => (allow(place === 'schedule', 'what is due'), functions.listDue(query)),
    getBacklog: (channelId, ...rest) => (hears(channelId), functions.getBacklog(channelId, ...rest)),
    saveMemory: (draft) => (saves(draft.scope, draft.scopeId), functions.saveMemory(draft)),
    listDeferrals: (scope, scopeId) => (owns(scope, scopeId), functions.listDeferrals(scope, scopeId)),
    defer: (scope, scopeId, deferral) => (saves(scope, scopeId), functions.defer(scope, scopeId, deferral)),
  };
}

/** @param {Functions} functions of the chat @param {Place} place @param {boolean} isReading @returns {Functions} */
export function boundChat(functions, place, isReading) {
  return {
    ...functions,
    post: (request) => {
      if (!isReading && request.channelId === channelOf(place)) return functions.post(request);
      throw new MemoryError('out-of-place', `the component posted to ${request.channelId} in a call for ${named(place)}${isReading ? ' that only reads' : ''}`);
    },
  };
}

/** @param {Functions} functions of the model @param {Place} place @returns {Functions} */
export function boundLlm(functions, place) {
  /** @param {any} request */
  const owns = ({ purpose: { scope, scopeId } }) => {
    const isOwn = scope === 'workspace' ? typeof place !== 'object' : subjectOf(scope, scopeId).channelId === channelOf(place);
    if (!isOwn) throw new MemoryError('out-of-place', `the component asked the model for ${scopeId} in a call for ${named(place)}`);
  };
  return {
    ...functions,
    complete: (request) => (owns(request), functions.complete(request)),
    completeAll: (requests) => (requests.forEach(owns), functions.completeAll(requests)),
  };
}
