// A compiled component, and calls of its exports: each in an instance of its own.

import { CONTRACT, VERSION } from './contract.js';
import { isPromise } from './check.js';
import { MemoryError } from './errors.js';
import { camel } from './names.js';
import { functionOf } from './types.js';
import { lift, load, lower, store } from './values.js';
import { wasi } from './wasi.js';

/** @import {Func} from './types.js' */
/** @import {Flat, Heap} from './values.js' */

/** What an import came to: a value, or an error of the contract. @typedef {{ tag: 'ok' | 'err', val?: any }} Outcome */
/** Answers an import, by the contract's names. @typedef {(owner: string, name: string, args: any[]) => Outcome | Promise<Outcome>} Host */

/** More arguments, or more results, are passed in memory. */
const MOST_ARGUMENTS = 16;
const PACKAGE = /^myao:memory\/([^@#]+)@([^#]+)(?:#(.+))?$/;

/** Whether exports can wait for promises (JSPI): Node 24 and newer, Deno, Chromium 137 and newer. */
export const canWait = () => typeof (/** @type {any} */ (WebAssembly).Suspending) === 'function';

/** The core module of a component: the first one has its code, the others only connect it. @param {Uint8Array} bytes */
export function coreOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isWasm = bytes.length > 8 && view.getUint32(0, true) === 0x6d736100;
  if (!isWasm || view.getUint16(6, true) !== 1) throw incompatible('these bytes are no WebAssembly component');
  for (let at = 8; at < bytes.length; ) {
    const section = bytes[at];
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[++at];
      size |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += 1;
    if (section === 1) return bytes.subarray(at, at + size);
    at += size;
  }
  throw incompatible('the component has no code');
}

/** @param {string} text */
const incompatible = (text) => new MemoryError('incompatible', text);

/** @param {string} version */
const series = (version) => version.split('.').slice(0, 2).join('.');

/** Compiles a component, and refuses one of another version. @param {Uint8Array} bytes */
export async function compile(bytes) {
  const module = await WebAssembly.compile(/** @type {BufferSource} */ (coreOf(bytes)));
  const names = WebAssembly.Module.exports(module).map(({ name }) => PACKAGE.exec(name));
  const contract = names.find((found) => found?.[1] === 'about')?.[2];
  if (contract === undefined) throw incompatible('the component does not say what it is: it has no export `myao:memory/about`');
  if (series(contract) !== series(CONTRACT.version)) {
    const versions = `version ${contract} of the contract, and this package (${VERSION}) for ${CONTRACT.version}`;
    throw incompatible(`the component is made for ${versions}: take a component and a package of the same version`);
  }
  return module;
}

/** Calls an export. Without `wait`, nothing may be a promise.
 * @param {WebAssembly.Module} module @param {Host} host @param {string} owner @param {string} name @param {any[]} args checked ones
 * @param {boolean} wait @returns {Outcome | Promise<Outcome>} */
export function call(module, host, owner, name, args, wait) {
  /** @type {Heap} */
  const heap = /** @type {any} */ ({});
  let said = '';
  const tell = (/** @type {string} */ text) => (said += text);
  const exports = instantiate(module, heap, host, tell, wait);
  const full = Object.keys(exports).find((key) => key.startsWith(`myao:memory/${owner}@`) && key.endsWith(`#${name}`));
  const func = functionOf(owner, name);
  if (!full || !func) throw incompatible(`the component has no export \`${owner}.${name}\``);
  /** @param {any} result */
  const read = (result) => resultOf(heap, func, result);
  /** @param {unknown} error @returns {never} */
  const ended = (error) => {
    if (error instanceof MemoryError) throw error;
    const isTrap = error instanceof WebAssembly.RuntimeError;
    const { message } = /** @type {Error} */ (error);
    throw new MemoryError('trapped', isTrap ? `the component ended in ${owner}.${name}: ${said.trim() || message}` : message, { cause: error });
  };
  const flat = argumentsOf(heap, func, args);
  if (wait) return /** @type {any} */ (WebAssembly).promising(exports[full])(...flat).then(read).catch(ended);
  try {
    return read(exports[full](...flat));
  } catch (error) {
    return ended(error);
  }
}

/** @param {WebAssembly.Module} module @param {Heap} heap @param {Host} host @param {(text: string) => void} tell @param {boolean} wait @returns {any} */
function instantiate(module, heap, host, tell, wait) {
  /** @type {WebAssembly.Imports} */
  const imports = {};
  for (const { module: owner, name } of WebAssembly.Module.imports(module)) {
    const found = PACKAGE.exec(owner);
    imports[owner] ??= {};
    imports[owner][name] = found ? imported(heap, host, found[1], name, wait) : wasi(owner, name, heap, tell);
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  heap.memory = /** @type {WebAssembly.Memory} */ (exports.memory);
  heap.room = (align, size) => /** @type {any} */ (exports).cabi_realloc(0, 0, align, size) >>> 0;
  return exports;
}

/** @param {Heap} heap @param {Host} host @param {string} owner @param {string} name @param {boolean} wait @returns {any} */
function imported(heap, host, owner, name, wait) {
  const func = functionOf(owner, name);
  if (!func) throw incompatible(`the component asks for \`${owner}.${name}\`, which is not in version ${CONTRACT.version} of the contract`);
  const inMemory = flatParams(func).length > MOST_ARGUMENTS;
  /** @param {Flat[]} core */
  const read = (core) => {
    if (inMemory) return fields(func).map(([type, offset]) => load(heap, type, Number(core[0]) + offset));
    const flat = core[Symbol.iterator]();
    return func.params.map(([, type]) => lift(heap, type, flat));
  };
  /** @param {Flat[]} core @param {Outcome} outcome */
  const give = (core, outcome) => {
    if (!func.result) return undefined;
    const result = func.err ? outcome : outcome.val;
    if (func.result.flat.length > 1) return store(heap, func.result, Number(core.at(-1)) >>> 0, result);
    return lower(heap, func.result, result)[0];
  };
  if (!wait) return (/** @type {Flat[]} */ ...core) => give(core, atOnce(host(owner, name, read(core)), `${owner}.${camel(name)}`));
  return new /** @type {any} */ (WebAssembly).Suspending(async (/** @type {Flat[]} */ ...core) => give(core, await host(owner, name, read(core))));
}

/** @param {Outcome | Promise<Outcome>} outcome @param {string} path @returns {Outcome} */
function atOnce(outcome, path) {
  if (!isPromise(outcome)) return /** @type {Outcome} */ (outcome);
  throw new MemoryError('promise', `${path} returned a promise, and this runtime cannot wait for one in a component: it has no JSPI and no threads`);
}

/** @param {Func} func */
const flatParams = (func) => func.params.flatMap(([, type]) => type.flat);

/** The parameters and where they are, if they are passed in memory. @param {Func} func @returns {[import('./types.js').Type, number][]} */
function fields(func) {
  let at = 0;
  return func.params.map(([, type]) => {
    const offset = Math.ceil(at / type.align) * type.align;
    at = offset + type.size;
    return [type, offset];
  });
}

/** @param {Heap} heap @param {Func} func @param {any[]} args @returns {Flat[]} */
function argumentsOf(heap, func, args) {
  if (flatParams(func).length <= MOST_ARGUMENTS) return func.params.flatMap(([, type], n) => lower(heap, type, args[n]));
  const places = fields(func);
  const [last, offset] = /** @type {[import('./types.js').Type, number]} */ (places.at(-1));
  const at = heap.room(Math.max(...places.map(([type]) => type.align)), offset + last.size);
  places.forEach(([type, offset], n) => store(heap, type, at + offset, args[n]));
  return [at];
}

/**
 * The instance is thrown away, so what it returned in its memory is not given back.
 * @param {Heap} heap
 * @param {Func} func
 * @param {any} result
 * @returns {Outcome}
 */
function resultOf(heap, func, result) {
  if (!func.result) return { tag: 'ok' };
  const value = func.result.flat.length > 1 ? load(heap, func.result, result >>> 0) : lift(heap, func.result, [result][Symbol.iterator]());
  return func.err ? value : { tag: 'ok', val: value };
}
