// What the contract asks of a store: saving and reading memories, stand-ins, deferrals, and what edits take away.

import assert from 'node:assert/strict';
import { forEachStore, time } from './fixture.js';

const refused = (code, text = '') => ({ name: 'MemoryError', code, message: new RegExp(text) });

forEachStore('a saved memory is listed as it was returned', (of) => {
  of.say('1.0');
  of.reply('1.0', '2.0');
  const short = of.save({ sourceMessages: ['1.0', '2.0'], sourceLatestMessageTs: '2.000000' });
  const long = of.longTerm(short, { sourceMemories: [short.id] });
  const workspace = of.workspace({ mergedThrough: long.id });
  const thread = of.thread('C1:1.000000', '2.000000');
  assert.deepEqual([short.version, short.createdAt.unixSeconds, short.sourceLatestMessageTs], [1, 500, '2.000000']);
  assert.equal(long.mergedThrough, short.id);
  const plain = (value) => JSON.parse(JSON.stringify(value));
  assert.deepEqual(plain(of.reopened().memories()), plain([workspace, long, short, thread]));
});

forEachStore('versions count up and ids grow', (of) => {
  const saved = of.versions('1.0', '2.0', '3.0');
  assert.deepEqual(saved.map(({ version }) => version), [1, 2, 3]);
  assert.ok(saved[0].id < saved[1].id && saved[1].id < saved[2].id);
  assert.ok(of.reopened().longTerm(saved[0]).id > saved[2].id);
});

forEachStore('an overwritten memory takes a greater id and keeps its creation time', (of) => {
  const first = of.save({ mode: 'overwrite', now: time(100) });
  const second = of.save({ mode: 'overwrite', now: time(200), expected: first.id, content: 'newer' });
  assert.ok(second.id > first.id);
  assert.deepEqual([second.version, second.createdAt.unixSeconds, second.updatedAt.unixSeconds], [1, 100, 200]);
  assert.deepEqual(of.memories(), [second]);
});

forEachStore('overwriting replaces all versions', (of) => {
  const [, newest] = of.versions('1.0', '2.0');
  const memory = of.save({ mode: 'overwrite', expected: newest.id });
  assert.deepEqual(of.memories(), [memory]);
  assert.equal(of.save({ expected: memory.id }).version, 2);
});

forEachStore('what is refused writes nothing', (of) => {
  const first = of.save({});
  for (const expected of [undefined, first.id + 1]) assert.throws(() => of.save({ expected }), refused('conflict'));
  const next = { expected: first.id };
  for (const content of ['', ' \n']) assert.throws(() => of.save({ ...next, content }), refused('invalid'));
  of.say('1.0');
  assert.throws(() => of.save({ ...next, sourceMessages: ['1.0', '7.0'] }), refused('invalid', '7'));
  assert.throws(() => of.save({ ...next, sourceMemories: [77] }), refused('invalid', '77'));
  assert.throws(() => of.save({ ...next, mergedThrough: 77 }), refused('invalid', '77'));
  assert.throws(() => of.save({ scopeId: 'C9' }), refused('not-found', 'C9'));
  assert.throws(() => of.thread('C9:1.0', '2.0'), refused('not-found', 'C9'));
  assert.throws(() => of.workspace({ scopeId: 'other' }), refused('invalid', 'other'));
  const line = { start: 0, length: 99, messages: [], byProgram: false };
  assert.throws(() => of.save({ ...next, citations: [line] }), refused('invalid', 'lines'));
  assert.deepEqual(of.memories(), [first]);
});

forEachStore('memories are ordered, and only the scopes asked for are read', (of) => {
  of.channel('C2', 'another');
  of.thread('C1:2.0', '3.0');
  of.thread('C1:1.0', '3.0');
  of.thread('C2:1.0', '3.0');
  of.save({ scopeId: 'C2' });
  of.longTerm(of.versions('1.0', '2.0')[1]);
  of.workspace({ memoryType: 'short-term' });
  of.workspace();
  assert.deepEqual(of.labels(), [
    'default long-term 1', 'default short-term 1', 'C1 long-term 1', 'C1 short-term 1', 'C1 short-term 2', 'C2 short-term 1',
    'C1:1.000000 short-term 1', 'C1:2.000000 short-term 1',
  ]);
  const nothing = { workspace: false, channels: { tag: 'none' }, threads: [] };
  assert.deepEqual(of.labels(nothing), []);
  assert.deepEqual(of.labels({ ...nothing, channels: { tag: 'one', val: 'C2' } }), ['C2 short-term 1']);
  assert.deepEqual(of.labels({ ...nothing, threads: ['C2:1.000000', 'C2:9.0'] }), ['C2:1.000000 short-term 1']);
});

forEachStore('the history limit takes the newest versions, and unmerged ones come however old', (of) => {
  const versions = of.versions('1.0', '2.0', '3.0', '4.0');
  const one = (historyLimit, unmerged) => of.labels({ channels: { tag: 'one', val: 'C1' }, historyLimit, unmerged }).map((label) => label.slice(3));
  assert.deepEqual(one(1, true), ['short-term 1', 'short-term 2', 'short-term 3', 'short-term 4']);
  of.longTerm(versions[1]);
  assert.deepEqual(one(1, true), ['long-term 1', 'short-term 3', 'short-term 4']);
  assert.deepEqual(one(1, false), ['long-term 1', 'short-term 4']);
  assert.deepEqual(one(0, false), ['long-term 1']);
});

forEachStore('memories made after until do not exist yet', (of) => {
  of.say('1.0');
  const first = of.save({ sourceLatestMessageTs: '1.0' });
  const long = of.longTerm(first);
  const second = of.save({ now: time(900), expected: first.id });
  const merged = of.longTerm(second, { now: time(900), expected: long.id });
  const at = (until, historyLimit = 1) => of.memories({ until, historyLimit, unmerged: historyLimit !== 1 }).map(({ id }) => id);
  assert.deepEqual([at('500.0'), at('899.999999')], [[first.id], [first.id]]);
  assert.deepEqual([at('899.999999', 0), at('499.999999', 9)], [[], []]);
  assert.deepEqual([at(undefined), at('900.0')], [[merged.id, second.id], [merged.id, second.id]]);
  assert.throws(() => at('yesterday'), refused('invalid'));
});

forEachStore('a stand-in is version zero beside the versions, until the memory itself is saved', (of) => {
  const first = of.save({});
  const earlier = of.save({ mode: 'stand-in', expected: first.id, now: time(100) });
  const beside = of.save({ mode: 'stand-in', expected: first.id, now: time(200) });
  assert.ok(beside.id > earlier.id);
  assert.deepEqual([beside.version, beside.createdAt.unixSeconds, beside.updatedAt.unixSeconds], [0, 100, 200]);
  assert.deepEqual(of.memories({ historyLimit: 0, unmerged: false }), [beside]);
  for (const mode of ['new-version', 'overwrite', 'stand-in']) assert.throws(() => of.save({ mode, expected: beside.id }), refused('conflict'));
  const before = of.backlog();
  assert.equal(before.shortTermVersion, 1);
  const second = of.save({ expected: first.id });
  assert.deepEqual([second.version, of.memories()], [2, [first, second]]);
});

forEachStore('stand-ins make no workspace due', (of) => {
  const flags = () => [of.due().workspaceLongTerm, of.due().workspaceShortTerm];
  of.save({ mode: 'stand-in' });
  assert.deepEqual(flags(), [false, false]);
  const short = of.save({});
  const draft = { memoryType: 'short-term', mergedThrough: short.id };
  of.workspace({ ...draft, mode: 'stand-in' });
  assert.deepEqual(flags(), [false, true]);
  of.workspace(draft);
  assert.deepEqual(flags(), [false, false]);
  const long = of.longTerm(short);
  assert.deepEqual(flags(), [true, false]);
  of.workspace({ mergedThrough: long.id });
  assert.deepEqual(flags(), [false, false]);
});

forEachStore('deferrals are listed by what they are about, and end with the memory', (of) => {
  const deferral = (memoryType, failures) => ({ memoryType, until: time(900), failures, reason: 'the model failed' });
  const listed = (scope, scopeId) => of.at().listDeferrals(scope, scopeId).map(({ memoryType, failures }) => [memoryType, failures]);
  of.at().defer('channel', 'C1', deferral('short-term', 1));
  of.at().defer('channel', 'C1', deferral('long-term', 2));
  of.at().defer('channel', 'C1', deferral('short-term', 3));
  of.at().defer('thread', 'C1:1.0', deferral('short-term', 4));
  assert.deepEqual(listed('channel', 'C1'), [['long-term', 2], ['short-term', 3]]);
  assert.deepEqual([listed('thread', 'C1:1.000000'), listed('thread', 'C1:2.0')], [[['short-term', 4]], []]);
  of.save({ mode: 'stand-in' });
  assert.throws(() => of.save({ expected: 77 }));
  assert.equal(listed('channel', 'C1').length, 2);
  const made = of.reopened().save({});
  assert.deepEqual(listed('channel', 'C1'), [['long-term', 2]]);
  of.longTerm(made);
  of.thread('C1:1.0', '2.0');
  assert.deepEqual([listed('channel', 'C1'), listed('thread', 'C1:1.0')], [[], []]);
  for (const [scope, id] of [['channel', 'C9'], ['thread', 'C9:1.0']]) {
    assert.throws(() => of.at().defer(scope, id, deferral('short-term', 1)), refused('not-found', 'C9'));
    assert.throws(() => listed(scope, id), refused('not-found', 'C9'));
  }
});

const cited = (lines) => {
  let content = '';
  const citations = lines.map(([line, ...messages]) => {
    const start = [...content].length + (content ? 1 : 0);
    content += `${content ? '\n' : ''}${line}`;
    return { start, length: [...line].length, messages: messages.map((ts) => ({ channelId: 'C1', ts })), byProgram: false };
  });
  return { content, citations };
};

forEachStore('an edit or a deletion erases the lines that were made from the old text, and they wait again', (of) => {
  of.say('1.0', '2.0', '3.0');
  const text = cited([['- あ code', '1.0'], ['- lunch', '2.0'], ['- no source']]);
  const short = of.save({ ...text, sourceMessages: ['1.0', '2.0'], sourceLatestMessageTs: '2.0' });
  const record = { message: { channelId: 'C1', ts: '1.0' }, start: 0, length: 4 };
  of.longTerm(short, { ...cited([['- code', '1.0', '2.0'], ['- lunch', '2.0']]), records: [record], sourceMemories: [short.id] });
  of.at().defer('channel', 'C1', { memoryType: 'long-term', until: time(900), failures: 1, reason: '' });
  assert.equal(of.backlog().newMessageCount, 1);
  of.store.deleteMessage('C1', '1.0');
  const [long, version] = of.reopened().memories({ citations: true });
  assert.deepEqual([version.content, long.content, long.records], ['- lunch', '- lunch', []]);
  assert.deepEqual(version.citations, [{ start: 0, length: 7, messages: [{ channelId: 'C1', ts: '2.0' }], byProgram: false }]);
  assert.deepEqual([of.backlog().newMessageCount, of.backlog().lostLines, of.dueChannels({ windowStart: '0.0' })], [2, true, ['C1']]);
  assert.deepEqual(of.at().listDeferrals('channel', 'C1'), []);
  of.put({ ts: '2.0', text: 'dinner', editedAt: 50 });
  assert.deepEqual(of.memories().map(({ content }) => content), ['-', '-']);
});

forEachStore('a save is a conflict if what its call was given has changed since', (of) => {
  of.say('1.0', '2.0');
  const [reading, other] = [of.at(), of.at()];
  const query = { channelId: 'C1', until: '9.0', limit: 9, keep: 'newest', threadLimit: 0, onlyNew: false };
  reading.listMessages(query);
  of.store.deleteMessage('C1', '1.0');
  assert.throws(() => of.save({ sourceMessages: ['2.0'] }, reading), refused('conflict', 'changed'));
  assert.equal(of.save({ sourceMessages: ['2.0'] }, other).version, 1);
});

forEachStore('what was made from a channel goes elsewhere when it becomes private', (of) => {
  of.channel('C2', 'plans');
  of.put({ channelId: 'C2', ts: '1.0' });
  of.say('2.0');
  const theirs = of.save({ scopeId: 'C2', sourceChannelId: 'C2', sourceMessages: ['1.0'] }, of.at({ channel: 'C2' }));
  const call = of.at();
  call.listMemories({ workspace: true, channels: { tag: 'all' }, historyLimit: 9, unmerged: true, threads: [], citations: false });
  of.save({ sourceMessages: ['2.0'], sourceLatestMessageTs: '2.0' }, call);
  assert.deepEqual(of.labels(), ['C1 short-term 1', 'C2 short-term 1']);
  of.channel('C2', 'plans', true);
  assert.deepEqual(of.reopened().labels(), []);
  assert.equal(of.backlog().newMessageCount, 1);
  assert.deepEqual(of.store.memories().map(({ id }) => id), [theirs.id]);
});
