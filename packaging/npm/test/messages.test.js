// What the contract asks of a store: channels, messages and finding them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachStore } from './fixture.js';
import { terms } from './package.js';

const refused = (code, text) => ({ name: 'MemoryError', code, message: new RegExp(text) });

forEachStore('unknown names never overwrite known ones', (of) => {
  of.store.putUser({ id: 'U1', name: 'Aki' });
  of.say('1.0');
  of.store.putUser({ id: 'U1' });
  of.store.putChannel({ id: 'C1', name: '' });
  assert.deepEqual(of.at().listChannels(), [{ id: 'C1', name: 'general', isPrivate: false }]);
  assert.equal(of.messages()[0].user.name, 'Aki');
});

forEachStore('a deleted message is not returned and never comes back', (of) => {
  of.store.deleteMessage('C1', '7.0');
  of.say('1.0', '7.0');
  of.reply('1.0', '2.0');
  of.store.deleteMessage('C1', '1.0');
  of.put({ ts: '1.0', editedAt: 9 });
  assert.deepEqual(of.ids(), ['2.0']);
  assert.deepEqual(of.reopened().ids({ limit: 0, wholeThread: '1.0', threadLimit: 9 }), ['2.0']);
});

forEachStore('an edit replaces the text and an older one changes nothing', (of) => {
  of.say('1.0');
  of.put({ ts: '1.0', text: 'second', editedAt: 20 });
  of.put({ ts: '1.0', text: 'first', editedAt: 10 });
  of.say('1.0');
  const [message] = of.reopened().messages();
  assert.deepEqual([message.text, message.editedAt.unixSeconds], ['second', 20]);
});

forEachStore('authors have names and never ids', (of) => {
  of.store.putUser({ id: 'U1', name: 'Aki' });
  of.put({ ts: '1.0', authorName: 'Deploys' });
  of.say('2.0');
  of.put({ ts: '3.0', userId: 'U9' });
  assert.deepEqual(of.messages().map(({ user }) => user.name), ['Deploys', 'Aki', '(unknown user)']);
});

forEachStore('a message of more than 100,000 characters is kept cut, with a note', (of) => {
  const notes = [['log 🙂 ', 'too long]'], ['記録 ', '保存していません]']];
  notes.forEach(([word, note], n) => of.put({ ts: `${n}.1`, text: word.repeat(5_000_000) }));
  of.put({ ts: '2.1', text: '🙂'.repeat(100_000) });
  const texts = of.reopened().messages().map(({ text }) => text);
  assert.deepEqual(texts.map((text) => [...text].length), [100_000, 100_000, 100_000]);
  notes.forEach(([word, note], n) => assert.ok(texts[n].startsWith(word.repeat(9)) && texts[n].endsWith(note)));
  assert.ok(texts[2].endsWith('🙂'));
});

forEachStore('what is no truth value and no whole text is refused by name', (of) => {
  for (const value of ['false', null, 0]) {
    assert.throws(() => of.store.putChannel({ id: 'C1', isPrivate: value }), refused('invalid', 'isPrivate is .*true or false'));
    assert.throws(() => of.store.putUser({ id: 'U1', isBot: value }), refused('invalid', 'isBot is .*true or false'));
  }
  const half = 'a\ud83d';
  assert.throws(() => of.put({ ts: '1.0', text: half }), refused('invalid', "message's text has a lone surrogate"));
  assert.throws(() => of.put({ ts: '1.0', authorName: half }), refused('invalid', "authorName has a lone surrogate"));
  assert.throws(() => of.store.putUser({ id: half }), refused('invalid', 'id of the user has a lone surrogate'));
  assert.throws(() => of.store.putChannel({ id: 'C1', name: half }), refused('invalid', "channel's name has a lone surrogate"));
  for (const change of [{ ts: '999999999999.0' }, { ts: '1.0', editedAt: 2 ** 53 / 1000 }]) {
    assert.throws(() => of.put(change), refused('invalid-time', 'looks like milliseconds'));
  }
  assert.deepEqual(of.reopened().ids(), []);
});

forEachStore('marks of people are found, those of programs are not', (of) => {
  of.store.putUser({ id: 'B1', name: 'Build', isBot: true });
  of.put({ ts: '1.0', text: '@myao remember: the code is blue' });
  of.put({ ts: '2.0', text: '@myao 訂正: 25日' });
  of.put({ ts: '3.0', text: '@myao remember: no', userId: 'B1' });
  of.say('4.0');
  const marked = (limit) => of.at().listMarked('C1', '9.0', limit).map(({ message }) => message.ts[0]);
  assert.deepEqual([marked(9), marked(1)], [['1', '2'], ['2']]);
});

forEachStore('parts of messages are read as they are now, unless they are gone', (of) => {
  of.put({ ts: '1.0', text: 'あ🙂い on Friday' });
  of.say('2.0');
  of.store.deleteMessage('C1', '2.0');
  const span = (ts, start, length) => ({ message: { channelId: 'C1', ts }, start, length });
  const found = of.at().readSpans([span('1.0', 1, 2), span('2.0', 0, 4), span('1.0', 7, 99)]);
  assert.deepEqual(found.map(({ text }) => text), ['🙂い', 'Friday']);
});

forEachStore('a place sees its own messages, and those of public channels by search', (of) => {
  of.channel('C2', 'secret', true);
  of.put({ channelId: 'C2', ts: '1.0', text: 'the crane is broken' });
  of.put({ ts: '2.0', text: 'the crane comes' });
  const seen = (place) => of.found(['crane'], {}, place).messages.map(({ at }) => at.channelId);
  assert.deepEqual(seen({ channel: 'C1' }), ['C1']);
  assert.deepEqual(seen({ channel: 'C2' }), ['C1', 'C2']);
  assert.deepEqual(seen('workspace'), ['C1']);
  assert.deepEqual(of.found(['crane']).counts, [{ term: 'crane', messages: 1 }]);
  assert.deepEqual(of.at().listChannels().map(({ id }) => id), ['C1']);
  assert.throws(() => of.at().listMessages({ channelId: 'C2' }), refused('invalid', 'C2'));
});

forEachStore('candidates are those with the rarest terms, with their neighbours', (of) => {
  of.put({ ts: '1.0', text: 'labels and paper' });
  of.put({ ts: '2.0', text: 'the crane' });
  of.put({ ts: '3.0', text: 'paper again' });
  of.put({ ts: '4.0', text: 'paper' });
  of.put({ ts: '5.0', text: 'nothing' });
  const ids = (query) => of.found(['paper', 'labels'], query).messages.map(({ message }) => message.ts[0]);
  assert.deepEqual(ids(), ['1', '3', '4']);
  assert.deepEqual(ids({ limit: 2 }), ['1', '4']);
  assert.deepEqual(ids({ limit: 1, neighbours: 1 }), ['1', '2']);
  assert.deepEqual(ids({ since: '2.0', until: '3.0' }), ['3']);
  assert.deepEqual(of.found([], { limit: 2 }).messages.map(({ message }) => message.ts[0]), ['4', '5']);
  assert.deepEqual(of.found(['paper']).messageCount, 5);
  const [first] = of.found(['paper', 'crane']).messages;
  assert.deepEqual([first.counts, first.length], [[1, 0], 3]);
});

test('terms are those of the other stores', () => {
  const same = (text, expected) => assert.deepEqual(terms(text), expected, text);
  same('The crane, it comes on March 3rd!', ['the', 'crane', 'it', 'comes', 'on', 'march', '3rd']);
  same('Straße naïve Привет', ['straße', 'naïve', 'привет']);
  same(' — … !?', []);
  same('障害', ['障害']);
  same('林さん、雨', ['林さ', 'さん', '雨']);
  same('預算。サーバー', ['預算', 'サー', 'ーバ', 'バー']);
  same('第3四半期', ['第', '3', '四半', '半期']);
  same('A-1234', ['a', '1234', 'a-1234']);
  same('v1.2.3です', ['v1', '2', '3', 'v1.2.3', 'です']);
  same('see https://example.com/a?b=1', ['see', 'https', 'example', 'com', 'a', 'example.com/a', 'b', '1']);
  same(':party_parrot: 🎉', ['party', 'parrot', 'party_parrot', '🎉']);
  same('a--b c.', ['a', 'b', 'c']);
  same('Alice\'s and Bob’s', ['alice', 'and', 'bob']);
  same("o'clock", ['o', 'clock']);
  same('ＡＰＩ－１２ ｻｰﾊﾞｰ か\u3099ぞう Cafe\u0301 well‑known', terms('api-12 サーバー がぞう CAFÉ well-known'));
  same(`${'x'.repeat(65)} a`, ['a']);
  same('x'.repeat(64), ['x'.repeat(64)]);
});
