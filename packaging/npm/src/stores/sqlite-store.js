// A workspace in a SQLite file: see index.d.ts.

import { createRequire } from 'node:module';
import { MemoryError } from '../errors.js';
import { MemoryStore } from './memory-store.js';
import { State } from './state.js';

/** @import {SqliteDatabase} from '../../index.d.ts' */

/** The format of the file. */
const FORMAT = 1;

export class SqliteStore extends MemoryStore {
  #database;
  #isOwn;

  /** @param {string | SqliteDatabase} file @param {import('../../index.d.ts').StoreOptions} [options] */
  constructor(file, options) {
    const isOwn = typeof file === 'string';
    if (!isOwn && typeof file?.exec !== 'function') throw new MemoryError('invalid-options', 'SqliteStore takes a path or an open database');
    const database = isOwn ? open(file) : file;
    super(options, read(database));
    this.#database = database;
    this.#isOwn = isOwn;
  }

  /** @template T @param {State} state @param {(state: State) => T} change @returns {T} */
  change(state, change) {
    const database = this.#database;
    try {
      const result = change(state);
      if (!state.isChanged()) return result;
      database.exec('BEGIN IMMEDIATE');
      write(database, state);
      database.exec('COMMIT');
      for (const name of State.TABLES) state[name].changed.clear();
      return result;
    } catch (error) {
      // What could not be written did not happen: the file has what was before.
      if (state.isChanged()) {
        rollBack(database);
        state.replace(rows(database));
      }
      if (error instanceof MemoryError) throw error;
      throw new MemoryError('unavailable', `the database could not be written: ${/** @type {Error} */ (error).message}`, { cause: error });
    }
  }

  close() {
    if (this.#isOwn) this.#database.close();
  }
}

/** @param {string} path @returns {SqliteDatabase} */
function open(path) {
  let sqlite;
  try {
    sqlite = createRequire(import.meta.url)('node:sqlite');
  } catch (cause) {
    const text = 'SqliteStore needs node:sqlite (Node 22.5 or newer), or a database of better-sqlite3: `new SqliteStore(new Database(path))`';
    throw new MemoryError('unsupported', text, { cause });
  }
  return new sqlite.DatabaseSync(path);
}

/** Takes the file for this process, and reads all that is in it. @param {SqliteDatabase} database */
function read(database) {
  try {
    // Deleted text is overwritten.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON; BEGIN EXCLUSIVE;');
  } catch (cause) {
    throw new MemoryError('unavailable', `the database cannot be opened, or another process has it: ${/** @type {Error} */ (cause).message}`, { cause });
  }
  const [{ user_version: format }] = /** @type {any[]} */ (database.prepare('PRAGMA user_version').all());
  if (format > FORMAT) {
    rollBack(database);
    throw new MemoryError('incompatible', `the database has format ${format}, and this package knows ${FORMAT}: take a newer package`);
  }
  for (const name of State.TABLES) database.exec(`CREATE TABLE IF NOT EXISTS ${name} (id TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT`);
  database.exec(`PRAGMA user_version = ${FORMAT}; COMMIT`);
  const state = new State();
  state.replace(rows(database));
  return state;
}

/** @param {SqliteDatabase} database */
const rows = (database) => (/** @type {string} */ table) =>
  /** @type {{ id: string, value: string }[]} */ (database.prepare(`SELECT id, value FROM ${table}`).all()).map(
    ({ id, value }) => /** @type {[string, any]} */ ([id, JSON.parse(value)]),
  );

/** Writes what changed. @param {SqliteDatabase} database @param {State} state */
function write(database, state) {
  for (const name of State.TABLES) {
    const table = state[name];
    if (table.changed.size === 0) continue;
    const put = database.prepare(`INSERT INTO ${name} (id, value) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET value = excluded.value`);
    const remove = database.prepare(`DELETE FROM ${name} WHERE id = ?`);
    for (const id of table.changed) {
      if (table.has(id)) put.run(id, JSON.stringify(table.get(id)));
      else remove.run(id);
    }
  }
}

/** @param {SqliteDatabase} database */
function rollBack(database) {
  try {
    database.exec('ROLLBACK');
  } catch {
    // There was no transaction.
  }
}
