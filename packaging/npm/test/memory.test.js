// Calls of the component, and what is refused before anything runs.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Memory, MemoryError, MemoryStore, Summarizer } from './package.js';

const NOW = 1_772_445_000;

/** A workspace with a public channel C1 with a message, and a private C2. */
function workspace() {
  const store = new MemoryStore();
  store.putUser({ id: 'U1', name: 'aki' });
  store.putChannel({ id: 'C1', name: 'general', isPrivate: false });
  store.putChannel({ id: 'C2', name: 'plans' });
  store.putMessage({ channelId: 'C1', ts: `${NOW - 9000}.1`, userId: 'U1', text: 'The crane comes on Friday at 10:30.' });
  store.putMessage({ channelId: 'C2', ts: `${NOW - 9000}.1`, userId: 'U1', text: 'The office in Kyoto closes on 14 May.' });
  return store;
}

const LLM = { settings: { 'engines.memory': 'llm' } };
const refusal = (code, text, retry) => (error) => {
  assert.ok(error instanceof MemoryError && error instanceof Error, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, text);
  if (retry) assert.equal(error.retry, retry);
  return true;
};
const loads = (options) => Memory.load({ storage: workspace(), ...options });

test('memories are made, questions answered and mentions replied to', async () => {
  const storage = workspace();
  const posts = [];
  const chat = { post: async (request) => (posts.push(request), { tag: 'posted', val: [`${NOW}.5`] }) };
  const memory = await Memory.load({ storage, chat });
  const { now, entries } = await memory.generate(NOW);
  assert.deepEqual([now, entries.map(({ outcome }) => outcome.tag)], [{ unixSeconds: NOW, utcOffsetSeconds: 0 }, ['done', 'done', 'done']]);
  assert.deepEqual((await memory.generate(NOW)).entries, []);
  const { ask } = memory;
  const answer = await ask({ text: 'When does the crane come?', channelId: 'C1' }, new Date(NOW * 1000));
  assert.match(answer.text, /Friday at 10:30.*\[1\]/);
  assert.equal(answer.sources[0].user.name, 'aki');
  storage.putMessage({ channelId: 'C1', ts: `${NOW}.1`, userId: 'U1', text: '@myao when does the crane come?' });
  const target = { channelId: 'C1', messageTs: `${NOW}.000001` };
  assert.equal((await memory.replyToMention(target, NOW + 1)).tag, 'posted');
  assert.match(posts[0].text, /Friday/);
  assert.equal((await memory.search({ text: 'crane', limit: 3 }, NOW - 1)).hits.length, 1);
  const context = await memory.buildContext({ channelId: 'C1' }, NOW);
  assert.match(await memory.renderPrompt(context, 'channel', 'short-term'), /crane/);
  assert.match((await memory.summarize(context, 'channel', 'short-term')).text, /crane/);
});

test('what is said in a private channel is not shown elsewhere', async () => {
  const storage = workspace();
  const memory = await Memory.load({ storage });
  await memory.generate(NOW);
  const elsewhere = [await memory.ask({ text: 'When does the office in Kyoto close?', channelId: 'C1' }, NOW), await memory.ask({ text: 'Kyoto?' }, NOW)];
  assert.deepEqual(elsewhere.map(({ foundNothing }) => foundNothing), [true, true]);
  assert.match((await memory.ask({ text: 'When does the office close?', channelId: 'C2' }, NOW)).text, /14 May/);
  const workspaces = storage.memories().filter(({ scope }) => scope === 'workspace');
  assert.ok(workspaces.length > 0 && workspaces.every(({ content }) => !content.includes('Kyoto')));
});

test('what a private channel holds changes no byte of what is made for other places', async () => {
  const made = [];
  for (const secret of ['We sell the office in Kyoto on 14 May for 3,000 yen.', 'Lunch?']) {
    const storage = workspace();
    storage.putMessage({ channelId: 'C2', ts: `${NOW - 8000}.7`, userId: 'U1', text: secret });
    const prompts = [];
    const complete = ({ purpose, systemPrompt }) => {
      if (purpose.scopeId !== 'C2') prompts.push(systemPrompt);
      return `- ${purpose.scopeId} heard that the crane comes on Friday.`;
    };
    const settings = { 'engines.memory': 'llm', 'engines.response': 'llm', 'memory.language': 'any' };
    const memory = await Memory.load({ storage, llm: { complete }, settings, limits: { concurrentCalls: 1 } });
    const { entries } = await memory.generate(NOW);
    const answers = [await memory.ask({ text: 'When does the office close?', channelId: 'C1' }, NOW), await memory.ask({ text: 'Kyoto?' }, NOW)];
    const { hits } = await memory.search({ text: 'office Kyoto lunch', limit: 9 }, NOW, 'C1');
    const elsewhere = entries.filter(({ scopeId }) => scopeId !== 'C2');
    made.push(JSON.stringify({ prompts, answers, hits, elsewhere, context: await memory.buildContext({ channelId: 'C1' }, NOW) }));
    assert.ok(prompts.length > 3 && !made.at(-1).includes('plans'));
  }
  assert.equal(made[1], made[0]);
});

test('steps run side by side within the limit, and the memories are the same', async () => {
  const made = [];
  for (const concurrentCalls of [1, 4]) {
    const storage = new MemoryStore();
    storage.putUser({ id: 'U1', name: 'aki' });
    for (const n of [1, 2, 3, 4, 5, 6]) {
      storage.putChannel({ id: `C${n}`, name: `c${n}`, isPrivate: false });
      storage.putMessage({ channelId: `C${n}`, ts: `${NOW - 9000}.1`, userId: 'U1', text: `The crane ${n} comes on Friday.` });
    }
    // The first are answered when as many have asked as may: one after the other, that would be never.
    const waiting = [];
    let asked = 0;
    const complete = async ({ systemPrompt }) => {
      asked += 1;
      if (asked < concurrentCalls) await new Promise((resolve) => waiting.push(resolve));
      waiting.splice(0).forEach((resolve) => resolve());
      return `- ${/The crane \d comes on Friday/.exec(systemPrompt)[0]}`;
    };
    const settings = { ...LLM.settings, 'memory.language': 'any' };
    const memory = await Memory.load({ storage, llm: { complete }, settings, limits: { concurrentCalls, deadlineMs: 20_000 } });
    const { entries } = await memory.generate(NOW);
    assert.deepEqual(new Set(entries.map(({ outcome }) => outcome.tag)), new Set(['done']));
    const [newest] = storage.memories();
    const last = storage.memories().find(({ id }) => id === newest.mergedThrough);
    made.push([...storage.memories().map(({ scope, scopeId, memoryType, version }) => [scope, scopeId, memoryType, version].join(' ')), last.scopeId]);
  }
  assert.deepEqual(made[1], made[0]);
});

test('functions that are missing or unknown are named', async () => {
  await assert.rejects(Memory.load({}), refusal('invalid-options', /storage is no object with the functions at/));
  await assert.rejects(loads({ storage: { at: () => ({ listDue() {} }) } }), refusal('invalid-options', /it has no function list-?[cC]hannels, listMessages/));
  const one = { at: (place) => ({ ...workspace().at(place), terms: undefined }) };
  await assert.rejects(loads({ storage: one }), refusal('invalid-options', /terms; of findCandidates and terms give both or none/));
  await assert.rejects(loads({ storage: Promise.resolve(workspace()) }), refusal('invalid-options', /storage is a promise: await it/));
  await assert.rejects(loads({ storage: { at: async (place) => workspace().at(place) } }), refusal('invalid-options', /is a promise/));
  await assert.rejects(loads({ llm: { completeall() {} } }), refusal('invalid-options', /no function complete; nothing calls completeall \(known are/));
  await assert.rejects(loads({ llm: { complete() {}, countTokens: 7 } }), refusal('invalid-options', /llm.countTokens is no function/));
  await assert.rejects(loads({ chat: {} }), refusal('invalid-options', /chat: it has no function post/));
  await assert.rejects(loads({ models: {} }), refusal('invalid-options', /takes no models; it takes storage, chat, llm/));
  await assert.rejects(loads({ limits: { deadline: 5 } }), refusal('invalid-options', /limits.deadline is not known/));
  await assert.rejects(loads(LLM), refusal('invalid-options', /engines.memory are? .*llm.*give one|engines.memory/, 'after-repair'));
});

test('settings that are unknown, missing or out of range are named', async () => {
  const settings = (settings) => loads({ settings });
  await assert.rejects(settings({ 'memory.langage': 'ja' }), refusal('invalid-settings', /`memory.langage`/, 'after-repair'));
  await assert.rejects(settings({ 'memory.short_term_window_hours': 0 }), refusal('invalid-settings', /it takes a whole number from 1 to 87600/));
  await assert.rejects(settings({ 'persona.name': undefined }), refusal('invalid-settings', /`persona.name` is undefined/));
  await assert.rejects(settings({ memory: { language: 'ja' } }), refusal('invalid-settings', /write each key whole/));
  await settings({ 'memory.short_term_window_hours': 48, 'memory.legacy_workspace_short_term': true });
});

test('times in milliseconds and arguments of wrong form are refused', async () => {
  const memory = await loads({});
  for (const now of [NOW * 1000, { unixSeconds: NOW * 1000, utcOffsetSeconds: 0 }]) {
    await assert.rejects(memory.generate(now), refusal('invalid-time', /looks like milliseconds; give seconds/, 'never'));
  }
  for (const now of [undefined, 'today', {}, new Date('x')]) await assert.rejects(memory.generate(now), refusal('invalid-time', /now/));
  const context = await memory.buildContext({ channelId: 'C1' }, NOW);
  context.conversationHistory.topLevelMessages[0].timestamp.unixSeconds *= 1000;
  await assert.rejects(memory.renderPrompt(context, 'channel', 'short-term'), refusal('invalid-time', /topLevelMessages\[0\].timestamp.unixSeconds/));
  await assert.rejects(memory.ask({ text: 'a\ud83d' }, NOW), refusal('invalid-value', /question.text: it has a lone surrogate/));
  await assert.rejects(memory.ask({ text: 'x', channelID: 'C1' }, NOW), refusal('invalid-value', /no field `channelID`; there are text, channelId/));
  await assert.rejects(memory.ask({ channelId: 'C1' }, NOW), refusal('invalid-value', /question.text: a string is expected, and it is missing/));
  await assert.rejects(memory.summarize({}, 'channel', 'short_term'), refusal('invalid-value', /context.persona/));
  await assert.rejects(memory.renderPrompt(Promise.resolve(context), 'channel', 'short-term'), refusal('invalid-value', /it is a promise: await it/));
  await assert.rejects(memory.replyToMention({ channelId: 'C1', messageTs: '1.1' }, NOW), refusal('invalid-options', /load got no chat/));
});

test('what a function returns is checked, and what it throws is told', async () => {
  const wrong = (name, give) => {
    const storage = workspace();
    return loads({ storage: { at: (place) => ({ ...storage.at(place), [name]: give }) } }).then((memory) => memory.generate(NOW));
  };
  await assert.rejects(wrong('listDue', () => undefined), refusal('invalid-value', /what storage.listDue returned: an object .* is missing/));
  await assert.rejects(wrong('listDue', () => ({ channels: Promise.resolve([]) })), refusal('invalid-value', /listDue returned.channels: .*promise: await it/));
  const broken = () => { throw new TypeError('no table'); };
  const isBroken = refusal('import-failed', /storage.listDue failed: no table/);
  await assert.rejects(wrong('listDue', broken), (error) => isBroken(error) && error.cause instanceof TypeError);
  const full = async () => { throw new MemoryError('unavailable', 'the disk is full'); };
  await assert.rejects(wrong('listDue', full), refusal('storage.unavailable', /storage: unavailable: the disk is full/, 'later'));
  const { entries: [entry] } = await wrong('saveMemory', full);
  assert.deepEqual(entry.outcome, { tag: 'failed', val: { tag: 'storage', val: { tag: 'unavailable', val: 'the disk is full' } } });
});

test('a model answers questions in a channel and in the workspace', async () => {
  const complete = ({ purpose }) => `It comes on Friday at 10:30 [1]. ${purpose.scope}`;
  const memory = await loads({ llm: { complete }, settings: { 'engines.response': 'llm', 'memory.language': 'any' } });
  for (const channelId of ['C1', undefined]) {
    const { engine, text } = await memory.ask({ text: 'When does the crane come?', channelId }, NOW);
    assert.equal(engine, 'llm', text);
  }
});

test('methods work without their object, and one that cannot says so', async () => {
  class Model {
    #text = '- The crane comes on Friday at 10:30.';
    complete() {
      return this.#text;
    }
  }
  const model = new Model();
  const made = async (llm) => (await (await loads({ llm, ...LLM })).generate(NOW)).entries[0].outcome;
  assert.equal((await made(model)).tag, 'done');
  assert.equal((await made({ complete: () => model.complete() })).tag, 'done');
  const { val } = await made({ complete: model.complete });
  assert.match(val.val.text, /llm.complete failed: .*lost its `this`: give the object, or bind the method/);
});

test('a call ends at its deadline, while it waits', async () => {
  const memory = await loads({ llm: { complete: () => new Promise(() => {}) }, ...LLM, limits: { deadlineMs: 2000 } });
  const { entries: [entry] } = await memory.generate(NOW);
  assert.match(entry.outcome.val.val.text, /generate-channel took longer than 2000 ms/);
});

const TRESPASSING = new URL('../../../target/component/trespassing.wasm', import.meta.url);

test('what a component does for another place ends its call', { skip: !existsSync(TRESPASSING) }, async () => {
  const storage = workspace();
  const chat = { post: () => assert.fail('it was posted') };
  const component = readFileSync(TRESPASSING);
  const told = (commands) => Memory.load({ storage, chat, component, llm: { complete: () => '- yes' }, settings: { 'persona.system_prompt': commands } });
  const asked = async (commands, question = { text: 'x', channelId: 'C1' }) => (await told(commands)).ask(question, NOW).catch((error) => error);
  const reading = ['messages C2', 'marked C2', 'backlog C2', 'due', 'deferrals channel C2', 'ask channel C2'];
  for (const command of [...reading, 'save channel C1', 'defer channel C1', 'post C1']) {
    refusal('out-of-place', /^a call for channel C1 may not /)(await asked(command));
  }
  const own = await asked('channels\nmessages C1 -\nfind kyoto\nmemories all');
  assert.match(own.message, /The crane/);
  assert.doesNotMatch(own.message, /Kyoto|plans/);
  const target = { channelId: 'C1', messageTs: '1.1' };
  await assert.rejects((await told('post C2')).replyToMention(target, NOW), refusal('out-of-place', /a call for channel C1 may not answer message .* in channel C2/));
  await assert.rejects((await told('take C1')).generate(NOW), refusal('trapped', /the step C1 again/));
  const saving = await told('save channel C2');
  await assert.rejects(saving.generateChannel('C1', NOW), refusal('out-of-place', /a call for channel C1 may not save a memory of C2/));
});

test('a component of another version is refused, with both named', async () => {
  const bytes = readFileSync(new URL('../../../target/npm/component/bot.wasm', import.meta.url));
  assert.match((await loads({ component: bytes })).about.contract, /^0\.2\./);
  const other = Buffer.from(bytes.toString('latin1').replaceAll('@0.2.0#', '@0.3.0#'), 'latin1');
  await assert.rejects(loads({ component: other }), refusal('incompatible', /version 0\.3\.0 of the contract, and this package \(.*\) for 0\.2\.0/));
  await assert.rejects(loads({ component: Buffer.from('no wasm at all') }), refusal('incompatible', /no WebAssembly component/));
});

test('a log that cannot be written ends the call, and lines hold no texts', async () => {
  const lines = [];
  const memory = await loads({ log: { write: (level, line) => lines.push(line) } });
  await memory.generate(NOW);
  assert.ok(lines.some((line) => line.includes('version 1 of the short-term memory of channel C1')));
  assert.ok(lines.every((line) => !line.includes('crane')));
  const full = await loads({ log: { write: () => { throw new Error('the log is full'); } } });
  const { entries: [entry] } = await full.generate(NOW);
  assert.match(entry.outcome.val.val.text, /log.write failed: the log is full/);
});

test('the parts of what is too long for a model are asked for side by side', async () => {
  let [asked, most] = [0, 0];
  const complete = async (request) => {
    if (request.systemPrompt.length + request.maxTokens > 3000) throw new MemoryError('context-too-long', 'too long', { value: 3000 });
    most = Math.max(most, ++asked);
    await new Promise((resolve) => setImmediate(resolve));
    asked -= 1;
    return { text: '- The crane comes.', finishReason: 'stop', model: 'small' };
  };
  const summarizer = await Summarizer.load({ llm: { complete }, settings: { ...LLM.settings, 'memory.language': 'any', 'memory.prompt_language': 'en' } });
  const messages = Array.from({ length: 60 }, (_, n) => ({
    ts: `${NOW + n}.000001`, user: { id: 'U1', name: 'aki', isBot: false }, text: `The crane comes, they say. ${'Really. '.repeat(4)}`,
    timestamp: { unixSeconds: NOW + n, utcOffsetSeconds: 0 }, isForBot: false,
  }));
  const context = {
    persona: { name: 'myao', systemPrompt: '' }, channelMemories: [], threadMemories: [],
    conversationHistory: { channelId: 'C1', channelName: 'general', topLevelMessages: messages, threads: [] },
  };
  const { coverage } = await summarizer.summarize(context, 'channel', 'short-term');
  assert.ok(coverage.chunks > 1);
  assert.equal(most, coverage.chunks);
});

test('a question or search of more than 4,000 characters is refused by name', async () => {
  const memory = await Memory.load({ storage: workspace() });
  for (const text of ['x'.repeat(4001), 'いつ？'.repeat(1_500_000)]) {
    for (const call of [() => memory.ask({ text }, NOW), () => memory.search({ text, limit: 3 }, NOW)]) {
      await assert.rejects(call, (error) => error instanceof MemoryError && error.code === 'question-too-long' && error.retry === 'never' && /4000/.test(error.message));
    }
  }
  assert.ok((await memory.ask({ text: 'x'.repeat(4000) }, NOW)).text);
});
