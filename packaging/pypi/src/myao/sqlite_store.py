"""A store in SQLite, which can search."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import timezone as _timezone
from datetime import tzinfo

from ._stores.meaning import At, Embedder, Meaning
from ._ts import key
from .storage import Candidates, FoundMessage, RecallQuery, TermCount
from .terms import terms
from .types import MessageRef

# A term that more messages have than this finds messages among the newest so many alone.
_COMMON_MESSAGES = 1000
# A term in no more than one of so many messages finds all of them.
_COMMON_PART = 50
# How many messages are found by their meaning, and how similar they are at least.
_MOST_SIMILAR = 50
_LEAST_SIMILARITY = 1.0


class SqliteStore(Meaning):
    """One workspace in a SQLite file. It passes the contract's checks, finds messages by their terms, and by their meaning if it
    has an embedder, and erases what was made from a message that is edited or deleted.

    Functions of the contract are called by the component; `add_channel`, `add_user`, `say`, `add_message`,
    `delete_message` and `pin_message` by your program, for what happens on the platform. Any thread may call them.
    """

    def find_candidates(self, query: RecallQuery, channels: list[str]) -> Candidates:
        """See `Recall`."""
        until = key(query.until)
        since = 0 if query.since is None else key(query.since)
        seen = json.dumps(channels)
        asked = [id for id in channels if not query.channels or id in query.channels]
        similarities = self._similarities(query.text, seen, until)
        alike = [at for at, similarity in similarities.items() if similarity >= _LEAST_SIMILARITY]
        alike = [at for at in alike if at[0] in asked and since <= at[1]]
        alike.sort(key=lambda at: (-similarities[at], -at[1], at[0]))
        meant = json.dumps(asked)
        with self._read():
            among = "channel_id IN (SELECT value FROM json_each(?))"
            total = self._one(
                f"SELECT count(*) FROM messages WHERE {among} AND is_deleted = 0 AND ts <= ?", seen, until
            )
            count = f"SELECT count(*) FROM terms WHERE term = ? AND {among} AND ts <= ?"
            counts = {term: self._one(count, term, seen, until) for term in query.terms}
            weights = {
                term: _weight(n, total)
                for term, n in counts.items()
                if n <= max(_COMMON_MESSAGES, total // _COMMON_PART)
            }
            found = dict[At, int]()
            having = f"SELECT channel_id, ts FROM terms WHERE term = ? AND {among} AND ts BETWEEN ? AND ?"
            for term, weight in weights.items():
                for channel_id, ts in self._all(having, term, meant, since, until):
                    found[channel_id, ts] = found.get((channel_id, ts), 0) + weight
            newest = (
                f"SELECT channel_id, ts FROM messages WHERE {among} AND is_deleted = 0 AND ts BETWEEN ? AND ?"
                " ORDER BY ts DESC, channel_id LIMIT ?"
            )
            has_it = "SELECT 1 FROM terms WHERE term = ? AND channel_id = ? AND ts = ?"
            common = [term for term in counts if term not in weights]
            if common or not query.terms:
                for channel_id, ts in self._all(newest, meant, since, until, _COMMON_MESSAGES):
                    if not query.terms or any(self._one(has_it, term, channel_id, ts) for term in common):
                        found.setdefault((channel_id, ts), 0)
            best = sorted(found, key=lambda at: (-found[at], -at[1], at[0]))[: query.limit]
            best += alike[:_MOST_SIMILAR]
            picked = set(best)
            for at in best:
                picked.update(self._neighbours(at, since, until, query.neighbours))
            return Candidates(
                [message for at in sorted(picked) for message in self._found(at, query, similarities.get(at))],
                [TermCount(term, counts[term]) for term in query.terms],
                total,
            )

    def _found(self, at: At, query: RecallQuery, similarity: float | None) -> Iterable[FoundMessage]:
        channel_id, ts = at
        for row in self._rows(channel_id, {ts}):
            message = self._message(row, key(query.until))
            name = self._channel(channel_id).name
            of = MessageRef(channel_id, message.ts)
            said = terms(message.text)
            yield FoundMessage(of, name, message, list(map(said.count, query.terms)), len(said), similarity)

    def _neighbours(self, at: At, since: int, until: int, count: int) -> Iterable[At]:
        """The messages before and after one: of its thread, or of the top level. A thread's first message stands in both."""
        channel_id, ts = at
        own = self._one("SELECT thread FROM messages WHERE channel_id = ? AND ts = ?", channel_id, ts)
        thread = ts if own is None else own
        groups = [("(ts = ? OR thread = ?)", [thread, thread])] + ([("thread IS NULL", [])] if own is None else [])
        for where, parameters in groups:
            base = f"SELECT ts FROM messages WHERE channel_id = ? AND is_deleted = 0 AND ts BETWEEN ? AND ? AND {where}"
            for side in ("AND ts < ? ORDER BY ts DESC", "AND ts > ? ORDER BY ts"):
                for row in self._all(f"{base} {side} LIMIT ?", channel_id, since, until, *parameters, ts, count):
                    yield channel_id, row[0]


class MemoryStore(SqliteStore):
    """One workspace in memory, which ends with the store: for tests and first steps."""

    def __init__(
        self, *, workspace_id: str = "default", timezone: tzinfo = _timezone.utc, embedder: Embedder | None = None
    ):
        super().__init__(":memory:", workspace_id=workspace_id, timezone=timezone, embedder=embedder)


def _weight(count: int, total: int) -> int:
    """How much a term weighs: the rarer, the more."""
    return max(total // max(count, 1), 1).bit_length()
