// Whether a value has a type of the contract. What does not is named with its place, before the component sees it:
// otherwise a missing number would be 0, and a promise an empty list.

import { MemoryError } from './errors.js';
import { hasLoneSurrogate } from './limits.js';
import { camel } from './names.js';

/** @import {Type} from './types.js' */

/** The last second of the year 9999. Milliseconds are beyond it since 1978. */
export const LAST_SECOND = 253_402_300_799;

const RANGES = {
  u8: [0, 2 ** 8 - 1],
  s8: [-(2 ** 7), 2 ** 7 - 1],
  u16: [0, 2 ** 16 - 1],
  s16: [-(2 ** 15), 2 ** 15 - 1],
  u32: [0, 2 ** 32 - 1],
  s32: [-(2 ** 31), 2 ** 31 - 1],
  u64: [0, Number.MAX_SAFE_INTEGER],
  s64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
};

/** @param {unknown} value */
export const isPromise = (value) => typeof (/** @type {any} */ (value)?.then) === 'function';

/** A value in words, without what people wrote. @param {unknown} value */
function described(value) {
  if (value === undefined) return 'it is missing';
  if (isPromise(value)) return 'it is a promise: await it';
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return `it is ${value}`;
  if (typeof value === 'bigint') return `it is the bigint ${value}`;
  return Array.isArray(value) ? 'it is an array' : `it is of type ${typeof value}`;
}

/** @param {string} path @param {string} expected @param {unknown} value @returns {never} */
function wrong(path, expected, value) {
  throw new MemoryError('invalid-value', `${path}: ${expected} is expected, and ${described(value)}`, { retry: 'never' });
}

/** How strict a check is. Arguments may have no unknown fields: a misspelt one would be lost. What a store returns may, as rows do.
 * @typedef {{ exact: boolean }} Strictness */

/** A plain copy of a value that has the type. @param {Type} type @param {unknown} value @param {string} path @param {Strictness} how @returns {any} */
export function checked(type, value, path, how) {
  if (type.kind !== 'option' && isPromise(value)) wrong(path, 'a value', value);
  switch (type.kind) {
    case 'bool':
      if (typeof value !== 'boolean') wrong(path, 'true or false', value);
      return value;
    case 'string':
      if (typeof value !== 'string') wrong(path, 'a string', value);
      if (hasLoneSurrogate(value)) throw new MemoryError('invalid-value', `${path}: it has a lone surrogate; a string of whole characters is expected`, { retry: 'never' });
      return value;
    case 'f32':
    case 'f64':
      if (typeof value !== 'number') wrong(path, 'a number', value);
      return value;
    case 'option':
      return value === undefined || value === null ? undefined : checked(type.of, value, path, how);
    case 'list': {
      const items = ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value)) : value;
      if (!Array.isArray(items)) wrong(path, 'an array', value);
      return items.map((/** @type {unknown} */ item, /** @type {number} */ n) => checked(type.of, item, `${path}[${n}]`, how));
    }
    case 'tuple': {
      if (!Array.isArray(value) || value.length !== type.of.length) wrong(path, `an array of ${type.of.length}`, value);
      return type.of.map((of, n) => checked(of, value[n], `${path}[${n}]`, how));
    }
    case 'record':
      return record(type, value, path, how);
    case 'enum':
      if (typeof value !== 'string' || !type.cases.includes(value)) {
        const given = typeof value === 'string' && value.length < 40 ? `: \`${value}\` is none` : '';
        wrong(path, `one of ${type.cases.map((name) => `'${name}'`).join(', ')}${given}`, value);
      }
      return value;
    case 'variant': {
      const { tag, val } = variantOf(value);
      const found = type.cases.find(([name]) => name === tag);
      if (!found) wrong(path, `{ tag, val } with one of the tags ${type.cases.map(([name]) => `'${name}'`).join(', ')}`, value);
      return found[1] ? { tag, val: checked(found[1], val, `${path}.val`, how) } : { tag };
    }
    default:
      return integer(type.kind, value, path);
  }
}

/** @param {unknown} value @returns {{ tag?: unknown, val?: unknown }} */
const variantOf = (value) => (typeof value === 'object' && value !== null ? value : {});

/** @param {Type & { kind: 'record' }} type @param {any} value @param {string} path @param {Strictness} how */
function record(type, value, path, how) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(path, `an object (${type.name})`, value);
  if (how.exact) {
    const unknown = Object.keys(value).find((key) => !type.fields.some(([name]) => name === key));
    if (unknown !== undefined) {
      const known = type.fields.map(([name]) => name).join(', ');
      throw new MemoryError('invalid-value', `${path}: there is no field \`${unknown}\`; there are ${known}`, { retry: 'never' });
    }
  }
  /** @type {Record<string, unknown>} */
  const copy = {};
  for (const [name, of] of type.fields) copy[name] = checked(of, value[name], `${path}.${name}`, how);
  if (type.name === 'types/timestamp') seconds(/** @type {number} */ (copy.unixSeconds), `${path}.unixSeconds`);
  return copy;
}

/** @param {number} value @param {string} path */
export function seconds(value, path) {
  if (value >= 0 && value <= LAST_SECOND) return;
  const why = value > LAST_SECOND ? 'it looks like milliseconds' : 'it is before 1970';
  throw new MemoryError('invalid-time', `${path} is ${value}: ${why}; give seconds since 1970`, { retry: 'never' });
}

/** @param {keyof typeof RANGES} kind @param {unknown} value @param {string} path */
function integer(kind, value, path) {
  const [least, greatest] = RANGES[kind];
  const number = typeof value === 'bigint' && value >= least && value <= greatest ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > greatest) {
    wrong(path, `a whole number from ${least} to ${greatest}`, value);
  }
  return number;
}

/** The arguments of a function. @param {{ params: [string, Type][] }} func @param {unknown[]} args @param {string} path */
export function checkedArguments(func, args, path) {
  if (args.length > func.params.length) {
    const takes = func.params.map(([name]) => name).join(', ');
    throw new MemoryError('invalid-value', `${path} takes ${func.params.length} arguments (${takes}), and got ${args.length}`, { retry: 'never' });
  }
  return func.params.map(([name, type], n) => checked(type, args[n], camel(name), { exact: true }));
}
