// Calls of a loaded component: arguments are checked, and errors of the contract are thrown.

import { checkedArguments } from './check.js';
import { compile } from './component.js';
import { VERSION } from './contract.js';
import { MemoryError, ofPayload } from './errors.js';
import { NO_LLM, functionsIn, hostOf, llmFunctions } from './imports.js';
import { camel } from './names.js';
import { Runner, limitsOf, wayOf } from './runner.js';
import { callAtOnce, checkSettings, needsModel, pairsOf } from './settings.js';
import { functionOf } from './types.js';

/** @import {Functions} from './imports.js' */

/** What both classes take. */
export const OPTIONS = ['llm', 'settings', 'log', 'limits', 'component'];

/** @param {any} options @param {string[]} known */
export function checkOptions(options, known) {
  if (typeof options !== 'object' || options === null) throw new MemoryError('invalid-options', `load takes an object with ${known.join(', ')}`);
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new MemoryError('invalid-options', `load takes no ${unknown.join(', ')}; it takes ${known.join(', ')}`);
}

/** A component with what every call of it gets. */
export class Exports {
  /** @param {Runner} runner @param {Record<string, Functions>} imports @param {any} about */
  constructor(runner, imports, about) {
    this.runner = runner;
    this.imports = imports;
    this.about = about;
  }

  /** @param {any} options @param {Uint8Array} bytes of the component */
  static async load({ llm, settings = {}, log, limits }, bytes) {
    const pairs = pairsOf(settings);
    const checkedLimits = limitsOf(limits);
    const model = llm === undefined ? NO_LLM : llmFunctions(llm);
    const write = log === undefined ? () => {} : functionsIn('log', log, { needed: ['write'] }).write;
    const module = await compile(bytes);
    const about = callAtOnce(module, 'describe', []);
    checkSettings(module, pairs);
    const needs = needsModel(pairs);
    if (needs.length > 0 && llm === undefined) {
      throw new MemoryError('invalid-options', `the settings ${needs.join(' and ')} are \`llm\`, and load got no llm: give one, or set them to \`extractive\``);
    }
    const imports = { llm: model, settings: { get: () => pairs }, log: { write } };
    return new Exports(new Runner(await wayOf(module), checkedLimits), imports, { ...about, package: VERSION });
  }

  /**
   * @param {string} owner an interface
   * @param {string} name a function, both by the contract's names
   * @param {unknown[]} args
   * @param {Record<string, Functions>} [more] imports
   * @param {import('./bound.js').Bound} [bound] to the place of the call
   */
  async call(owner, name, args, more, bound) {
    const func = functionOf(owner, name);
    if (!func) throw new Error(`${owner}.${name} is not in the contract`);
    const host = hostOf({ ...this.imports, ...more }, bound);
    const outcome = await this.runner.run({ host, owner, name, args: checkedArguments(func, args, camel(name)) });
    if (outcome.tag === 'err') throw ofPayload(outcome.val, camel(name));
    return outcome.val;
  }
}

/** Methods work without their object, too: `const { ask } = memory`. @param {any} object */
export function bindMethods(object) {
  for (let at = Object.getPrototypeOf(object); at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name !== 'constructor') Object.defineProperty(object, name, { value: object[name].bind(object) });
    }
  }
}
