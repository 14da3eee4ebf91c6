// The types of the contract, with their layout in a component's memory (the canonical ABI).

import { CONTRACT } from './contract.js';
import { camel } from './names.js';

/** @typedef {'i32' | 'i64' | 'f32' | 'f64'} Core */
/** @typedef {{ size: number, align: number, flat: Core[] }} Layout */
/** @typedef {Layout & (
 *   | { kind: 'bool' | 'u8' | 's8' | 'u16' | 's16' | 'u32' | 's32' | 'u64' | 's64' | 'f32' | 'f64' | 'string' }
 *   | { kind: 'list', of: Type }
 *   | { kind: 'option', of: Type, cases: [string, Type | null][], payload: number, bytes: number }
 *   | { kind: 'tuple', of: Type[], offsets: number[] }
 *   | { kind: 'record', name: string, fields: [string, Type][], offsets: number[] }
 *   | { kind: 'enum', cases: string[], bytes: number }
 *   | { kind: 'variant', cases: [string, Type | null][], payload: number, bytes: number }
 * )} Type */
/** @typedef {{ params: [string, Type][], result: Type | null, ok: Type | null, err: (Type & { kind: 'variant' }) | null }} Func
 *   `ok` and `err` are those of a result, which is returned or thrown */

/** @type {Record<string, [number, Core]>} */
const NUMBERS = {
  bool: [1, 'i32'], u8: [1, 'i32'], s8: [1, 'i32'], u16: [2, 'i32'], s16: [2, 'i32'], u32: [4, 'i32'], s32: [4, 'i32'],
  u64: [8, 'i64'], s64: [8, 'i64'], f32: [4, 'f32'], f64: [8, 'f64'],
};

/** @param {number} at @param {number} align */
const aligned = (at, align) => Math.ceil(at / align) * align;

/** @param {Type[]} types */
function sequence(types) {
  let at = 0;
  const offsets = types.map((type) => {
    const offset = aligned(at, type.align);
    at = offset + type.size;
    return offset;
  });
  const align = Math.max(1, ...types.map((type) => type.align));
  return { offsets, align, size: aligned(at, align), flat: types.flatMap((type) => type.flat) };
}

/** What holds values of both types. @param {Core | undefined} a @param {Core} b @returns {Core} */
function join(a, b) {
  if (a === undefined || a === b) return b;
  return (a === 'i32' && b === 'f32') || (a === 'f32' && b === 'i32') ? 'i32' : 'i64';
}

/** @param {[string, Type | null][]} cases */
function choice(cases) {
  const bytes = cases.length <= 2 ** 8 ? 1 : 2;
  const held = cases.flatMap(([, type]) => type ?? []);
  const align = Math.max(bytes, ...held.map((type) => type.align));
  const payload = aligned(bytes, Math.max(1, ...held.map((type) => type.align)));
  const size = aligned(payload + Math.max(0, ...held.map((type) => type.size)), align);
  /** @type {Core[]} */
  const flat = [];
  for (const type of held) type.flat.forEach((core, n) => (flat[n] = join(flat[n], core)));
  return { cases, bytes, payload, align, size, flat: /** @type {Core[]} */ (['i32', ...flat]) };
}

/** @type {Map<string, Type>} */
const named = new Map();

/** @param {any} described as build/wit.js reads it @returns {Type} */
function typeOf(described) {
  if (described === 'string') return { kind: 'string', size: 8, align: 4, flat: ['i32', 'i32'] };
  if (typeof described === 'string') {
    const [size, core] = NUMBERS[described];
    return { kind: /** @type {any} */ (described), size, align: size, flat: [core] };
  }
  if (!Array.isArray(described)) return typeNamed(described.name);
  const [kind, ...of] = described;
  switch (kind) {
    case 'list':
      return { kind, of: typeOf(of[0]), size: 8, align: 4, flat: ['i32', 'i32'] };
    case 'option':
      return { kind, of: typeOf(of[0]), ...choice([['none', null], ['some', typeOf(of[0])]]) };
    case 'result':
      return { kind: 'variant', ...choice([['ok', of[0] && typeOf(of[0])], ['err', of[1] && typeOf(of[1])]]) };
    case 'tuple': {
      const types = of.map(typeOf);
      return { kind, of: types, ...sequence(types) };
    }
    default:
      throw new Error(`the contract has no types like ${kind}`);
  }
}

/** @param {string} name as `types/scope` @returns {Type} */
function typeNamed(name) {
  const known = named.get(name);
  if (known) return known;
  const [owner, own] = name.split('/');
  const [kind, ...members] = /** @type {any} */ (CONTRACT.interfaces)[owner].types[own];
  const type = defined(name, kind, members);
  named.set(name, type);
  return type;
}

/** @param {string} name @param {string} kind @param {any[]} members @returns {Type} */
function defined(name, kind, members) {
  switch (kind) {
    case 'alias':
      return typeOf(members[0]);
    case 'record': {
      /** @type {[string, Type][]} */
      const fields = members.map(([field, type]) => [camel(field), typeOf(type)]);
      return { kind, name, fields, ...sequence(fields.map(([, type]) => type)) };
    }
    case 'enum':
      return { kind, size: 1, align: 1, flat: ['i32'], cases: members, bytes: 1 };
    default:
      return { kind: 'variant', ...choice(members.map(([tag, type]) => [tag, type && typeOf(type)])) };
  }
}

/** @type {Map<string, Func>} */
const functions = new Map();

/** A function of an interface, by the contract's names; `undefined` if there is none.
 * @param {string} owner @param {string} name @returns {Func | undefined} */
export function functionOf(owner, name) {
  const full = `${owner}#${name}`;
  const known = functions.get(full);
  if (known) return known;
  const described = /** @type {any} */ (CONTRACT.interfaces)[owner]?.functions[name];
  if (!described) return undefined;
  const result = described.result && typeOf(described.result);
  const isResult = Array.isArray(described.result) && described.result[0] === 'result';
  /** @type {Func} */
  const func = {
    params: described.params.map((/** @type {[string, any]} */ [param, type]) => [param, typeOf(type)]),
    result,
    ok: isResult ? result.cases[0][1] : result,
    err: isResult ? result.cases[1][1] : null,
  };
  functions.set(full, func);
  return func;
}

/** The names of an interface's functions, as JavaScript writes them. @param {string} owner */
export const functionsOf = (owner) => Object.keys(/** @type {any} */ (CONTRACT.interfaces)[owner].functions).map(camel);
