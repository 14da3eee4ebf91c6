// What goes wrong, as an `Error`.

/** @import {Type} from './types.js' */
/** @typedef {'never' | 'later' | 'after-repair'} Retry */
/** @typedef {{ tag: string, val?: any }} Payload an error of the contract */

/** Whether the same call may succeed later, by the last part of the code. What is not here may succeed after a repair. */
const RETRY = /** @type {Record<string, Retry>} */ ({
  'rate-limited': 'later',
  unavailable: 'later',
  'timed-out': 'later',
  conflict: 'later',
  'bad-answer': 'later',
  'context-too-long': 'never',
  refused: 'never',
  'not-found': 'never',
  invalid: 'never',
  'unsupported-combination': 'never',
  'missing-target-thread': 'never',
  'invalid-ts': 'never',
  'invalid-time': 'never',
  'invalid-value': 'never',
  'question-too-long': 'never',
});

/** See index.d.ts. */
export class MemoryError extends Error {
  /** @param {string} code @param {string} text @param {{ retry?: Retry, value?: number, payload?: Payload, cause?: unknown }} [more] */
  constructor(code, text, more = {}) {
    super(text, 'cause' in more ? { cause: more.cause } : undefined);
    this.name = 'MemoryError';
    this.code = code;
    this.retry = more.retry ?? RETRY[code.split('.').at(-1) ?? ''] ?? 'after-repair';
    this.value = more.value;
    this.payload = more.payload;
  }
}

/** Where an error of an import is inside an export's error. */
const IMPORTS = new Set(['storage', 'llm', 'chat']);

/** An error of the contract that an export ended with. @param {Payload} payload @param {string} called */
export function ofPayload(payload, called) {
  const { tag, val } = payload;
  const inner = IMPORTS.has(tag) || tag === 'bad-answer' ? val : undefined;
  const last = inner ?? payload;
  const code = last.tag === 'other' ? last.val.code : last.tag;
  const where = IMPORTS.has(tag) ? `${tag}: ` : '';
  const retry = tag === 'bad-answer' ? 'later' : undefined;
  return new MemoryError(inner ? `${tag}.${code}` : code, `${called}: ${where}${words(last)}`, { payload, retry });
}

/** A case and what it holds, in words. @param {Payload} error @returns {string} */
function words({ tag, val }) {
  if (val === undefined) return tag;
  if (typeof val !== 'object') return `${tag}: ${val}`;
  if (tag === 'other') return val.text;
  if (tag === 'invalid-settings') return settingFaults(val);
  const parts = Object.entries(val).map(([name, value]) => `${name} ${value}`);
  return `${tag}: ${parts.join(', ')}`;
}

/** @param {{ key: string, detail: string, range?: string }[]} faults */
export const settingFaults = (faults) =>
  faults.map(({ key, detail, range }) => `\`${key}\`: ${detail}${range === undefined ? '' : ` (it takes ${range})`}`).join('; ');

/** The error of the contract that a function of an import meant, or `undefined` if it simply failed.
 * @param {any} error @param {Type & { kind: 'variant' }} type @returns {Payload | undefined} */
export function payloadOf(error, type) {
  if (error?.payload !== undefined) return error.payload;
  if (!(error instanceof MemoryError)) return undefined;
  const found = type.cases.find(([tag]) => tag === error.code);
  if (!found || error.code === 'other') return { tag: 'other', val: { code: error.code, text: error.message } };
  const [tag, holds] = found;
  if (!holds) return { tag };
  return { tag, val: holds.kind === 'string' ? error.message : error.value };
}
