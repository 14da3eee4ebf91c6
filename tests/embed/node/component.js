// Instances of two components, as `jco transpile --instantiation sync` made them: `generated/NAME/`.

import { readFileSync } from 'node:fs';
import { emptyWasi, log as standardError, noRecall } from './imports.js';
import { instantiate as instantiateBot } from './generated/bot/bot.js';
import { instantiate as instantiateSummarizer } from './generated/summarizer/summarizer.js';

/** @import {ImportObject as BotImports} from './generated/bot/bot.js' */
/** @import {ImportObject as SummarizerImports} from './generated/summarizer/summarizer.js' */
/** @import {ScriptedModel, Platform} from './imports.js' */
/** @import {StoreAt} from './place.js' */

/** Compiled once for each component; instances share it. @type {Map<string, WebAssembly.Module>} */
const modules = new Map();

/** @param {string} component @returns {(name: string) => WebAssembly.Module} */
const coreModules = (component) => (name) => {
  const path = `generated/${component}/${name}`;
  const module = modules.get(path) ?? new WebAssembly.Module(readFileSync(new URL(path, import.meta.url)));
  modules.set(path, module);
  return module;
};

/** What an instance is given. jco's types name versions; the imports themselves are named without.
 * @template T @typedef {{ [K in keyof T as K extends `${infer N}@${string}` ? N extends `${string}/${'errors' | 'types'}` ? never : N : never]: T[K] }} Unversioned */

/** A fresh instance of the whole component; one for each call, so that a trap leaves nothing behind.
 * @param {{ store: Pick<StoreAt, 'imports'>, model: Pick<ScriptedModel, 'imports'>, platform: Pick<Platform, 'imports'>, settings: Record<string, string>, log?: typeof standardError }} host */
export function botComponent({ store, model, platform, settings, log = standardError }) {
  /** @type {Unversioned<BotImports>} */
  const imports = {
    'myao:memory/storage': store.imports(),
    'myao:memory/recall': noRecall,
    'myao:memory/llm': model.imports(),
    'myao:memory/chat': platform.imports(),
    'myao:memory/settings': { get: () => Object.entries(settings) },
    'myao:memory/log': log,
    ...emptyWasi(),
  };
  return instantiateBot(coreModules('bot'), /** @type {any} */ (imports));
}

/** A fresh instance of the smallest component. @param {Pick<ScriptedModel, 'imports'>} model @param {Record<string, string>} settings */
export function summarizerComponent(model, settings, log = standardError) {
  /** @type {Unversioned<SummarizerImports>} */
  const imports = {
    'myao:memory/llm': model.imports(),
    'myao:memory/settings': { get: () => Object.entries(settings) },
    'myao:memory/log': log,
    ...emptyWasi(),
  };
  return instantiateSummarizer(coreModules('summarizer'), /** @type {any} */ (imports));
}
