// One generation run: the component says which steps to take, and the steps of a batch run side by side.

import { MemoryError } from './errors.js';

/** @typedef {{ tag: 'thread', val: { channelId: string, threadTs: string } } | { tag: 'channel', val: string } | { tag: 'workspace' }} Step */
/** @typedef {{ made: unknown[], [name: string]: unknown }} Entry */
/**
 * @typedef {{ nextSteps: (done: { step: Step, made: boolean }[]) => Promise<{ steps: Step[] }>, take: (step: Step, turn: Promise<unknown>) => Promise<Entry> }} Calls
 */

/** @param {Calls} calls @param {string} workspaceId @returns {Promise<Entry[]>} */
export async function generateAll({ nextSteps, take }, workspaceId) {
  /** @type {{ step: Step, made: boolean }[]} */
  const done = [];
  /** @type {Entry[]} */
  const entries = [];
  let { steps } = await nextSteps(done);
  while (steps.length > 0) {
    refuseAgain(done, steps);
    const taken = await takeAll(steps, take, workspaceId);
    entries.push(...taken);
    steps.forEach((step, n) => done.push({ step, made: taken[n].made.length > 0 }));
    ({ steps } = await nextSteps(done));
  }
  return entries;
}

/** A run ends, whatever the component asks for. @param {{ step: Step }[]} done @param {Step[]} steps */
function refuseAgain(done, steps) {
  const all = [...done.map(({ step }) => step), ...steps];
  const isAgain = (/** @type {Step} */ step, /** @type {number} */ at) =>
    step.tag === 'workspace' ? all[at - 1]?.tag === 'workspace' : all.findIndex((other) => subject(other) === subject(step)) < at;
  const again = steps.find((step, n) => isAgain(step, done.length + n));
  if (again) throw new MemoryError('trapped', `the component wants to take the step ${subject(again)} again`);
}

/** All steps begin in their order. The last channel saves what is merged into the workspace's memory after the others: that
 * memory names the newest one that it has merged. @param {Step[]} steps @param {Calls['take']} take @param {string} workspaceId */
function takeAll(steps, take, workspaceId) {
  const last = steps.findLastIndex(({ tag }) => tag === 'channel');
  /** @type {Promise<Entry>[]} */
  const running = [];
  for (const [n, step] of steps.entries()) {
    const turn = n === last ? Promise.all(running) : Promise.resolve();
    running.push(take(step, turn).catch((error) => failed(step, workspaceId, error)));
  }
  return Promise.all(running);
}

/** @param {Step} step @param {string} [workspaceId] */
function subject(step, workspaceId = '') {
  if (step.tag === 'workspace') return workspaceId;
  return step.tag === 'channel' ? step.val : `${step.val.channelId}:${step.val.threadTs}`;
}

/** A step that ended with an error is an entry of the report; the next run tries it again.
 * @param {Step} step @param {string} workspaceId @param {Error} error @returns {Entry} */
function failed(step, workspaceId, error) {
  const outcome = { tag: 'failed', val: { tag: 'other', val: { code: 'call-failed', text: error.message } } };
  return { scope: step.tag, scopeId: subject(step, workspaceId), channelName: '', made: [], outcome };
}
