// What a store in a file has to do besides what every store does.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqliteStore, hasSqlite } from './package.js';

const skip = !hasSqlite;
const refused = (code, text) => ({ name: 'MemoryError', code, message: text });

function folder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'myao-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function filled(database) {
  const store = new SqliteStore(database);
  store.putChannel({ id: 'C1', name: 'general', isPrivate: false });
  store.putUser({ id: 'U1', name: 'aki' });
  store.putMessage({ channelId: 'C1', ts: '1.0', userId: 'U1', text: 'the code is zebra-4711' });
  return store;
}

const texts = (store) => {
  const query = { channelId: 'C1', until: '9.0', limit: 9, keep: 'newest', threadLimit: 0, onlyNew: false };
  return store.at({ channel: 'C1' }).listMessages(query).map(({ text }) => text);
};

test('what is needed is said where there is no database', { skip: hasSqlite }, () => {
  assert.throws(() => new SqliteStore('store.db'), refused('unsupported', /Node 22\.5 or newer.*better-sqlite3/));
});

test('what takes no path or database is refused', () => {
  assert.throws(() => new SqliteStore(undefined), refused('invalid-options', /a path or an open database/));
});

test('one process has the file at a time', { skip }, (t) => {
  const path = join(folder(t), 'store.db');
  const store = filled(path);
  assert.throws(() => new SqliteStore(path), refused('unavailable', /another process has it/));
  store.close();
  const again = new SqliteStore(path);
  assert.deepEqual(texts(again), ['the code is zebra-4711']);
  again.close();
});

test('what could not be written did not happen', { skip }, () => {
  const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite');
  const real = new DatabaseSync(':memory:');
  let isFull = false;
  const database = {
    exec: (sql) => {
      if (isFull && sql === 'COMMIT') throw new Error('database or disk is full');
      return real.exec(sql);
    },
    prepare: (sql) => real.prepare(sql),
    close: () => real.close(),
  };
  const store = filled(database);
  isFull = true;
  const edit = { channelId: 'C1', ts: '1.0', userId: 'U1', text: 'another', editedAt: 5 };
  assert.throws(() => store.putMessage(edit), refused('unavailable', /disk is full/));
  assert.throws(() => store.deleteMessage('C1', '1.0'), refused('unavailable', /disk is full/));
  assert.deepEqual(texts(store), ['the code is zebra-4711']);
  isFull = false;
  store.putMessage(edit);
  assert.deepEqual([texts(store), texts(new SqliteStore(database))], [['another'], ['another']]);
});

test('deleted text is not in the file any more', { skip }, (t) => {
  const path = join(folder(t), 'store.db');
  const store = filled(path);
  assert.ok(readFileSync(path).includes('zebra-4711'));
  store.deleteMessage('C1', '1.0');
  store.close();
  assert.ok(!readFileSync(path).includes('zebra-4711'));
});

test('a file of a newer package is refused', { skip }, (t) => {
  const path = join(folder(t), 'store.db');
  const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 2');
  database.close();
  assert.throws(() => new SqliteStore(path), refused('incompatible', /format 2, and this package knows 1/));
});
