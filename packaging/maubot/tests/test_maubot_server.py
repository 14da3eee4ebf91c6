"""The steps of the README: the plugin is uploaded to a maubot server, and answers as one of its instances."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .homeserver import Homeserver
from .waiting import wait_for


class Server(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="myao-maubot-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "homeserver").mkdir()
        (self.folder / "plugins").mkdir()
        self.homeserver = Homeserver(self.folder / "homeserver")
        self.addCleanup(self.homeserver.stop)
        self.homeserver.start()
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/_matrix/maubot/v1/"
        self.token = ""
        config: dict[str, Any] = {
            "database": "sqlite:maubot.db",
            "server": {"hostname": "127.0.0.1", "port": port, "public_url": "http://127.0.0.1", "unshared_secret": "generate"},
            "admins": {"root": "", "admin": "a password"},
            "homeservers": {},
            "logging": {"version": 1, "root": {"level": "INFO"}},
        }
        (self.folder / "config.yaml").write_text(json.dumps(config))

    def start_maubot(self) -> None:
        log = self.folder / "maubot.out"
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        with log.open("wb") as output:
            command = [sys.executable, "-m", "maubot"]
            maubot = subprocess.Popen(command, cwd=self.folder, stdout=output, stderr=output, env=environment)
        self.addCleanup(maubot.wait, 60)
        self.addCleanup(maubot.kill)

        def logs_in() -> bool:
            if maubot.poll() is not None:
                raise AssertionError(f"maubot ended: {log.read_text()[-3000:]}")
            try:
                self.token = self.ask("POST", "auth/login", {"username": "admin", "password": "a password"})["token"]
            except urllib.error.HTTPError as error:
                raise AssertionError(f"{error.code} {error.read()!r}") from None
            except OSError:
                return False
            return True

        wait_for("maubot server", logs_in)

    def ask(self, method: str, path: str, body: Any) -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def test_an_instance_answers(self) -> None:
        self.start_maubot()
        plugin = self.ask("POST", "plugins/upload", Path(os.environ["MYAO_MBP"]).read_bytes())
        self.assertEqual(plugin["id"], "dev.myao.memory")
        alice, bot = self.homeserver.register("alice", "Alice"), self.homeserver.register("mia", "Mia")
        account = {"homeserver": self.homeserver.url, "access_token": bot.token, "enabled": True, "started": True}
        self.ask("PUT", f"client/{quote(bot.id)}", account | {"autojoin": False, "sync": True})
        instance = {"type": "dev.myao.memory", "primary_user": bot.id, "enabled": True, "started": True}
        self.ask("PUT", "instance/memory", instance)
        room = alice.create_room("works", public=True, invite=[bot])
        bot.join(room)
        alice.say(room, "The crane comes on 3 March.")
        asked = alice.mention(room, bot.id, "Mia, when does the crane come?")

        def answers() -> list[str]:
            events = alice.events(room)
            return [event["content"]["body"] for event in events if event["content"].get("dev.myao.answers") == asked]

        try:
            [answer] = wait_for("answer", answers)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{(self.folder / 'maubot.out').read_text()[-3000:]}") from None
        self.assertIn("3 March", answer)
        self.assertEqual({file.name for file in (self.folder / "myao").glob("*.db")}, {"memory.db", "memory-matrix.db"})


if __name__ == "__main__":
    unittest.main()
