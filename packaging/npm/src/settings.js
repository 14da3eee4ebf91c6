// Settings as pairs of a key and a text, all of them checked by the component.

import { call } from './component.js';
import { MemoryError, settingFaults } from './errors.js';
import { hasLoneSurrogate } from './limits.js';

/** @param {string} text */
const invalid = (text) => new MemoryError('invalid-settings', `settings: ${text}`);

/** @param {unknown} settings @returns {[string, string][]} */
export function pairsOf(settings) {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) throw invalid('an object of keys and values is expected');
  return Object.entries(settings).map(([key, value]) => {
    if (typeof value === 'object' && value !== null) throw invalid(`\`${key}\` is an object: write each key whole, as '${key}.name'`);
    if (!['string', 'number', 'boolean'].includes(typeof value)) throw invalid(`\`${key}\` is ${value}: give a value, or leave the key out`);
    if (hasLoneSurrogate(`${key} ${value}`)) throw invalid(`\`${key}\` has a lone surrogate`);
    return [key, String(value)];
  });
}

/** Refuses settings that the component would refuse. @param {WebAssembly.Module} module @param {[string, string][]} pairs */
export function checkSettings(module, pairs) {
  const faults = callAtOnce(module, 'check', [pairs]);
  if (faults.length > 0) throw new MemoryError('invalid-settings', `settings: ${settingFaults(faults)}`, { payload: { tag: 'invalid-settings', val: faults } });
}

/** A function of `about`, which calls no import. @param {WebAssembly.Module} module @param {string} name @param {any[]} args @returns {any} */
export function callAtOnce(module, name, args) {
  const host = () => {
    throw new Error(`about.${name} called an import`);
  };
  return /** @type {any} */ (call(module, host, 'about', name, args, false)).val;
}

/** Whether a model is needed. @param {[string, string][]} pairs */
export const needsModel = (pairs) => pairs.filter(([key, value]) => key.startsWith('engines.') && value === 'llm').map(([key]) => key);
