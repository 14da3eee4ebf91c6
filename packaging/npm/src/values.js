// Values between JavaScript and a component's memory (the canonical ABI). They were checked before: see check.js.

/** @import {Core, Type} from './types.js' */
/** A component's memory, and how to get room in it. @typedef {{ memory: WebAssembly.Memory, room: (align: number, size: number) => number }} Heap */
/** @typedef {number | bigint} Flat a value of the machine */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const bits = new DataView(new ArrayBuffer(8));

/** Reads a value. @param {Heap} heap @param {Type} type @param {number} at @returns {any} */
export function load(heap, type, at) {
  const view = new DataView(heap.memory.buffer);
  switch (type.kind) {
    case 'bool': return view.getUint8(at) !== 0;
    case 'u8': return view.getUint8(at);
    case 's8': return view.getInt8(at);
    case 'u16': return view.getUint16(at, true);
    case 's16': return view.getInt16(at, true);
    case 'u32': return view.getUint32(at, true);
    case 's32': return view.getInt32(at, true);
    case 'u64': return Number(view.getBigUint64(at, true));
    case 's64': return Number(view.getBigInt64(at, true));
    case 'f32': return view.getFloat32(at, true);
    case 'f64': return view.getFloat64(at, true);
    case 'string': return text(heap, view.getUint32(at, true), view.getUint32(at + 4, true));
    case 'list': return items(heap, type.of, view.getUint32(at, true), view.getUint32(at + 4, true));
    case 'tuple': return type.of.map((of, n) => load(heap, of, at + type.offsets[n]));
    case 'record': return Object.fromEntries(type.fields.map(([name, of], n) => [name, load(heap, of, at + type.offsets[n])]));
    case 'enum': return type.cases[view.getUint8(at)];
    case 'option': return view.getUint8(at) === 0 ? undefined : load(heap, type.of, at + type.payload);
    case 'variant': {
      const [tag, of] = type.cases[type.bytes === 1 ? view.getUint8(at) : view.getUint16(at, true)];
      return of ? { tag, val: load(heap, of, at + type.payload) } : { tag };
    }
  }
}

/** @param {Heap} heap @param {number} at @param {number} length */
const text = (heap, at, length) => decoder.decode(new Uint8Array(heap.memory.buffer, at, length));

/** @param {Heap} heap @param {Type} of @param {number} at @param {number} length */
const items = (heap, of, at, length) => Array.from({ length }, (_, n) => load(heap, of, at + n * of.size));

/** Writes a value. What room is made for may move the memory: no view is kept. @param {Heap} heap @param {Type} type @param {number} at @param {any} value */
export function store(heap, type, at, value) {
  const view = () => new DataView(heap.memory.buffer);
  switch (type.kind) {
    case 'bool': return view().setUint8(at, value ? 1 : 0);
    case 'u8': return view().setUint8(at, value);
    case 's8': return view().setInt8(at, value);
    case 'u16': return view().setUint16(at, value, true);
    case 's16': return view().setInt16(at, value, true);
    case 'u32': return view().setUint32(at, value, true);
    case 's32': return view().setInt32(at, value, true);
    case 'u64': return view().setBigUint64(at, BigInt(value), true);
    case 's64': return view().setBigInt64(at, BigInt(value), true);
    case 'f32': return view().setFloat32(at, value, true);
    case 'f64': return view().setFloat64(at, value, true);
    case 'string':
    case 'list': {
      const [begin, length] = type.kind === 'list' ? putItems(heap, type.of, value) : putText(heap, value);
      view().setUint32(at, begin, true);
      return view().setUint32(at + 4, length, true);
    }
    case 'tuple': return type.of.forEach((of, n) => store(heap, of, at + type.offsets[n], value[n]));
    case 'record': return type.fields.forEach(([name, of], n) => store(heap, of, at + type.offsets[n], value[name]));
    case 'enum': return view().setUint8(at, type.cases.indexOf(value));
    case 'option':
    case 'variant': {
      const [number, of, held] = chosen(type, value);
      if (type.bytes === 1) view().setUint8(at, number);
      else view().setUint16(at, number, true);
      if (of) store(heap, of, at + type.payload, held);
    }
  }
}

/**
 * The number of a case, with what it holds.
 * @param {Extract<Type, { kind: 'option' | 'variant' }>} type
 * @param {any} value
 * @returns {[number, Type | null, any]}
 */
function chosen(type, value) {
  if (type.kind === 'option') return value === undefined ? [0, null, undefined] : [1, type.of, value];
  const number = type.cases.findIndex(([tag]) => tag === value.tag);
  return [number, type.cases[number][1], value.val];
}

/** @param {Heap} heap @param {string} value @returns {[number, number]} */
function putText(heap, value) {
  const bytes = encoder.encode(value);
  const at = heap.room(1, bytes.length);
  new Uint8Array(heap.memory.buffer).set(bytes, at);
  return [at, bytes.length];
}

/** @param {Heap} heap @param {Type} of @param {any[]} values @returns {[number, number]} */
function putItems(heap, of, values) {
  const at = heap.room(of.align, of.size * values.length);
  values.forEach((value, n) => store(heap, of, at + n * of.size, value));
  return [at, values.length];
}

/** Reads a value of which the parts are arguments. @param {Heap} heap @param {Type} type @param {Iterator<Flat>} flat @returns {any} */
export function lift(heap, type, flat) {
  const next = () => /** @type {any} */ (flat.next().value);
  switch (type.kind) {
    case 'bool': return next() !== 0;
    case 'u8': return next() & 0xff;
    case 's8': return (next() << 24) >> 24;
    case 'u16': return next() & 0xffff;
    case 's16': return (next() << 16) >> 16;
    case 'u32': return next() >>> 0;
    case 's32': return next() | 0;
    case 'u64': return Number(BigInt.asUintN(64, next()));
    case 's64': return Number(next());
    case 'f32':
    case 'f64': return next();
    case 'string': return text(heap, next() >>> 0, next() >>> 0);
    case 'list': return items(heap, type.of, next() >>> 0, next() >>> 0);
    case 'tuple': return type.of.map((of) => lift(heap, of, flat));
    case 'record': return Object.fromEntries(type.fields.map(([name, of]) => [name, lift(heap, of, flat)]));
    case 'enum': return type.cases[next()];
    case 'option':
    case 'variant': {
      const [tag, of] = type.cases[next()];
      const rest = type.flat.slice(1).map((core) => /** @type {const} */ ([core, next()]));
      const held = of && lift(heap, of, of.flat.map((core, n) => narrowed(rest[n][1], rest[n][0], core))[Symbol.iterator]());
      if (type.kind === 'option') return tag === 'none' ? undefined : held;
      return of ? { tag, val: held } : { tag };
    }
  }
}

/** The parts of a value as arguments. @param {Heap} heap @param {Type} type @param {any} value @returns {Flat[]} */
export function lower(heap, type, value) {
  switch (type.kind) {
    case 'bool': return [value ? 1 : 0];
    case 'u64':
    case 's64': return [BigInt(value)];
    case 'string': return putText(heap, value);
    case 'list': return putItems(heap, type.of, value);
    case 'tuple': return type.of.flatMap((of, n) => lower(heap, of, value[n]));
    case 'record': return type.fields.flatMap(([name, of]) => lower(heap, of, value[name]));
    case 'enum': return [type.cases.indexOf(value)];
    case 'option':
    case 'variant': {
      const [number, of, held] = chosen(type, value);
      const parts = of ? lower(heap, of, held) : [];
      const rest = type.flat.slice(1).map((core, n) => {
        const from = of?.flat[n];
        return from === undefined ? (core === 'i64' ? 0n : 0) : widened(parts[n], from, core);
      });
      return [number, ...rest];
    }
    default: return [value];
  }
}

/** @param {Flat} value @param {Core} from @param {Core} to @returns {Flat} */
function widened(value, from, to) {
  if (from === to) return value;
  if (from === 'f32') bits.setFloat32(0, Number(value), true);
  else if (from === 'f64') bits.setFloat64(0, Number(value), true);
  else return BigInt.asUintN(32, BigInt(value));
  if (to === 'i32') return bits.getInt32(0, true);
  return from === 'f32' ? BigInt(bits.getUint32(0, true)) : bits.getBigUint64(0, true);
}

/** @param {Flat} value @param {Core} from @param {Core} to @returns {Flat} */
function narrowed(value, from, to) {
  if (from === to) return value;
  if (to === 'i32') return Number(BigInt.asIntN(32, BigInt(value)));
  if (from === 'i64') bits.setBigUint64(0, BigInt.asUintN(64, BigInt(value)), true);
  else bits.setInt32(0, Number(value), true);
  return to === 'f32' ? bits.getFloat32(0, true) : bits.getFloat64(0, true);
}
