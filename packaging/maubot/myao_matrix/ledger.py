"""Rooms and messages, in the bot's database."""

from __future__ import annotations

from collections.abc import Iterable

from .database import SEQUENCES, Change, Kept, ts_key
from .events import Edited, Said
from .ledger_answers import Answers


class Ledger(Answers):
    """The database. Each function is one transaction; any thread may call them."""

    def position(self) -> str | None:
        """The sync token up to which everything is handled."""
        with self._lock:
            return self._one("SELECT value FROM facts WHERE key = 'position'")

    def save_position(self, token: str) -> None:
        """Notes that everything up to a sync token is handled."""
        with self._write():
            self._run("INSERT INTO facts VALUES ('position', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", token)

    def rooms(self) -> list[str]:
        """The rooms that are remembered."""
        with self._lock:
            return [row["id"] for row in self._all("SELECT id FROM rooms")]

    def is_read(self, room_id: str) -> bool:
        """Whether a room's history was read."""
        with self._lock:
            return bool(self._one("SELECT is_read FROM rooms WHERE id = ?", room_id))

    def is_encrypted(self, room_id: str) -> bool:
        """Whether a room is encrypted."""
        with self._lock:
            return bool(self._one("SELECT is_encrypted FROM rooms WHERE id = ?", room_id))

    def set_room(self, room_id: str, *, is_private: bool, is_encrypted: bool) -> Change:
        """Notes who may see a room. If it becomes private, answers elsewhere that were made from it are taken back."""
        change = Change()
        with self._write():
            was_private = self._one("SELECT is_private FROM rooms WHERE id = ?", room_id)
            self._run(
                "INSERT INTO rooms VALUES (?, ?, ?, 0) ON CONFLICT (id) DO UPDATE SET is_private = excluded.is_private,"
                " is_encrypted = excluded.is_encrypted",
                *(room_id, is_private, is_encrypted),
            )
            if was_private == 0 and is_private:
                made_from_it = self._all(
                    "SELECT DISTINCT mention FROM sources JOIN messages USING (event_id) JOIN answers USING (mention)"
                    " WHERE messages.room_id = ? AND answers.room_id <> ?",
                    *(room_id, room_id),
                )
                for row in made_from_it:
                    self._take_back(row["mention"], change)
        return change

    def set_read(self, room_id: str, is_read: bool) -> None:
        """Notes that a room's history was read; or that it must be, if the bot comes back."""
        with self._write():
            self._run("UPDATE rooms SET is_read = ? WHERE id = ?", is_read, room_id)

    def name(self, room_id: str, user_id: str) -> str | None:
        """What somebody is called in a room."""
        with self._lock:
            return self._one("SELECT name FROM members WHERE room_id = ? AND user_id = ?", room_id, user_id)

    def set_names(self, room_id: str, names: Iterable[tuple[str, str]]) -> None:
        """Notes what people are called in a room."""
        with self._write():
            for user_id, name in names:
                self._run("INSERT OR REPLACE INTO members VALUES (?, ?, ?)", room_id, user_id, name)

    def knows(self, event_id: str) -> bool:
        """Whether an event is a message that was kept, or taken back."""
        with self._lock:
            return self._one("SELECT 1 FROM messages WHERE event_id = ?", event_id) is not None

    def keep(self, room_id: str, said: Said, now: float, *, asks: bool) -> Kept | None:
        """Gives a message its id; the same one if it comes again. A new one that asks the bot waits for its answer.
        `None` if it was taken back."""
        with self._write():
            row = self._message(said.event_id)
            if row is None:
                # Clocks of other servers may be wrong: nothing is from the future.
                first = max(0, min(said.ms // 1000, int(now))) * SEQUENCES
                query = "SELECT max(ts) FROM messages WHERE room_id = ? AND ts BETWEEN ? AND ?"
                newest = self._one(query, room_id, first, first + SEQUENCES - 2)
                root = self._message(said.thread) if said.thread else None
                thread = said.thread if root is not None and root["room_id"] == room_id else None
                self._run(
                    "INSERT INTO messages (event_id, room_id, ts, sender, thread) VALUES (?, ?, ?, ?, ?)",
                    *(said.event_id, room_id, first + 1 if newest is None else newest + 1, said.sender, thread),
                )
                if asks:
                    self._ask(room_id, said.event_id)
            return self._kept(said.event_id)

    def edit(self, room_id: str, edited: Edited, now: float, *, asks: bool) -> Change:
        """Takes an edit of the author in: the newest one counts, in whatever order they come. None is from the future: it would
        be the last one for ever."""
        change = Change()
        ms = max(0, min(edited.ms, int(now * 1000)))
        with self._write():
            row = self._message(edited.of)
            if row is None or row["is_gone"] or (row["room_id"], row["sender"]) != (room_id, edited.sender):
                return change
            if self._one("SELECT 1 FROM edits WHERE event_id = ?", edited.event_id) is None:
                self._run("INSERT INTO edits VALUES (?, ?)", edited.event_id, edited.of)
                if asks:
                    self._ask(room_id, edited.of)
                if (ms, edited.event_id) > (row["edit_ms"], row["edit_id"]):
                    # In seconds, each edit must be later than the one before.
                    edited_at = max(ms // 1000, (row["edited_at"] or 0) + 1)
                    self._run(
                        "UPDATE messages SET edit_ms = ?, edit_id = ?, edited_at = ? WHERE event_id = ?",
                        *(ms, edited.event_id, edited_at, edited.of),
                    )
                    self._changed(edited.of, change)
            if self._one("SELECT edit_id FROM messages WHERE event_id = ?", edited.of) == edited.event_id:
                change.edited = self._kept(edited.of)
        return change

    def redact(self, room_id: str, event_id: str) -> Change:
        """Takes a message or an edit back."""
        change = Change()
        with self._write():
            original = self._one("SELECT of FROM edits WHERE event_id = ?", event_id)
            row = self._message(original or event_id)
            if row is not None and row["room_id"] != room_id:
                return change
            if original is not None:
                change.reread = original
            else:
                self._delete(room_id, event_id, change)
        return change

    def reset(self, event_id: str, lost_edit: str, now: float) -> Change:
        """Forgets the edits of a message whose text is about to be read anew, because one was taken back."""
        change = Change()
        with self._write():
            row = self._message(event_id)
            if row is None or row["is_gone"]:
                return change
            edited_at = max(int(now), (row["edited_at"] or 0) + 1)
            # If this is all that is done before a crash, the redaction comes again, and must find what it is of.
            self._run("DELETE FROM edits WHERE of = ? AND event_id <> ?", event_id, lost_edit)
            reset = "UPDATE messages SET edit_ms = 0, edit_id = '', edited_at = ? WHERE event_id = ?"
            self._run(reset, edited_at, event_id)
            self._changed(event_id, change)
            change.edited = self._kept(event_id)
        return change

    def event_of(self, room_id: str, ts: str) -> tuple[str, str | None] | None:
        """The event id of a message, and of its thread's first message."""
        with self._lock:
            row = self._run("SELECT event_id, thread FROM messages WHERE room_id = ? AND ts = ?", room_id, ts_key(ts)).fetchone()
            return row and (row["event_id"], row["thread"])
