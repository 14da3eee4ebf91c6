"""The database beside that of the memory: which event is which message, how far the bot has read, and what it answered.

Everything here may happen twice: after a crash, events come again.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from myao import ConfigurationError

VERSION = 1
SEQUENCES = 1_000_000
# `ts` is the memory's id of a message, as a number: the second in which it was sent, and a sequence. A message that was
# taken back before it was seen has none. `changed` counts up with every change of any message.
_SCHEMA = """
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE rooms (id TEXT PRIMARY KEY, is_private INTEGER NOT NULL, is_encrypted INTEGER NOT NULL, is_read INTEGER NOT NULL);
CREATE TABLE members (room_id TEXT NOT NULL, user_id TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (room_id, user_id));
CREATE TABLE messages (
    event_id TEXT PRIMARY KEY, room_id TEXT NOT NULL, ts INTEGER, sender TEXT NOT NULL, thread TEXT,
    edit_ms INTEGER NOT NULL DEFAULT 0, edit_id TEXT NOT NULL DEFAULT '', edited_at INTEGER,
    changed INTEGER NOT NULL DEFAULT 0, is_gone INTEGER NOT NULL DEFAULT 0, UNIQUE (room_id, ts)
);
CREATE TABLE edits (event_id TEXT PRIMARY KEY, of TEXT NOT NULL);
CREATE TABLE answers (
    mention TEXT PRIMARY KEY, room_id TEXT NOT NULL, state TEXT NOT NULL, text TEXT, notifies TEXT, event_id TEXT,
    round INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0, due_at REAL NOT NULL DEFAULT 0
);
CREATE INDEX open_answers ON answers (state, due_at) WHERE state IN ('waiting', 'written', 'taken-back');
CREATE TABLE sources (mention TEXT NOT NULL, event_id TEXT NOT NULL, PRIMARY KEY (event_id, mention)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Kept:
    """A message's place in the memory."""

    ts: str
    thread: str | None
    edited_at: int | None


@dataclass
class Change:
    """What follows from an edit or a redaction."""

    edited: Kept | None = None
    """The message to give its new text."""
    deleted: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Rooms and ids of messages to delete: what was redacted, and answers that were made from it."""
    reread: str | None = None
    """A message that lost its edit: its text is what the homeserver says."""


def ts_text(ts: int) -> str:
    """The memory's id of a message."""
    return f"{ts // SEQUENCES}.{ts % SEQUENCES:06}"


def ts_key(ts: str) -> int:
    """The same as a number."""
    seconds, _, sequence = ts.partition(".")
    return int(seconds) * SEQUENCES + int(sequence)


class Database:
    """The database. Each function is one transaction; any thread may call them."""

    def __init__(self, path: Path):
        self._lock = threading.RLock()
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
            self._connection.row_factory = sqlite3.Row
            # Two bots on one database would answer everything twice.
            self._run("PRAGMA locking_mode = EXCLUSIVE")
            self._run("PRAGMA journal_mode = WAL")
            self._run("PRAGMA secure_delete = ON")
            with self._write():
                version = self._one("PRAGMA user_version")
                if version == 0:
                    for statement in filter(str.strip, _SCHEMA.split(";\n")):
                        self._run(statement)
                    self._run(f"PRAGMA user_version = {VERSION}")
        except (OSError, sqlite3.Error) as error:
            text = f"{path} cannot be opened: {error}. Is another bot running with it?"
            raise ConfigurationError("no-database", text) from error
        if version not in (0, VERSION):
            text = f"{path} has version {version} of the tables, and this plugin needs {VERSION}: use the plugin it is of"
            raise ConfigurationError("incompatible-version", text)

    def close(self) -> None:
        """Closes the database."""
        with self._lock:
            self._connection.close()

    def alone(self) -> AbstractContextManager[bool]:
        """Keeps other threads from the database meanwhile."""
        return self._lock

    @contextmanager
    def _write(self) -> Generator[None, None, None]:
        with self._lock:
            self._run("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._run("ROLLBACK")
                raise
            self._run("COMMIT")

    def _run(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        return self._connection.execute(sql, parameters)

    def _all(self, sql: str, *parameters: Any) -> list[Any]:
        return self._run(sql, *parameters).fetchall()

    def _one(self, sql: str, *parameters: Any) -> Any:
        row = self._run(sql, *parameters).fetchone()
        return row[0] if row else None

