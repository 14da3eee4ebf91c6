// What a component gets of WASI: nothing. There are no arguments, environment, files, sockets or streams, clocks stand still,
// and randomness is the same in every call. Rust's standard library asks for some of it.

/** @import {Heap} from './values.js' */

/** Takes a component's last words. @typedef {(text: string) => void} Tell */

const decoder = new TextDecoder();
const ERROR_STREAM = 2;
/** `access-denied` of `wasi:sockets`. */
const DENIED = 1;

/** @param {Heap} heap @param {number} at @param {number[]} bytes */
const write = (heap, at, ...bytes) => new Uint8Array(heap.memory.buffer).set(bytes, at);

/** @param {Heap} heap @param {number} at */
const writeEmptyList = (heap, at) => write(heap, at, 8, 0, 0, 0, 0, 0, 0, 0);

/** @param {Heap} heap @param {Tell} tell @returns {Record<string, (...args: any[]) => unknown>} */
const functions = (heap, tell) => ({
  'insecure-seed': (at) => write(heap, at, ...new Array(16).fill(0)),
  'get-random-bytes': (length, at) => {
    const begin = heap.room(1, Number(length));
    new Uint8Array(heap.memory.buffer, begin, Number(length)).forEach((_, n, bytes) => (bytes[n] = n));
    const view = new DataView(heap.memory.buffer);
    view.setUint32(at, begin, true);
    view.setUint32(at + 4, Number(length), true);
  },
  'get-environment': (at) => writeEmptyList(heap, at),
  'get-arguments': (at) => writeEmptyList(heap, at),
  'get-directories': (at) => writeEmptyList(heap, at),
  'get-stdin': () => 0,
  'get-stdout': () => 1,
  'get-stderr': () => ERROR_STREAM,
  'get-terminal-stdin': (at) => write(heap, at, 0),
  'get-terminal-stdout': (at) => write(heap, at, 0),
  'get-terminal-stderr': (at) => write(heap, at, 0),
  // There is room for 65,536 bytes.
  '[method]output-stream.check-write': (_, at) => write(heap, at, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0),
  '[method]output-stream.write': (stream, begin, length, at) => {
    if (stream === ERROR_STREAM) tell(decoder.decode(new Uint8Array(heap.memory.buffer, begin, length)));
    write(heap, at, 0);
  },
  '[method]output-stream.blocking-flush': (_, at) => write(heap, at, 0),
  'create-tcp-socket': (_, at) => write(heap, at, 1, 0, 0, 0, DENIED),
  'create-udp-socket': (_, at) => write(heap, at, 1, 0, 0, 0, DENIED),
});

/** A function of WASI. @param {string} owner as `wasi:cli/exit@0.2.0` @param {string} name @param {Heap} heap @param {Tell} tell */
export function wasi(owner, name, heap, tell) {
  if (name.startsWith('[resource-drop]')) return () => {};
  if (owner.startsWith('wasi:clocks/')) return clock(owner, name, heap);
  const known = functions(heap, tell)[name];
  if (known) return known;
  return () => {
    throw new Error(name === 'exit' ? 'the component ended itself' : `the component asks for ${owner}#${name}, which no component gets`);
  };
}

/** @param {string} owner @param {string} name @param {Heap} heap */
function clock(owner, name, heap) {
  if (name === 'now') return owner.includes('monotonic') ? () => 0n : (/** @type {number} */ at) => write(heap, at, ...new Array(12).fill(0));
  return () => {
    throw new Error('a component has no clock');
  };
}
