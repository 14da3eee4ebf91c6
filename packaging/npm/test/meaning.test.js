// An embedder of the program finds messages by what they mean, and its vectors go with what they are of.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Memory, MemoryStore, SqliteStore, hasSqlite } from './package.js';

const TOPICS = [/crane|lifting|クレーン/iu, /lunch|canteen|昼食/iu, /paint|colour/iu];

/** An embedder that knows three topics, and notes what it reads. */
function topics(model = 'topics') {
  const read = [];
  const embed = async (texts, isQuestion) => {
    if (!isQuestion) read.push(...texts);
    return texts.map((text) => Float32Array.from([...TOPICS.map((topic) => (topic.test(text) ? 1 : 0)), 0.2 + (text.length % 7) / 100]));
  };
  return { read, embedder: { model, embed } };
}

function filled(store) {
  store.putUser({ id: 'U1', name: 'aki' });
  store.putChannel({ id: 'C1', name: 'general', isPrivate: false });
  store.putChannel({ id: 'C2', name: 'secret', isPrivate: true });
  const say = (channelId, ts, text) => store.putMessage({ channelId, ts: `${ts}.0`, userId: 'U1', text });
  say('C1', 1, 'The crane comes on Friday.');
  say('C2', 2, 'The second crane is broken.');
  for (let ts = 3; ts < 9; ts += 1) say('C1', ts, `The canteen has number ${ts}.`);
  for (let ts = 9; ts < 15; ts += 1) say('C1', ts, `番号は ${ts} です。`);
  say('C1', 15, 'クレーンは金曜日に来ます。');
  return store;
}

const found = async (store, text, place = { channel: 'C1' }) => {
  const query = { terms: ['nowhere'], text, channels: [], since: undefined, until: '99.0', limit: 9, neighbours: 0 };
  const { messages } = await store.at(place).findCandidates(query);
  return messages.map(({ at, similarity }) => ({ ts: at.ts.split('.')[0], similarity }));
};
const ids = (all) => all.map(({ ts }) => ts);

test('messages are found in other words and in the other language', async () => {
  const store = filled(new MemoryStore(topics()));
  assert.deepEqual(ids(await found(store, 'the lifting machine')), ['1', '15']);
  assert.deepEqual(ids(await found(store, 'the lifting machine', { channel: 'C2' })), ['1', '15', '2']);
  const memory = await Memory.load({ storage: store });
  const { hits } = await memory.search({ text: 'lifting machine', limit: 5 }, 100, 'C1');
  assert.deepEqual(new Set(hits.slice(0, 2).map(({ at }) => at.ts.split('.')[0])), new Set(['1', '15']));
});

test('what another place holds changes no similarity', async () => {
  const with_ = filled(new MemoryStore(topics()));
  const without = filled(new MemoryStore(topics()));
  for (let ts = 20; ts < 60; ts += 1) with_.putMessage({ channelId: 'C2', ts: `${ts}.0`, userId: 'U1', text: `lifting ${ts}` });
  await found(with_, 'lifting', { channel: 'C2' });
  assert.deepEqual(await found(with_, 'lifting'), await found(without, 'lifting'));
});

test('each text is read once, and again when it changes or the model does', { skip: !hasSqlite }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'myao-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'store.db');
  const { read, embedder } = topics();
  let store = filled(new SqliteStore(path, { embedder }));
  await found(store, 'lifting');
  assert.equal(read.length, 14);
  assert.equal(read[0], 'aki: The crane comes on Friday.');
  store.close();
  store = new SqliteStore(path, { embedder });
  store.putMessage({ channelId: 'C1', ts: '1.0', userId: 'U1', text: 'The paint is dry.', editedAt: 50 });
  assert.deepEqual(ids(await found(store, 'lifting')), ['15']);
  assert.deepEqual(read.slice(14), ['aki: The paint is dry.']);
  store.close();
  const other = topics('others');
  store = new SqliteStore(path, { embedder: other.embedder });
  await found(store, 'lifting');
  assert.equal(other.read.length, 14);
  store.close();
});

test('a vector goes with its message, and is not made of what is gone', { skip: !hasSqlite }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'myao-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'store.db');
  const { embedder } = topics();
  let deleting;
  const embed = (texts, isQuestion) => {
    if (!isQuestion) deleting();
    return embedder.embed(texts, isQuestion);
  };
  const store = filled(new SqliteStore(path, { embedder: { model: 'topics', embed } }));
  deleting = () => store.deleteMessage('C1', '15.0');
  assert.deepEqual(ids(await found(store, 'lifting')), ['1']);
  for (let ts = 1; ts < 15; ts += 1) if (ts !== 2) store.deleteMessage('C1', `${ts}.0`);
  store.close();
  assert.equal(readFileSync(path).includes('"vector"'), false);
});

test('an embedder that breaks its promise is named', async () => {
  const refused = (text) => ({ name: 'MemoryError', message: text });
  assert.throws(() => new MemoryStore({ embedder: { embed: () => [] } }), refused(/name of its `model`/));
  for (const vectors of [[], [[]], [[Number.NaN]]]) {
    const store = filled(new MemoryStore({ embedder: { model: 'broken', embed: () => vectors } }));
    await assert.rejects(found(store, 'lifting'), refused(/no vector for each of 1 texts/));
  }
});

test('vectors that mean nothing break no search', async () => {
  const store = filled(new MemoryStore({ embedder: { model: 'zeros', embed: (texts) => texts.map(() => [0, 0]) } }));
  assert.deepEqual(await found(store, 'lifting'), []);
});
