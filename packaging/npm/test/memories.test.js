// What changes take away from memories, and from whom. What the contract says of a store, tests/conformance/ checks.

import assert from 'node:assert/strict';
import { forEachStore, time } from './fixture.js';

const refused = (code, text = '') => ({ name: 'MemoryError', code, message: new RegExp(text) });

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
