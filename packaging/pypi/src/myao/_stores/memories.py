"""What the component saved: memories and deferrals."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from .._ts import SEQUENCES, key, text
from ..errors import StorageError
from ..storage import Deferral, Given, MemoryDraft, MemoryQuery, One, StoredMemory
from ..types import Citation, KeptSpan, MessageRef, Scope
from . import lines
from .messages import Messages

_ORDER = "iif(scope = 'workspace', 0, iif(scope = 'channel', 1, 2)), scope_id, memory_type, version"
_SERIES = "scope = ? AND scope_id = ? AND memory_type = ? AND is_current = 1"


class Memories(Messages):
    """Memories and deferrals."""

    def list_memories(self, query: MemoryQuery) -> list[StoredMemory]:
        """See `Storage`."""
        until = None if query.until is None else key(query.until) // SEQUENCES
        with self._read():
            heads = list[Any]()
            if query.workspace:
                heads += self._heads("scope = 'workspace'")
            if isinstance(query.channels, One):
                heads += self._heads("scope = 'channel' AND scope_id = ?", query.channels.channel_id)
            elif query.channels == "all":
                heads += self._heads("scope = 'channel'")
            for scope_id in query.threads:
                heads += self._heads("scope = 'thread' AND scope_id = ?", _scope_id("thread", scope_id))
            merged = {
                head["scope_id"]: head["merged_through"] or 0 for head in heads if _is(head, "channel", "long-term")
            }
            heads = [head for head in heads if until is None or head["updated_at"] <= until]
            versions = defaultdict[str, list[Any]](list)
            for head in heads:
                if _is(head, "channel", "short-term") and head["version"] > 0:
                    versions[head["scope_id"]].append(head)
            left_out = set[int]()
            for scope_id, of_channel in versions.items():
                unmerged = sum(head["id"] > merged.get(scope_id, 0) for head in of_channel) if query.unmerged else 0
                kept = max(query.history_limit, unmerged)
                left_out |= {head["id"] for head in of_channel[: max(0, len(of_channel) - kept)]}
            wanted = [head["id"] for head in heads if head["id"] not in left_out]
            return [self._memory(id, citations=query.citations) for id in dict.fromkeys(wanted)]

    def _heads(self, where: str, *parameters: Any) -> list[Any]:
        """Current memories without their texts."""
        columns = "id, scope, scope_id, memory_type, version, updated_at, merged_through"
        return self._all(
            f"SELECT {columns} FROM memories WHERE is_current = 1 AND {where} ORDER BY {_ORDER}", *parameters
        )

    def memories(self) -> list[StoredMemory]:
        """Every memory there is, ordered by scope, scope id, type and version."""
        with self._read():
            return [self._memory(head["id"], citations=True) for head in self._heads("1")]

    def _memory(self, id: int, *, citations: bool) -> StoredMemory:
        row = self._run("SELECT * FROM memories WHERE id = ?", id).fetchone()
        cited, records = list[Citation](), list[KeptSpan]()
        if citations:
            cited = [
                Citation(start, length, messages, bool(messages) and all(map(self._is_by_program, messages)))
                for start, length, messages in lines.read(row["citations"])
            ]
            records = [KeptSpan(messages[0], start, length) for start, length, messages in lines.read(row["records"])]
        return StoredMemory(
            row["id"],
            row["scope"],
            row["scope_id"],
            row["memory_type"],
            row["version"],
            row["content"],
            row["engine"],
            self._time(row["created_at"]),
            self._time(row["updated_at"]),
            row["source_message_count"],
            None if row["source_latest"] is None else text(row["source_latest"]),
            row["merged_through"],
            cited,
            records,
        )

    def _is_by_program(self, of: MessageRef) -> bool:
        sql = "SELECT 1 FROM messages LEFT JOIN users ON id = user_id WHERE channel_id = ? AND ts = ?"
        return self._one(f"{sql} AND (messages.is_bot OR users.is_bot)", of.channel_id, key(of.ts)) is not None

    def channels_of(self, memory_ids: list[int]) -> list[list[str] | None]:
        """See `Storage`."""
        with self._read():
            found = [self._one("SELECT channels FROM memories WHERE id = ?", id) for id in memory_ids]
        return [None if channels is None else json.loads(channels) for channels in found]

    def save_memory(self, draft: MemoryDraft, given: Given) -> StoredMemory:
        """See `Storage`. Everything is checked before anything is written."""
        with self._write():
            scope_id = self._subject(draft.scope, draft.scope_id)
            self._check(draft, given)
            series = (draft.scope, scope_id, draft.memory_type)
            newest = self._run(
                f"SELECT id, version FROM memories WHERE {_SERIES} AND version > 0 ORDER BY version DESC LIMIT 1",
                *series,
            ).fetchone()
            if draft.expected != (newest and newest["id"]):
                raise StorageError("conflict", f"the newest memory of {scope_id} is another one: read again")
            is_first = draft.scope != "channel" or not self._has_version(scope_id)
            numbers = {"overwrite": 1, "new-version": newest["version"] + 1 if newest else 1, "stand-in": 0}
            version = numbers[draft.mode]
            created_at = self._one(f"SELECT created_at FROM memories WHERE {_SERIES} AND version = ?", *series, version)
            replaced = "" if draft.mode == "overwrite" else " AND version = 0"
            self._run(f"UPDATE memories SET is_current = 0 WHERE {_SERIES}{replaced}", *series)
            latest = draft.source_latest_message_ts
            id = self._run(
                "INSERT INTO memories (scope, scope_id, memory_type, version, content, engine, created_at, updated_at,"
                " source_message_count, source_latest, merged_through, citations, records, channels, is_current)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
                *series,
                version,
                draft.content,
                draft.engine,
                created_at if created_at is not None else draft.now.unix_seconds,
                draft.now.unix_seconds,
                draft.source_message_count,
                None if latest is None else key(latest),
                draft.merged_through,
                lines.write([(line.start, line.length, line.messages) for line in draft.citations]),
                lines.write([(span.start, span.length, [span.message]) for span in draft.records]),
                json.dumps(sorted(set(given.channels))),
            ).lastrowid
            assert id is not None
            self._keep_sources(id, draft, given)
            if draft.mode != "stand-in":
                self._run("DELETE FROM deferrals WHERE scope = ? AND scope_id = ? AND memory_type = ?", *series)
                if draft.scope == "thread":
                    self._thread_is_made(scope_id)
                elif draft.scope == "channel" and draft.memory_type == "short-term":
                    self._settle(scope_id, id, draft, is_first)
            return self._memory(id, citations=True)

    def _check(self, draft: MemoryDraft, given: Given) -> None:
        """Refuses an invalid draft, and one whose call was given what reads differently by now."""
        if not draft.content.strip():
            raise StorageError("invalid", f"the text of the memory of {draft.scope_id} is empty: save nothing instead")
        if not lines.are_in_order(draft.content, draft.citations):
            raise StorageError("invalid", f"the citations of the memory of {draft.scope_id} are not lines of its text")
        for id in [*draft.source_memories, *([] if draft.merged_through is None else [draft.merged_through])]:
            if self._one("SELECT 1 FROM memories WHERE id = ?", id) is None:
                raise StorageError("invalid", f"memory {id} does not exist in this workspace")
        if draft.source_messages:
            self._channel(draft.source_channel_id)
        cited = [of for line in draft.citations for of in line.messages] + [span.message for span in draft.records]
        for of in cited + [MessageRef(draft.source_channel_id, ts) for ts in draft.source_messages]:
            # A message that was deleted after the component read it is stored.
            if self._stored(of.channel_id, key(of.ts)) is None:
                raise StorageError("invalid", f"message {of.ts} of channel {of.channel_id} is not stored")
        own = draft.scope_id.rpartition(":")[0] if draft.scope == "thread" else draft.scope_id
        for channel_id in given.channels:
            if channel_id != own and self._one("SELECT is_private FROM channels WHERE id = ?", channel_id) != 0:
                raise StorageError(
                    "conflict", f"what this memory was made from may not be shown to {own} any more: read again"
                )
        for (channel_id, ts), said in given.messages.items():
            stored = self._stored(channel_id, key(ts))
            if stored is None or stored["is_deleted"] or stored["text"] != said:
                raise StorageError(
                    "conflict", "a message that this memory was made from has changed or gone: read again"
                )
        for id, content in given.memories.items():
            if self._one("SELECT content FROM memories WHERE id = ?", id) != content:
                raise StorageError("conflict", "a memory that this one was made from has changed or gone: read again")

    def _keep_sources(self, id: int, draft: MemoryDraft, given: Given) -> None:
        """Notes what a line without a source may hold. Of the channel's own memories a channel's memory says itself which
        it was made from: its call was also given those that it replaces."""
        messages = set(given.messages) | {(draft.source_channel_id, ts) for ts in draft.source_messages}
        messages |= {(of.channel_id, of.ts) for line in draft.citations for of in line.messages}
        rows = {(id, channel_id, key(ts)) for channel_id, ts in messages}
        self._connection.executemany(
            "INSERT INTO made_from_messages (memory_id, channel_id, ts) VALUES (?, ?, ?)", rows
        )
        own = "SELECT 1 FROM memories WHERE id = ? AND scope = 'channel' AND scope_id = ?"
        sources = set(draft.source_memories)
        for source in given.memories:
            if draft.scope != "channel" or self._one(own, source, draft.scope_id) is None:
                sources.add(source)
        rows = [(id, source) for source in sources]
        self._connection.executemany("INSERT INTO made_from_memories (memory_id, source_id) VALUES (?, ?)", rows)

    def list_deferrals(self, scope: Scope, scope_id: str) -> list[Deferral]:
        """See `Storage`."""
        with self._read():
            scope_id = self._subject(scope, scope_id)
            rows = self._all(
                "SELECT * FROM deferrals WHERE scope = ? AND scope_id = ? ORDER BY memory_type", scope, scope_id
            )
            return [
                Deferral(row["memory_type"], self._time(row["until"]), row["failures"], row["reason"]) for row in rows
            ]

    def defer(self, scope: Scope, scope_id: str, deferral: Deferral) -> None:
        """See `Storage`."""
        with self._write():
            self._run(
                "INSERT OR REPLACE INTO deferrals (scope, scope_id, memory_type, until, failures, reason)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                *(scope, self._subject(scope, scope_id), deferral.memory_type, deferral.until.unix_seconds),
                *(deferral.failures, deferral.reason),
            )

    def _subject(self, scope: Scope, scope_id: str) -> str:
        """A scope id in its usual form; raises if what it names is not stored."""
        if scope == "workspace":
            if scope_id != self._workspace_id:
                raise StorageError(
                    "invalid", f"`{scope_id}` is not the workspace scope id: expected `{self._workspace_id}`"
                )
            return scope_id
        usual = _scope_id(scope, scope_id)
        self._channel(usual.partition(":")[0] if scope == "thread" else usual)
        return usual

    def _has_version(self, channel_id: str) -> bool:
        sql = f"SELECT 1 FROM memories WHERE {_SERIES} AND version > 0 LIMIT 1"
        return self._one(sql, "channel", channel_id, "short-term") is not None

    def _settle(self, channel_id: str, id: int, draft: MemoryDraft, is_first: bool) -> None:
        """What a version was made from does not wait any more; with the first one, neither does what is older than it."""
        where = "UPDATE messages SET version = ? WHERE channel_id = ?"
        sources = {key(ts) for ts in draft.source_messages}
        latest = draft.source_latest_message_ts
        latest = None if latest is None else key(latest)
        if is_first:
            # The first message of a thread may be far older than the rest.
            threads = {row["thread"] for row in self._rows(channel_id, sources)}
            begin = min(sources - threads, default=latest)
            if begin is not None:
                self._run(f"{where} AND ts < ? AND version IS NULL", 0, channel_id, begin)
        if not sources and latest is not None:
            self._run(f"{where} AND ts <= ? AND version IS NULL", id, channel_id, latest)
        for ts in sources:
            self._run(f"{where} AND ts = ? AND ifnull(version, 0) = 0", id, channel_id, ts)
        self._run("UPDATE channels SET lost_lines = 0 WHERE id = ?", channel_id)

    def _thread_is_made(self, scope_id: str) -> None:
        raise NotImplementedError


def _is(head: Any, scope: str, memory_type: str) -> bool:
    return head["scope"] == scope and head["memory_type"] == memory_type


def _scope_id(scope: Scope, scope_id: str) -> str:
    """The usual form of a scope id."""
    if scope != "thread":
        return scope_id
    channel_id, colon, thread = scope_id.rpartition(":")
    if not colon:
        raise StorageError("invalid", f"`{scope_id}` is no thread: expected CHANNEL:THREAD_TS")
    return f"{channel_id}:{text(key(thread))}"
