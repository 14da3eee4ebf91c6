"""A homeserver with a bot and two people, for a class of tests."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

from .bot import NAME, Bot
from .homeserver import Homeserver, Person


class World(unittest.TestCase):
    """Each class of tests has a homeserver of its own."""

    server: Homeserver
    alice: Person
    bob: Person
    bot: Bot
    options: dict[str, Any] = {}

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="myao-matrix-")
        cls.addClassCleanup(folder.cleanup)
        (Path(folder.name) / "homeserver").mkdir()
        cls.server = Homeserver(Path(folder.name) / "homeserver")
        cls.addClassCleanup(lambda: cls.server.stop())
        cls.server.start()
        cls.alice, cls.bob = cls.server.register("alice", "Alice"), cls.server.register("bob", "Bob")
        account = cls.server.register("memory", NAME)
        cls.bot = Bot(Path(folder.name) / "bot", cls.server, account, **cls.options)
        cls.addClassCleanup(lambda: cls.bot.kill())
        cls.bot.start()

    def room(self, name: str, *, public: bool = True, encrypted: bool = False) -> str:
        """A room with everybody in it."""
        room = self.alice.create_room(name, public=public, invite=[self.bob, self.bot.account], encrypted=encrypted)
        self.bob.join(room)
        self.bot.wait_for("bot in the room", lambda: self.bot.account.id in self._members(room))
        return room

    def _members(self, room: str) -> Any:
        return self.alice.ask("GET", f"/rooms/{room}/joined_members")["joined"]

    def wait_until_stored(self, room: str, *texts: str) -> None:
        """Waits until the memory has these messages."""
        self.bot.wait_for(f"message {texts} in the memory", lambda: set(texts) <= set(self.bot.stored(room)))
