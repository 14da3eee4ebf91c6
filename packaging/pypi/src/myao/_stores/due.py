"""What waits to be summarised."""

from __future__ import annotations

import json
from typing import Any

from .._ts import key, text
from ..storage import Backlog, Due, DueQuery
from ..types import MemoryType
from .erasing import Erasing

# Channels with a message or a version that waits, and those without a version. What does not wait costs nothing.
_VERSION = """
    SELECT 1 FROM memories AS made WHERE made.scope = 'channel' AND made.scope_id = channels.id
    AND made.memory_type = 'short-term' AND made.is_current = 1 AND made.version > 0"""
_MAY_BE_DUE = f"""
    SELECT id FROM channels WHERE EXISTS (
        SELECT 1 FROM messages WHERE channel_id = channels.id AND messages.version IS NULL AND is_deleted = 0
    ) OR NOT EXISTS ({_VERSION}) OR EXISTS ({_VERSION} AND made.id > ifnull((
        SELECT merged_through FROM memories WHERE scope = 'channel' AND scope_id = channels.id
        AND memory_type = 'long-term' AND is_current = 1 AND version > 0
    ), 0)) ORDER BY id"""
_NEWEST = "scope = ? AND scope_id = ? AND memory_type = ? AND is_current = 1 AND version > 0 ORDER BY version DESC"


class Waiting(Erasing):
    """Backlogs, and what is due."""

    def list_due(self, query: DueQuery) -> Due:
        """See `Storage`."""
        until, window, idle = key(query.until), key(query.window_start), key(query.idle_since)

        def is_channel_due(backlog: Backlog) -> bool:
            if backlog.unmerged_count:
                return True
            if backlog.latest_message_ts is None or not backlog.new_message_count:
                return False
            latest = key(backlog.latest_message_ts)
            if backlog.short_term_version is None:
                return latest >= window
            is_full = backlog.new_message_count >= query.message_threshold
            return query.always or backlog.lost_lines or latest <= idle or is_full

        def is_thread_due(backlog: Backlog) -> bool:
            if backlog.short_term_version is not None:
                return backlog.new_message_count > 0
            return backlog.latest_message_ts is not None and key(backlog.latest_message_ts) >= window

        with self._read():
            channels = [self._backlog(row[0], None, until) for row in self._all(_MAY_BE_DUE)]
            waiting = "SELECT channel_id, thread FROM waiting_threads WHERE has_memory OR latest >= ?"
            waiting = self._all(f"{waiting} ORDER BY channel_id, thread", window)
            threads = [self._backlog(channel_id, thread, until) for channel_id, thread in waiting]
            return Due(
                list(filter(is_channel_due, channels)),
                list(filter(is_thread_due, threads)),
                self._is_workspace_due("long-term"),
                self._is_workspace_due("short-term"),
            )

    def get_backlog(self, channel_id: str, thread_ts: str | None, until: str) -> Backlog:
        """See `Storage`."""
        with self._read():
            return self._backlog(channel_id, None if thread_ts is None else key(thread_ts), key(until))

    def _backlog(self, channel_id: str, thread: int | None, until: int) -> Backlog:
        channel = self._channel(channel_id)
        newest = self._newest_version(channel_id, thread)
        through = newest["source_latest"] if newest else None
        shown = "FROM messages WHERE channel_id = ? AND is_deleted = 0 AND ts <= ?"
        new = late = unmerged = 0
        lost_lines = False
        if thread is None:
            latest = self._one(f"SELECT max(ts) {shown}", channel_id, until)
            waits = " AND version IS NULL" if newest else ""
            new = self._one(f"SELECT count(*) {shown}{waits}", channel_id, until)
            if newest and through is not None:
                late = self._one(f"SELECT count(*) {shown}{waits} AND ts <= ?", channel_id, until, through)
            lost_lines = bool(self._one("SELECT lost_lines FROM channels WHERE id = ?", channel_id))
            unmerged = self._unmerged(channel_id)
        elif not self._has_replies(channel_id, thread, until):
            # Until there is a reply there is no thread.
            latest = None
        else:
            own = f"{shown} AND (ts = ? OR thread = ?)"
            latest = self._one(f"SELECT max(ts) {own}", channel_id, until, thread, thread)
            after = -1 if through is None else through
            new = self._one(f"SELECT count(*) {own} AND ts > ?", channel_id, until, thread, thread, after)
            changed = "SELECT is_changed FROM waiting_threads WHERE channel_id = ? AND thread = ?"
            new += bool(newest and self._one(changed, channel_id, thread))
        return Backlog(
            channel,
            None if thread is None else text(thread),
            None if latest is None else text(latest),
            new,
            late,
            lost_lines,
            newest["version"] if newest else None,
            None if through is None else text(through),
            unmerged,
        )

    def _newest_version(self, channel_id: str, thread: int | None) -> Any:
        series = ("channel", channel_id) if thread is None else ("thread", f"{channel_id}:{text(thread)}")
        return self._run(
            f"SELECT version, source_latest FROM memories WHERE {_NEWEST} LIMIT 1", *series, "short-term"
        ).fetchone()

    def _unmerged(self, channel_id: str) -> int:
        merged = (
            self._one(f"SELECT merged_through FROM memories WHERE {_NEWEST}", "channel", channel_id, "long-term") or 0
        )
        sql = f"SELECT count(*) FROM (SELECT id FROM memories WHERE {_NEWEST}) WHERE id > ?"
        return self._one(sql, "channel", channel_id, "short-term", merged)

    def _is_workspace_due(self, memory_type: MemoryType) -> bool:
        """Whether a memory of a public channel is newer than those merged into the workspace's."""
        merged = (
            self._one(
                f"SELECT merged_through FROM memories WHERE {_NEWEST}", "workspace", self._workspace_id, memory_type
            )
            or 0
        )
        public = {row[0] for row in self._all("SELECT id FROM channels WHERE is_private = 0")}
        newer = self._all(
            "SELECT scope_id, channels FROM memories WHERE scope = 'channel' AND memory_type = ? AND is_current = 1"
            " AND version > 0 AND id > ?",
            *(memory_type, merged),
        )
        return any(row["scope_id"] in public and public.issuperset(json.loads(row["channels"])) for row in newer)

    def _thread_waits(self, channel_id: str, thread: int, late: int | None) -> None:
        if not self._has_replies(channel_id, thread, 2**62):
            # Nothing would ever replace the memory of a thread whose replies are deleted.
            series = f"{channel_id}:{text(thread)}"
            self._run("UPDATE memories SET is_current = 0 WHERE scope = 'thread' AND scope_id = ?", series)
            self._run("DELETE FROM waiting_threads WHERE channel_id = ? AND thread = ?", channel_id, thread)
            return
        newest = self._newest_version(channel_id, thread)
        through = (newest and newest["source_latest"]) or -1
        replies = "SELECT max(ts) FROM messages WHERE channel_id = ? AND thread = ? AND is_deleted = 0"
        self._run(
            "INSERT INTO waiting_threads (channel_id, thread, latest, has_memory, is_changed) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (channel_id, thread) DO UPDATE SET latest = excluded.latest, has_memory = excluded.has_memory,"
            " is_changed = max(is_changed, excluded.is_changed)",
            *(channel_id, thread, self._one(replies, channel_id, thread)),
            *(newest is not None, late is None or late <= through),
        )

    def _thread_is_made(self, scope_id: str) -> None:
        channel_id, _, ts = scope_id.rpartition(":")
        thread = key(ts)
        through = self._newest_version(channel_id, thread)["source_latest"] or -1
        self._run(
            "UPDATE waiting_threads SET has_memory = 1, is_changed = 0 WHERE channel_id = ? AND thread = ?",
            channel_id,
            thread,
        )
        self._run(
            "DELETE FROM waiting_threads WHERE channel_id = ? AND thread = ? AND NOT EXISTS (SELECT 1 FROM messages"
            " WHERE messages.channel_id = ? AND is_deleted = 0 AND (ts = ? OR messages.thread = ?) AND ts > ?)",
            *(channel_id, thread, channel_id, thread, thread, through),
        )
