"""The database file: its tables, transactions and errors."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime, tzinfo
from datetime import timezone as _timezone
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError, InvalidArgument, StorageError
from ..types import Timestamp

SCHEMA_VERSION = 1

# Ids of messages are numbers: see `_ts`. `version` is the memory that a message was news of, 0 for history; without one
# it waits.
_SCHEMA = """
CREATE TABLE channels (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, is_private INTEGER NOT NULL, lost_lines INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL, is_bot INTEGER NOT NULL);
CREATE TABLE messages (
    channel_id TEXT NOT NULL, ts INTEGER NOT NULL, user_id TEXT NOT NULL, author_name TEXT NOT NULL,
    is_bot INTEGER NOT NULL, text TEXT NOT NULL, thread INTEGER, edited_at INTEGER, is_deleted INTEGER NOT NULL,
    is_pinned INTEGER NOT NULL DEFAULT 0, may_be_mark INTEGER NOT NULL, version INTEGER,
    PRIMARY KEY (channel_id, ts)
) WITHOUT ROWID;
CREATE INDEX messages_by_thread ON messages (channel_id, thread, ts) WHERE thread IS NOT NULL AND is_deleted = 0;
CREATE INDEX messages_that_wait ON messages (channel_id, ts) WHERE version IS NULL AND is_deleted = 0;
CREATE INDEX messages_by_version ON messages (version) WHERE version > 0;
CREATE INDEX marks ON messages (channel_id, ts) WHERE is_deleted = 0 AND (is_pinned OR may_be_mark);
CREATE TABLE terms (term TEXT NOT NULL, channel_id TEXT NOT NULL, ts INTEGER NOT NULL,
    PRIMARY KEY (term, channel_id, ts)) WITHOUT ROWID;
-- What messages mean to an embedder: a signed byte for each dimension.
CREATE TABLE vectors (channel_id TEXT NOT NULL, ts INTEGER NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (channel_id, ts)) WITHOUT ROWID;
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, scope_id TEXT NOT NULL, memory_type TEXT NOT NULL,
    version INTEGER NOT NULL, content TEXT NOT NULL, engine TEXT NOT NULL, created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, source_message_count INTEGER NOT NULL, source_latest INTEGER, merged_through INTEGER,
    citations TEXT NOT NULL, records TEXT NOT NULL, channels TEXT NOT NULL, is_current INTEGER NOT NULL
);
CREATE INDEX current_memories ON memories (scope, scope_id, memory_type, version) WHERE is_current = 1;
CREATE TABLE made_from_messages (memory_id INTEGER NOT NULL, channel_id TEXT NOT NULL, ts INTEGER NOT NULL,
    PRIMARY KEY (channel_id, ts, memory_id)) WITHOUT ROWID;
CREATE TABLE made_from_memories (memory_id INTEGER NOT NULL, source_id INTEGER NOT NULL,
    PRIMARY KEY (source_id, memory_id)) WITHOUT ROWID;
CREATE TABLE deferrals (
    scope TEXT NOT NULL, scope_id TEXT NOT NULL, memory_type TEXT NOT NULL, until INTEGER NOT NULL,
    failures INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (scope, scope_id, memory_type)
) WITHOUT ROWID;
-- Threads with a message that their memory does not have.
CREATE TABLE waiting_threads (
    channel_id TEXT NOT NULL, thread INTEGER NOT NULL, latest INTEGER NOT NULL, has_memory INTEGER NOT NULL,
    is_changed INTEGER NOT NULL, PRIMARY KEY (channel_id, thread)
) WITHOUT ROWID;
"""


class Database:
    """A database file, or a database in memory. Each function is one transaction, so threads and processes may share it."""

    def __init__(self, path: str | Path, *, workspace_id: str = "default", timezone: tzinfo = _timezone.utc):
        """Opens a file, and makes it if it is not there. `:memory:` is a database that ends with the store. Times are shown
        in `timezone`; `workspace_id` is the setting `workspace_scope_id`."""
        self._workspace_id = workspace_id
        self._timezone = timezone
        self._lock = threading.RLock()
        if str(path) != ":memory:":
            _create_private(Path(path))
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=60)
            self._connection.row_factory = sqlite3.Row
            with self._write():
                self._migrate(path)
            self._connection.execute("PRAGMA journal_mode = WAL")
            # Enough with a log: a crash of the program loses nothing.
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA secure_delete = ON")
        except (sqlite3.Error, StorageError) as error:
            raise ConfigurationError("no-database", f"{path} cannot be opened: {error}") from error

    def close(self) -> None:
        """Closes the database."""
        with self._lock:
            self._connection.close()

    def __del__(self) -> None:
        # A store that failed to open has none.
        if hasattr(self, "_connection"):
            self._connection.close()

    def _migrate(self, path: str | Path) -> None:
        version = self._one("PRAGMA user_version")
        if version == 0:
            for statement in filter(str.strip, _SCHEMA.split(";\n")):
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        elif version != SCHEMA_VERSION:
            text = f"{path} has version {version} of the tables, and this package needs {SCHEMA_VERSION}: use the package it is of"
            raise ConfigurationError("incompatible-version", text)

    @contextmanager
    def _write(self) -> Generator[None, None, None]:
        """A transaction: all of it or nothing."""
        with self._lock, _errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _read(self) -> Generator[None, None, None]:
        """A transaction that only reads: it sees one state."""
        with self._lock, _errors():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("COMMIT")

    def _run(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        return self._connection.execute(sql, parameters)

    def _all(self, sql: str, *parameters: Any) -> list[Any]:
        return self._connection.execute(sql, parameters).fetchall()

    def _one(self, sql: str, *parameters: Any) -> Any:
        """The first value of the first row; `None` without one."""
        row = self._connection.execute(sql, parameters).fetchone()
        return row[0] if row else None

    def _time(self, unix_seconds: int) -> Timestamp:
        """A time with the offset in which it is shown."""
        offset = datetime.fromtimestamp(unix_seconds, self._timezone).utcoffset()
        return Timestamp(unix_seconds, int(offset.total_seconds()) if offset else 0)


def _create_private(path: Path) -> None:
    """Makes a file that only this user may read: it holds what people wrote."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise ConfigurationError("no-database", f"{path} cannot be opened: {error.strerror}") from error


@contextmanager
def _errors() -> Generator[None, None, None]:
    """Errors of the database as those of the contract: it may be full, locked or gone."""
    try:
        yield
    except sqlite3.Error as error:
        raise StorageError("unavailable", f"the database: {error}") from error
    except UnicodeEncodeError:
        raise InvalidArgument("lone-surrogate", "a text has a lone surrogate: expected whole characters") from None
