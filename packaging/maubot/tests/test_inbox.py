"""What a homeserver says, odd or not: one event that cannot be stored does not keep the others away."""

import asyncio
import logging
import tempfile
import threading
import unittest
import unittest.mock
from pathlib import Path
from typing import Any

from myao import SqliteStore
from myao.storage import MessageQuery
from myao_matrix.events import Raw
from myao_matrix.inbox import Inbox
from myao_matrix.ledger import Ledger

ROOM, ALICE, BOT, NOW = "!room:example.test", "@alice:example.test", "@myao:example.test", 1772411400
HALF = "a\ud83d"


class Server:
    """The homeserver as the inbox asks it: one public room."""

    user_id = BOT

    def __init__(self, *events: Any):
        self._events = list(events)

    async def joined_rooms(self) -> list[str]:
        return [ROOM]

    async def state(self, room_id: str, event_type: str, key: str = "") -> Raw:
        rules: Raw = {"join_rule": "public"}
        return {"m.room.join_rules": rules, "m.room.name": {"name": HALF}}.get(event_type, {})

    async def names(self, room_id: str) -> dict[str, str]:
        return {ALICE: HALF}

    async def event(self, room_id: str, event_id: str) -> Raw | None:
        return None

    async def messages(self, room_id: str, **_: Any) -> list[Any]:
        return self._events


def said(event_id: str, text: str = "Good morning", **changes: Any) -> Raw:
    event: Raw = {"event_id": event_id, "sender": ALICE, "type": "m.room.message", "origin_server_ts": NOW * 1000}
    return event | {"content": {"msgtype": "m.text", "body": text}} | changes


def edit(event_id: str, of: str, text: str, **changes: Any) -> Raw:
    relates = {"m.relates_to": {"rel_type": "m.replace", "event_id": of}, "m.new_content": {"body": text}}
    return said(event_id, **changes) | {"content": {"msgtype": "m.text", "body": "*"} | relates}


class Read(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ledger, self.store = Ledger(Path(folder.name) / "bot.db"), SqliteStore(Path(folder.name) / "memory.db")
        self.addCleanup(self.ledger.close)
        self.addCleanup(self.store.close)

    def stored(self, *events: Any) -> list[str]:
        """What is kept of a room in which this was said."""
        server: Any = Server(*events)
        log = logging.Logger("test", logging.CRITICAL)
        inbox = Inbox(
            server, self.ledger, self.store, name="Myao", rooms=[], history_events=1000, clock=lambda: NOW, log=log,
            on_stored=lambda: None,
        )  # fmt: skip

        async def catch_up() -> None:
            work = asyncio.create_task(inbox.run(0.01))
            while inbox.is_behind and not work.done():
                await asyncio.sleep(0.001)
            work.cancel()

        asyncio.run(asyncio.wait_for(catch_up(), 30))
        return self.texts()

    def texts(self) -> list[str]:
        query = MessageQuery(ROOM, None, f"{NOW + 9}.0", 1000, "newest", None, 0, False)
        return sorted(message.text for message in self.store.list_messages(query))


class Poison(Read):

    def test_odd_times_break_nothing(self) -> None:
        events: list[Raw] = []
        for number, ms in enumerate((2**53 - 1, 2**70, 0, -1)):
            events += [said(f"$m{number}", f"message {number}", origin_server_ts=ms)]
            events += [edit(f"$e{number}", f"$m{number}", f"edit {number}", origin_server_ts=ms)]
        self.assertEqual(self.stored(*events, said("$last", "last")), [f"edit {number}" for number in range(4)] + ["last"])

    def test_unknown_shapes_break_nothing(self) -> None:
        values: list[Any] = [None, 7, "x", [], {}, True, HALF, {"event_id": HALF}, {"prev_content": 7}]
        keys = ("content", "event_id", "sender", "type", "origin_server_ts", "unsigned", "state_key", "redacts")
        events: list[Any] = [said("$odd") | {key: value} for key in keys for value in values] + [None, 7, "x"]
        for state_key in (BOT, ALICE, HALF):
            events += [said("$m", type="m.room.member", state_key=state_key, content=value) for value in values]
            member = {"membership": "join", "displayname": HALF}
            events += [said("$m", type="m.room.member", state_key=state_key, content=member, unsigned=u) for u in values]
        self.assertIn("last", self.stored(*events, said("$last", "last")))

    def test_half_a_character_is_replaced(self) -> None:
        self.assertEqual(self.stored(said("$1", HALF), said("$2", "last")), ["a?", "last"])

    def test_what_can_never_be_stored_is_left_out(self) -> None:
        poison = "poison"
        add_message = SqliteStore.add_message

        def refuses(store: SqliteStore, *arguments: Any, **more: Any) -> None:
            if poison in arguments:
                raise OverflowError("too large")
            add_message(store, *arguments, **more)

        with unittest.mock.patch.object(SqliteStore, "add_message", refuses):
            self.assertEqual(self.stored(said("$1", poison), said("$2", "last")), ["last"])


class Changes(Read):
    def test_an_answer_that_begins_during_an_edit_is_not_made_from_the_old_text(self) -> None:
        add_message, read = SqliteStore.add_message, list[tuple[int, list[str]]]()
        answer = threading.Thread(target=lambda: read.append((self.ledger.changes(), self.texts())))

        def add(store: SqliteStore, channel: str, ts: str, author: str, text: str, **more: Any) -> None:
            if text == "new":
                answer.start()
                # Time to read the old text, if it can.
                answer.join(0.5)
            add_message(store, channel, ts, author, text, **more)

        with unittest.mock.patch.object(SqliteStore, "add_message", add):
            self.stored(said("$1", "old"), edit("$2", "$1", "new"))
        answer.join()
        self.assertEqual(read, [(1, ["new"])])


if __name__ == "__main__":
    unittest.main()
