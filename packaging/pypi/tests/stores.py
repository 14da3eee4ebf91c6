"""The stores that are checked, and what the checks write. What the contract says of a store, `tests/conformance/` checks."""

import tempfile
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from myao import MemoryStore, SqliteStore, StorageError, Timestamp
from myao.storage import Given, MemoryDraft, MemoryQuery, MessageQuery, StoredMemory
from myao.types import Coverage, LeftOut

NOTHING_GIVEN = Given([], {}, {})
READ = MessageQuery("C1", None, "9.0", 1000, "newest", None, 0, False)
ALL = MemoryQuery(None, True, "all", 100, True, [f"C1:{second}.000000" for second in (1, 2, 150)], False)


def draft(scope: Any, scope_id: str, memory_type: Any, latest: str | None = None, **changes: Any) -> MemoryDraft:
    """A draft of a new version."""
    made = MemoryDraft(
        scope=scope,
        scope_id=scope_id,
        memory_type=memory_type,
        mode="new-version",
        expected=None,
        content="a text",
        engine="extractive",
        now=Timestamp(500),
        source_channel_id="",
        source_messages=[],
        source_memories=[],
        source_message_count=1,
        source_latest_message_ts=latest,
        merged_through=None,
        truncated=False,
        coverage=Coverage(1, 1, LeftOut(0, 0, 0, 0), 1, 1, 0, 0, 0, 0, 0, 0),
        citations=[],
        records=[],
        items=[],
    )
    return replace(made, **changes)


def short_term(channel: str, latest: str, **changes: Any) -> MemoryDraft:
    return draft("channel", channel, "short-term", latest, **changes)


def long_term(channel: str, merged: StoredMemory, **changes: Any) -> MemoryDraft:
    return draft("channel", channel, "long-term", mode="overwrite", merged_through=merged.id, **changes)


class StoreTest(unittest.TestCase):
    """A test with an empty store that has a channel C1."""

    def setUp(self) -> None:
        self.store = self.new_store()
        self.addCleanup(self.store.close)
        self.channel("C1", "general")

    def new_store(self) -> SqliteStore:
        return MemoryStore()

    def channel(self, id: str, name: str) -> None:
        self.store.add_channel(id, name, is_private=False)

    def say(self, ts: str, *, channel: str = "C1", thread: str | None = None, **more: Any) -> None:
        self.store.add_message(channel, ts, "U1", more.pop("said", f"text of {ts}"), thread_ts=thread, **more)

    def ids(self, **changes: Any) -> list[str]:
        return [message.ts for message in self.store.list_messages(replace(READ, **changes))]

    def save(self, of: MemoryDraft, given: Given = NOTHING_GIVEN) -> StoredMemory:
        # As the package gives it: the channels of the memory and of its place.
        own = [] if of.scope == "workspace" else [of.scope_id.split(":")[0]]
        return self.store.save_memory(of, replace(given, channels=sorted({*own, *given.channels})))

    def listed(self, query: MemoryQuery = ALL, **changes: Any) -> list[StoredMemory]:
        return self.store.list_memories(replace(query, **changes))

    def fails(self, code: str, call: Callable[[], Any], naming: str = "") -> None:
        with self.assertRaises(StorageError) as raised:
            call()
        self.assertEqual(raised.exception.code, code)
        self.assertIn(naming, raised.exception.text)


def in_a_file(checks: type[StoreTest]) -> type[StoreTest]:
    """The same checks over a store in a file."""

    class InAFile(checks):  # type: ignore[misc, valid-type]
        def new_store(self) -> SqliteStore:
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            return SqliteStore(Path(folder.name) / "team.db")

    InAFile.__name__ = InAFile.__qualname__ = f"{checks.__name__}InAFile"
    return InAFile
