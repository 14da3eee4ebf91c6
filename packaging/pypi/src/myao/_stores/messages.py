"""What people write: filling a store, and reading channels and messages."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Union

from .. import _given
from .._ts import SEQUENCES, key, text
from ..errors import StorageError
from ..storage import Marked, MessageQuery
from ..terms import terms
from ..types import Channel, KeptSpan, KeptText, Message, Timestamp, User
from .database import Database

Now = Union[int, float, datetime, Timestamp]
# The name of a user without one. It must not look like a name, and must never be an id.
_UNKNOWN_USER = "(unknown user)"
# The contract's limit on messages.
_MOST_CHARS = 100_000
_NOTE_JA = "\n[長すぎるため、続きは保存していません]"
_NOTE_EN = "\n[the rest is not kept: it is too long]"
# A mark begins with a mention, and has one of these words near its beginning. The component reads whether it is one.
_MARK = re.compile(r"\s*@.{0,300}?(remember|覚えて|correction|訂正)", re.IGNORECASE | re.DOTALL)


class Messages(Database):
    """Channels, people and messages."""

    def add_channel(self, id: str, name: str, *, is_private: bool) -> None:
        """Adds a channel, or tells what is new of it. What is said in a private one is shown nowhere else. If a channel
        becomes private, what was made from it elsewhere goes, and is made again without it."""
        _given.flag(is_private, "is_private")
        with self._write():
            was_private = self._one("SELECT is_private FROM channels WHERE id = ?", id)
            self._run(
                "INSERT INTO channels (id, name, is_private) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " name = iif(excluded.name = '', name, excluded.name), is_private = excluded.is_private",
                *(id, name, is_private),
            )
            if was_private == 0 and is_private:
                self._withdraw(id)

    def add_user(self, id: str, name: str, *, is_bot: bool = False) -> None:
        """Adds a person or program, or tells what is new of one."""
        _given.flag(is_bot, "is_bot")
        with self._write():
            self._run(
                "INSERT INTO users (id, name, is_bot) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " name = iif(excluded.name = '', name, excluded.name), is_bot = excluded.is_bot",
                *(id, name, is_bot),
            )

    def say(self, channel_id: str, user_id: str, said: str, now: Now, thread_ts: str | None = None) -> str:
        """Adds a message that is said now, and returns its id. Somebody who is not known yet is called by that id."""
        seconds = _given.time(now).unix_seconds
        with self._write():
            self._run("INSERT OR IGNORE INTO users (id, name, is_bot) VALUES (?, ?, 0)", user_id, user_id)
            first = seconds * SEQUENCES
            query = "SELECT max(ts) FROM messages WHERE channel_id = ? AND ts BETWEEN ? AND ?"
            newest = self._one(query, channel_id, first, first + SEQUENCES - 2)
            ts = text(first + 1 if newest is None else newest + 1)
            self._add_message(channel_id, ts, user_id, said, thread_ts, None, "", False)
        return ts

    def add_message(
        self,
        channel_id: str,
        ts: str,
        user_id: str,
        said: str,
        *,
        thread_ts: str | None = None,
        edited_at: int | None = None,
        author_name: str = "",
        is_bot: bool = False,
    ) -> None:
        """Adds a message with its id, or takes an edit in: the newest edit counts, in whatever order they come. A message
        that was deleted does not come back. `author_name` is the name that it was posted under, if it has its own. Of more
        than 100,000 characters the rest is not kept, and a note at the end says so."""
        _given.flag(is_bot, "is_bot")
        with self._write():
            self._add_message(channel_id, ts, user_id, said, thread_ts, edited_at, author_name, is_bot)

    def delete_message(self, channel_id: str, ts: str) -> None:
        """Deletes a message: its text, and the lines of memories that were made from it."""
        with self._write():
            stored = self._stored(channel_id, key(ts))
            if stored and stored["is_deleted"]:
                return
            self._run(
                "INSERT INTO messages (channel_id, ts, user_id, author_name, is_bot, text, is_deleted, may_be_mark)"
                " VALUES (?, ?, '', '', 0, '', 1, 0) ON CONFLICT (channel_id, ts) DO UPDATE SET text = '', is_deleted = 1",
                *(channel_id, key(ts)),
            )
            if stored:
                self._reworded(channel_id, key(ts), stored["thread"])

    def pin_message(self, channel_id: str, ts: str, is_pinned: bool = True) -> None:
        """Notes that a member pinned a message, or took the pin away."""
        _given.flag(is_pinned, "is_pinned")
        with self._write():
            self._run(
                "UPDATE messages SET is_pinned = ? WHERE channel_id = ? AND ts = ?", is_pinned, channel_id, key(ts)
            )

    def _add_message(
        self, channel_id: str, ts: str, user_id: str, said: str, thread_ts: str | None,
        edited_at: int | None, author_name: str, is_bot: bool,
    ) -> None:  # fmt: skip
        self._channel(channel_id)
        said = _cut(said)
        at, thread = key(ts), None if thread_ts is None else key(thread_ts)
        thread = None if thread == at else thread
        _given.time(at // SEQUENCES, "ts")
        _given.time(edited_at or 0, "edited_at")
        stored = self._stored(channel_id, at)
        if stored and (stored["is_deleted"] or (stored["edited_at"] or 0) >= (edited_at or 0)):
            return
        mark = bool(_MARK.match(said)) and not is_bot
        self._run(
            "INSERT INTO messages (channel_id, ts, user_id, author_name, is_bot, text, thread, edited_at, is_deleted, may_be_mark)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT (channel_id, ts) DO UPDATE SET user_id = excluded.user_id,"
            " author_name = excluded.author_name, is_bot = excluded.is_bot, text = excluded.text, thread = excluded.thread,"
            " edited_at = excluded.edited_at, may_be_mark = excluded.may_be_mark",
            *(channel_id, at, user_id, author_name, is_bot, said, thread, edited_at, mark),
        )
        if stored and stored["text"] != said:
            self._reworded(channel_id, at, stored["thread"])
        self._run("DELETE FROM terms WHERE channel_id = ? AND ts = ?", channel_id, at) if stored else None
        rows = [(term, channel_id, at) for term in set(terms(said))]
        self._connection.executemany("INSERT INTO terms (term, channel_id, ts) VALUES (?, ?, ?)", rows)
        if not stored:
            self._thread_waits(channel_id, at if thread is None else thread, at)

    def _reworded(self, channel_id: str, ts: int, thread: int | None) -> None:
        """What a message said is gone from everything that was made from it, and its thread has changed."""
        self._run("DELETE FROM terms WHERE channel_id = ? AND ts = ?", channel_id, ts)
        self._run("DELETE FROM vectors WHERE channel_id = ? AND ts = ?", channel_id, ts)
        self._thread_waits(channel_id, ts if thread is None else thread, None)
        self._erase(channel_id, ts)

    def _thread_waits(self, channel_id: str, thread: int, late: int | None) -> None:
        """A thread has a message that its memory does not have, or one that reads differently."""
        raise NotImplementedError

    def _erase(self, channel_id: str, ts: int) -> None:
        """Erases the lines of memories that were made from a message."""
        raise NotImplementedError

    def _withdraw(self, channel_id: str) -> None:
        """Takes back what was made elsewhere from a channel that became private."""
        raise NotImplementedError

    def list_channels(self) -> list[Channel]:
        """See `Storage`."""
        with self._read():
            return list(map(_channel, self._all("SELECT * FROM channels ORDER BY iif(name = '', id, name), id")))

    def list_messages(self, query: MessageQuery) -> list[Message]:
        """See `Storage`."""
        until = key(query.until)
        since = 0 if query.since is None else key(query.since)
        whole = None if query.whole_thread is None else key(query.whole_thread)
        with self._read():
            self._channel(query.channel_id)
            shown = "FROM messages WHERE channel_id = ? AND is_deleted = 0 AND ts <= ?"
            bounds = [query.channel_id, until]
            sql, parameters = f"SELECT ts {shown} AND ts >= ?", [*bounds, since]
            if whole is not None:
                sql, parameters = f"{sql} AND ts <> ? AND thread IS NOT ?", [*parameters, whole, whole]
            if query.only_new and self._has_version(query.channel_id):
                sql += " AND version IS NULL"
            if query.keep == "newest-top-level":
                sql += " AND thread IS NULL"
            order = "ASC" if query.keep == "oldest" else "DESC"
            picked = {row[0] for row in self._all(f"{sql} ORDER BY ts {order} LIMIT ?", *parameters, query.limit)}
            if whole is not None:
                picked.add(whole)
                replies = f"SELECT ts {shown} AND thread = ? ORDER BY ts DESC LIMIT ?"
                picked |= {row[0] for row in self._all(replies, *bounds, whole, query.thread_limit)}
            found = self._rows(query.channel_id, picked)
            first = {row["thread"] for row in found if row["thread"] is not None and row["thread"] <= until} - picked
            found += self._rows(query.channel_id, first)
            found = [row for row in found if row["ts"] <= until]
            return [self._message(row, until) for row in sorted(found, key=lambda row: row["ts"])]

    def list_marked(self, channel_id: str, until: str, limit: int) -> list[Marked]:
        """See `Storage`. This store does not know who is a guest: tell it only what members wrote."""
        with self._read():
            self._channel(channel_id)
            rows = self._all(
                "SELECT messages.* FROM messages LEFT JOIN users ON id = user_id WHERE channel_id = ? AND ts <= ?"
                " AND is_deleted = 0 AND (is_pinned OR may_be_mark) AND (is_pinned OR ifnull(users.is_bot, 0) = 0)"
                " ORDER BY ts DESC LIMIT ?",
                *(channel_id, key(until), limit),
            )
            return [Marked(self._message(row, key(until)), bool(row["is_pinned"])) for row in reversed(rows)]

    def read_spans(self, spans: list[KeptSpan]) -> list[KeptText]:
        """See `Storage`."""
        texts = list[KeptText]()
        with self._read():
            for span in spans:
                for row in self._rows(span.message.channel_id, {key(span.message.ts)}):
                    message = self._message(row, None)
                    part = message.text[span.start : span.start + span.length]
                    texts.append(KeptText(span, message.user, message.timestamp, part))
        return texts

    def _stored(self, channel_id: str, ts: int) -> Any:
        return self._run("SELECT * FROM messages WHERE channel_id = ? AND ts = ?", channel_id, ts).fetchone()

    def _rows(self, channel_id: str, keys: set[int]) -> list[Any]:
        """Messages that are not deleted."""
        sql = "SELECT * FROM messages WHERE channel_id = ? AND ts = ? AND is_deleted = 0"
        return [row for at in keys for row in self._all(sql, channel_id, at)]

    def _message(self, row: Any, until: int | None) -> Message:
        """A message as the component sees it at a time. The first message of a thread names it once there is a reply."""
        user = self._run("SELECT name, is_bot FROM users WHERE id = ?", row["user_id"]).fetchone()
        thread = row["thread"]
        if thread is None and until is not None and self._has_replies(row["channel_id"], row["ts"], until):
            thread = row["ts"]
        name = row["author_name"] or (user["name"] if user else "") or _UNKNOWN_USER
        return Message(
            text(row["ts"]),
            User(row["user_id"], name, bool(row["is_bot"] or (user and user["is_bot"]))),
            row["text"],
            self._time(row["ts"] // SEQUENCES),
            None if thread is None else text(thread),
            None if row["edited_at"] is None else self._time(row["edited_at"]),
        )

    def _has_replies(self, channel_id: str, thread: int, until: int) -> bool:
        sql = "SELECT 1 FROM messages WHERE channel_id = ? AND thread = ? AND is_deleted = 0 AND ts <= ? LIMIT 1"
        return self._one(sql, channel_id, thread, until) is not None

    def _has_version(self, channel_id: str) -> bool:
        raise NotImplementedError

    def _channel(self, id: str) -> Channel:
        row = self._run("SELECT * FROM channels WHERE id = ?", id).fetchone()
        if row is None:
            raise StorageError("not-found", f"channel {id} is not stored: add it first")
        return _channel(row)


def _cut(said: str) -> str:
    """A message that is too long is cut, with a note at its end that says so."""
    if len(said) <= _MOST_CHARS:
        return said
    note = _NOTE_JA if re.search("[ぁ-ヿ一-鿿]", said[: _MOST_CHARS - len(_NOTE_EN)]) else _NOTE_EN
    return said[: _MOST_CHARS - len(note)] + note


def _channel(row: Any) -> Channel:
    return Channel(row["id"], row["name"] or row["id"], bool(row["is_private"]))
