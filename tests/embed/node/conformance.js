// Checks a store against the contract: the component runs each check over an empty store, through the store's imports.
// Prints what came of each check: `passed`, or what was skipped or failed.
//
//     node conformance.js

import { readFileSync } from 'node:fs';
import { emptyWasi, noRecall } from './imports.js';
import { instantiate } from './generated/conformance/conformance.js';
import { Store } from './store.js';

/** @import {WrittenMessage} from './generated/conformance/interfaces/myao-conformance-platform.js' */
/** @import {Channel, Ts, User} from './generated/conformance/interfaces/myao-memory-types.js' */

/** @param {string} name */
const coreModule = (name) => new WebAssembly.Module(readFileSync(new URL(`generated/conformance/${name}`, import.meta.url)));

/** The checks over one store, which must be empty. @param {Store} store */
function suiteOver(store) {
  const platform = {
    addUser: (/** @type {User} */ user) => void store.users.set(user.id, user),
    addChannel: (/** @type {Channel} */ channel) => void store.channels.set(channel.id, channel),
    putMessage: (/** @type {WrittenMessage} */ message) => store.put(message),
    deleteMessage: (/** @type {string} */ channelId, /** @type {Ts} */ ts) => store.delete(channelId, ts),
  };
  const imports = {
    'myao:memory/storage': store.imports(),
    'myao:memory/recall': noRecall,
    'myao:conformance/platform': platform,
    ...emptyWasi(),
  };
  return instantiate(coreModule, /** @type {any} */ (imports)).suite;
}

const newStore = () => new Store(0, 'default');

/** @param {string} check */
function run(check) {
  try {
    const outcome = suiteOver(newStore()).run(check);
    return outcome.tag === 'passed' ? outcome.tag : { [outcome.tag]: outcome.val };
  } catch (error) {
    // The store threw what is no error of the contract.
    return { failed: String(error) };
  }
}

const checks = suiteOver(newStore()).checks();
const outcomes = Object.fromEntries(checks.map((check) => [check, run(check)]));
console.log(JSON.stringify(outcomes, null, 2));
if (Object.values(outcomes).some((outcome) => 'failed' in Object(outcome))) process.exitCode = 1;
