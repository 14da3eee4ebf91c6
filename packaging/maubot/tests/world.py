"""A homeserver with a bot and two people, for a class of tests."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

from .bot import NAME, Bot
from .homeserver import Homeserver, Person
from .proxy import Proxy


class World(unittest.TestCase):
    """Each class of tests has a homeserver of its own."""

    server: Homeserver
    alice: Person
    bob: Person
    bot: Bot
    proxy: Proxy
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
        cls.proxy = Proxy(cls.server.url)
        cls.addClassCleanup(lambda: cls.proxy.close())
        account = cls.server.register("memory", NAME)
        cls.bot = Bot(Path(folder.name) / "bot", cls.proxy.url, account, **cls.options)
        cls.addClassCleanup(lambda: cls.bot.kill())
        cls.bot.start()

    def room(self, name: str, *, public: bool = True, encrypted: bool = False) -> str:
        """A room with everybody in it."""
        room = self.alice.create_room(name, public=public, invite=[self.bob, self.bot.account], encrypted=encrypted)
        self.bob.join(room)
        self.bot.account.join(room)
        return room

    def wait_until_stored(self, room: str, *texts: str) -> None:
        """Waits until the memory has these messages."""
        self.bot.wait_for(f"message {texts} in the memory", lambda: set(texts) <= set(self.bot.stored(room)))
