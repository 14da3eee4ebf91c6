// What the contract asks of a store: what waits, and what is due.

import assert from 'node:assert/strict';
import { forEachStore } from './fixture.js';

const always = { always: true };

forEachStore('a channel that was never summarised is due with a message in the window', (of) => {
  for (const [id, ...all] of [['C0', '9999.0'], ['C2', '4999.9'], ['C3']]) {
    of.channel(id, id);
    for (const ts of all) of.put({ channelId: id, ts });
  }
  of.say('100.0', '5000.0');
  assert.deepEqual(of.dueChannels(), ['C0', 'C1']);
});

forEachStore('a channel is due with a new message when it is idle or full or always', (of) => {
  of.say('6000.0');
  of.longTerm(of.versions('6000.0')[0]);
  assert.deepEqual(of.dueChannels(always), []);
  of.say('9000.000001');
  assert.deepEqual(of.dueChannels(), []);
  for (const query of [always, { idleSince: '9000.000001' }, { messageThreshold: 1 }]) assert.deepEqual(of.dueChannels(query), ['C1']);
});

forEachStore('a channel with an unmerged version is due', (of) => {
  of.say('6000.0');
  const [first, second] = of.versions('6000.0', '6000.0');
  assert.deepEqual([of.dueChannels(), of.backlog().unmergedCount], [['C1'], 2]);
  const merged = of.longTerm(first);
  assert.equal(of.backlog().unmergedCount, 1);
  of.longTerm(second, { expected: merged.id });
  assert.deepEqual(of.dueChannels(), []);
});

forEachStore('messages after until do not exist yet', (of) => {
  of.channel('C2', 'later');
  of.put({ channelId: 'C2', ts: '10001.0' });
  of.say('6000.0', '9500.0', '10001.0', '10002.0');
  of.reply('9500.0', '10003.0');
  const due = of.due();
  assert.deepEqual([due.threads, due.channels], [[], [of.backlog()]]);
  assert.deepEqual([due.channels[0].latestMessageTs, due.channels[0].newMessageCount], ['9500.000000', 2]);
});

forEachStore('late messages wait until a version is made from them', (of) => {
  of.say('1.0', '20.0', '30.0', '60.0');
  const first = of.save({ sourceLatestMessageTs: '30.0', sourceMessages: ['20.0', '30.0'] });
  of.say('10.0', '25.0');
  of.reply('1.0', '26.0');
  const waits = (until) => [of.reopened().backlog(until).newMessageCount, of.backlog(until).lateMessageCount];
  assert.deepEqual([waits('99.0'), waits('25.0')], [[4, 3], [2, 2]]);
  const fresh = (limit, keep, since) => of.ids({ until: '99.0', limit, keep, since, onlyNew: true });
  assert.deepEqual(fresh(9, 'oldest'), ['1.0', '10.0', '25.0', '26.0', '60.0']);
  assert.deepEqual(fresh(2, 'oldest'), ['10.0', '25.0']);
  assert.deepEqual([fresh(1, 'newest'), fresh(9, 'oldest', '26.5')], [['60.0'], ['60.0']]);
  const second = of.save({ expected: first.id, sourceLatestMessageTs: '30.0', sourceMessages: ['10.0', '20.0', '25.0'] });
  assert.deepEqual(waits('99.0'), [2, 1]);
  of.save({ expected: second.id, sourceLatestMessageTs: '60.0', sourceMessages: ['1.0', '26.0', '60.0'] });
  assert.deepEqual([waits('99.0'), fresh(9, 'oldest')], [[0, 0], []]);
});

forEachStore('deleted messages do not wait', (of) => {
  of.say('6000.0');
  of.reply('6000.0', '7000.0');
  of.store.deleteMessage('C1', '7000.0');
  assert.deepEqual([of.dueThreads(), of.backlog().newMessageCount], [[], 1]);
  of.store.deleteMessage('C1', '6000.0');
  assert.deepEqual([of.dueChannels(), of.backlog().latestMessageTs], [[], undefined]);
});

forEachStore('a thread is due with a reply, and again with a new one or a change', (of) => {
  of.say('100.0');
  const inThread = () => of.backlog('10000.0', '100.0');
  assert.deepEqual([of.dueThreads(), inThread().newMessageCount, inThread().latestMessageTs], [[], 0, undefined]);
  of.reply('100.0', '6000.0');
  assert.deepEqual(of.due().threads, [inThread()]);
  assert.deepEqual([of.dueThreads(), inThread().newMessageCount, inThread().latestMessageTs], [['100.000000'], 2, '6000.000000']);
  let { id: expected } = of.thread('C1:100.0', '6000.0');
  assert.deepEqual(of.dueThreads(), []);
  of.put({ ts: '6000.0', threadTs: '100.0', text: 'another', editedAt: 7000 });
  assert.deepEqual([of.dueThreads(), inThread().newMessageCount], [['100.000000'], 1]);
  ({ id: expected } = of.thread('C1:100.0', '6000.0', { expected }));
  assert.deepEqual(of.reopened().dueThreads(), []);
  of.reply('100.0', '6001.0');
  assert.deepEqual([of.dueThreads(), inThread().newMessageCount, inThread().shortTermVersion], [['100.000000'], 1, 1]);
});

forEachStore('a thread whose first message comes late counts it, and one outside the window is not due', (of) => {
  of.reply('6000.0', '7000.0');
  assert.equal(of.backlog('9999.0', '6000.0').newMessageCount, 1);
  of.say('6000.0', '100.0');
  assert.equal(of.backlog('9999.0', '6000.0').newMessageCount, 2);
  of.reply('100.0', '4999.0', '10001.0');
  assert.deepEqual(of.dueThreads(), ['6000.000000']);
});
