"""Takes back what messages said from everything that was made from them."""

from __future__ import annotations

import heapq
import json
from typing import Any

from .._ts import key, text
from ..types import MessageRef
from . import lines
from .memories import Memories


class Erasing(Memories):
    """Edits, deletions, and channels that become private."""

    def _erase(self, channel_id: str, ts: int) -> None:
        """Erases the lines that cite a message, and those without a message of texts that may have been made from it."""
        message = MessageRef(channel_id, text(ts))
        given = self._all("SELECT memory_id FROM made_from_messages WHERE channel_id = ? AND ts = ?", channel_id, ts)
        # A memory is newer than those that it was made from.
        queue = sorted({row[0] for row in given})
        seen = set[int]()
        while queue:
            id = heapq.heappop(queue)
            if id not in seen and self._erase_lines(id, message):
                made_from_it = self._all("SELECT memory_id FROM made_from_memories WHERE source_id = ?", id)
                for row in made_from_it:
                    heapq.heappush(queue, row[0])
            seen.add(id)
        version = self._one("SELECT version FROM messages WHERE channel_id = ? AND ts = ?", channel_id, ts)
        if version:
            self._wait_again(version)
        # What was given up may succeed without the message.
        self._run(
            "DELETE FROM deferrals WHERE scope = 'workspace' OR scope_id = ? OR scope_id GLOB ?",
            channel_id,
            f"{channel_id}:*",
        )

    def _erase_lines(self, id: int, message: MessageRef) -> bool:
        """Takes a message's lines out of a text. Whether there were some."""
        row = self._run("SELECT * FROM memories WHERE id = ?", id).fetchone()
        if row is None or row["content"] == lines.NOTHING_LEFT:
            return False
        records = [span for span in lines.read(row["records"]) if message not in span[2]]
        self._run("UPDATE memories SET records = ? WHERE id = ?", lines.write(records), id)
        cited = lines.read(row["citations"]) or [(0, len(row["content"]), [])]
        gone = {number for number, (_, _, messages) in enumerate(cited) if message in messages or not messages}
        if not gone:
            return False
        content, stay = lines.without(row["content"], cited, gone)
        self._run("UPDATE memories SET content = ?, citations = ? WHERE id = ?", content, lines.write(stay), id)
        self._make_anew(row, [of for number in gone for of in cited[number][2]])
        return True

    def _make_anew(self, row: Any, said: list[MessageRef]) -> None:
        """Lets the messages of a text that lost lines wait for a new one."""
        self._run("DELETE FROM deferrals WHERE scope = ? AND scope_id = ?", row["scope"], row["scope_id"])
        if row["scope"] == "thread":
            channel_id, _, thread = row["scope_id"].rpartition(":")
            self._thread_waits(channel_id, key(thread), None)
        elif row["scope"] == "channel" and row["memory_type"] == "short-term":
            self._wait_again(row["id"])
        elif row["is_current"]:
            for of in said:
                self._run(
                    "UPDATE messages SET version = NULL WHERE channel_id = ? AND ts = ?", of.channel_id, key(of.ts)
                )

    def _wait_again(self, version: int) -> None:
        """The news of a version wait again."""
        lost = "UPDATE channels SET lost_lines = 1 WHERE id IN (SELECT channel_id FROM messages WHERE version = ?)"
        self._run(lost, version)
        self._run("UPDATE messages SET version = NULL WHERE version = ?", version)

    def _withdraw(self, channel_id: str) -> None:
        """Whole texts, not lines: what a line says may come from any of a text's channels."""
        for row in self._all("SELECT * FROM memories WHERE content <> ?", lines.NOTHING_LEFT):
            own = row["scope_id"].rpartition(":")[0] if row["scope"] == "thread" else row["scope_id"]
            if channel_id == own or channel_id not in json.loads(row["channels"]):
                continue
            empty = "UPDATE memories SET content = ?, citations = '[]', records = '[]', is_current = 0 WHERE id = ?"
            self._run(empty, lines.NOTHING_LEFT, row["id"])
            self._make_anew(row, [])
