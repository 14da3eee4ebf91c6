"""Mentions and their answers, in the bot's database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .database import Change, Database, Kept, ts_key, ts_text


@dataclass(frozen=True)
class Answer:
    """A mention and what became of it: `waiting`, `written`, `sent`, `taken-back`, `redacted`, or `given-up`."""

    mention: str
    room_id: str
    state: str
    text: str | None
    notifies: str | None
    event_id: str | None
    round: int
    failures: int


class Answers(Database):
    """What is to be answered, and what was answered from which messages."""

    def open_answers(self, now: float) -> list[Answer]:
        """What is to be answered, sent or taken back, oldest first."""
        with self._lock:
            sql = "SELECT * FROM answers WHERE state IN ('waiting', 'written', 'taken-back') AND due_at <= ? ORDER BY rowid"
            return [_answer(row) for row in self._all(sql, now)]

    def answer(self, mention: str) -> Answer | None:
        """What became of a mention."""
        with self._lock:
            row = self._run("SELECT * FROM answers WHERE mention = ?", mention).fetchone()
            return row and _answer(row)

    def kept(self, event_id: str) -> Kept | None:
        """A message's place in the memory; `None` if it was taken back."""
        with self._lock:
            return self._kept(event_id)

    def ts_of(self, event_id: str) -> str | None:
        """The id of a message that was not taken back."""
        kept = self.kept(event_id)
        return kept and kept.ts

    def thread_of(self, event_id: str) -> str | None:
        """The first message of a message's thread."""
        with self._lock:
            return self._one("SELECT thread FROM messages WHERE event_id = ?", event_id)

    def changes(self) -> int:
        """How many changes of messages there were. An answer that was begun now must not use what changes after it."""
        with self._lock:
            return self._changes()

    def write(self, mention: str, text: str, notifies: str, sources: list[tuple[str, str]], since: int) -> bool:
        """Keeps an answer before it is sent, with the rooms and ids of the messages that it was made from. `False` if one
        of these has changed since then, or may not be seen in the mention's room any more."""
        with self._write():
            room_id = self._one("SELECT room_id FROM answers WHERE mention = ? AND state = 'waiting'", mention)
            if room_id is None:
                return False
            found = [self._source(*source) for source in {*sources}]
            for row in found:
                if row is None or row["is_gone"] or row["changed"] > since or (row["is_private"] and row["room_id"] != room_id):
                    return False
            self._run("UPDATE answers SET state = 'written', text = ?, notifies = ? WHERE mention = ?", text, notifies, mention)
            for row in found:
                self._run("INSERT OR IGNORE INTO sources VALUES (?, ?)", mention, row["event_id"])
        return True

    def sent(self, mention: str, room_id: str, event_id: str, round: int) -> None:
        """Notes the event of an answer. If it was taken back meanwhile, it stays so, and is redacted next; so is one that
        arrives so late that the mention was asked again."""
        with self._write():
            row = self._run("SELECT state, round FROM answers WHERE mention = ?", mention).fetchone()
            if row is not None and round < row["round"]:
                late = "INSERT OR IGNORE INTO answers (mention, room_id, state, event_id) VALUES (?, ?, 'taken-back', ?)"
                self._run(late, event_id, room_id, event_id)
                return self._delete(room_id, event_id, Change())
            if row is None:
                self._run("INSERT INTO answers (mention, room_id, state) VALUES (?, ?, 'sent')", mention, room_id)
            elif row["state"] in ("waiting", "written"):
                self._set(mention, "sent")
            self._run("UPDATE answers SET event_id = ?, text = NULL WHERE mention = ?", event_id, mention)
            if row is not None and row["state"] in ("taken-back", "redacted"):
                self._delete(room_id, event_id, Change())

    def redacted(self, mention: str) -> None:
        """Notes that an answer is gone from the room."""
        with self._write():
            self._set(mention, "redacted")

    def ask_again(self, mention: str) -> None:
        """Lets a mention wait whose answer was taken back before it was sent."""
        with self._write():
            self._run("UPDATE answers SET state = 'waiting', round = round + 1 WHERE mention = ?", mention)

    def put_off(self, mention: str, until: float) -> None:
        """Notes that answering failed."""
        with self._write():
            self._run("UPDATE answers SET failures = failures + 1, due_at = ? WHERE mention = ?", until, mention)

    def give_up(self, mention: str) -> None:
        """Notes that a mention cannot be answered."""
        with self._write():
            self._set(mention, "given-up")

    def _ask(self, room_id: str, event_id: str) -> None:
        self._run("INSERT OR IGNORE INTO answers (mention, room_id, state) VALUES (?, ?, 'waiting')", event_id, room_id)

    def _changed(self, event_id: str, change: Change) -> None:
        """A message reads differently now: answers that were made from it are taken back."""
        self._run(
            "INSERT INTO facts VALUES ('changes', 1) ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
        )
        self._run("UPDATE messages SET changed = ? WHERE event_id = ?", self._changes(), event_id)
        for row in self._all("SELECT mention FROM sources WHERE event_id = ?", event_id):
            self._take_back(row["mention"], change)

    def _delete(self, room_id: str, event_id: str, change: Change) -> None:
        """A message is gone, and with it the answer to it, and those that were made from it."""
        self._run(
            "INSERT INTO messages (event_id, room_id, sender, is_gone) VALUES (?, ?, '', 1)"
            " ON CONFLICT (event_id) DO UPDATE SET is_gone = 1",
            *(event_id, room_id),
        )
        ts = self._one("SELECT ts FROM messages WHERE event_id = ?", event_id)
        if ts is not None:
            change.deleted.append((room_id, ts_text(ts)))
        self._changed(event_id, change)
        state = self._one("SELECT state FROM answers WHERE mention = ?", event_id)
        if state == "waiting":
            self._set(event_id, "given-up")
        elif state is not None:
            self._take_back(event_id, change)

    def _take_back(self, mention: str, change: Change) -> None:
        row = self._run("SELECT * FROM answers WHERE mention = ?", mention).fetchone()
        self._run("DELETE FROM sources WHERE mention = ?", mention)
        if row is None or row["state"] not in ("written", "sent"):
            return
        self._set(mention, "taken-back")
        if row["event_id"] is not None:
            self._delete(row["room_id"], row["event_id"], change)

    def _set(self, mention: str, state: str) -> None:
        self._run("UPDATE answers SET state = ?, text = NULL, failures = 0, due_at = 0 WHERE mention = ?", state, mention)

    def _changes(self) -> int:
        return int(self._one("SELECT value FROM facts WHERE key = 'changes'") or 0)

    def _message(self, event_id: str) -> Any:
        return self._run("SELECT * FROM messages WHERE event_id = ?", event_id).fetchone()

    def _source(self, room_id: str, ts: str) -> Any:
        sql = "SELECT messages.*, is_private FROM messages JOIN rooms ON rooms.id = room_id WHERE room_id = ? AND ts = ?"
        return self._run(sql, room_id, ts_key(ts)).fetchone()

    def _kept(self, event_id: str) -> Kept | None:
        row = self._message(event_id)
        if row is None or row["is_gone"] or row["ts"] is None:
            return None
        thread = self._one("SELECT ts FROM messages WHERE event_id = ?", row["thread"]) if row["thread"] else None
        return Kept(ts_text(row["ts"]), None if thread is None else ts_text(thread), row["edited_at"])



def _answer(row: Any) -> Answer:
    return Answer(**{key: row[key] for key in Answer.__dataclass_fields__})
