"""The plugin as a process: `maubot.standalone` in a folder of its own, from the packed file."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from .homeserver import Person
from .waiting import wait_for

NAME = "Myao"


class Bot:
    """A bot that may be started again in the same folder."""

    def __init__(self, folder: Path, url: str, account: Person, **options: Any):
        self._folder = folder
        self.account = account
        folder.mkdir()
        with zipfile.ZipFile(os.environ["MYAO_MBP"]) as plugin:
            plugin.extractall(folder)
        self._log = folder / "bot.log"
        self._process: subprocess.Popen[bytes] | None = None
        config = {
            "user": {
                "credentials": {
                    "id": account.id,
                    "homeserver": url,
                    "access_token": account.token,
                    "device_id": None,
                },
                "sync": True,
                "appservice": False,
                "hs_token": None,
                "autojoin": False,
                "displayname": "disable",
                "avatar_url": "disable",
                # As maubot has it by default: the bot must find by itself what it has missed.
                "ignore_initial_sync": True,
                "ignore_first_sync": True,
            },
            "server": {"hostname": "127.0.0.1", "port": 0, "base_path": "/", "public_url": "http://127.0.0.1"},
            "database": f"sqlite:{folder}/maubot.db",
            "database_opts": {"min_size": 1, "max_size": 1},
            "crypto_db_pickle_key": "mau.crypto",
            "plugin_config": {"data_folder": str(folder / "data"), "tick_seconds": 0.2, **options},
            "logging": {
                "version": 1,
                "formatters": {"plain": {"format": "%(levelname)s %(name)s %(message)s"}},
                "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
                "loggers": {"maubot": {"level": "INFO"}, "mau": {"level": "INFO"}},
                "root": {"level": "INFO", "handlers": ["console"]},
            },
        }
        (folder / "config.yaml").write_text(json.dumps(config))

    def configure(self, **options: Any) -> None:
        """Changes the plugin's configuration, for the next start."""
        # maubot has written it anew, as YAML.
        file = self._folder / "config.yaml"
        yaml = YAML()
        config = yaml.load(file)
        config["plugin_config"] |= options
        yaml.dump(config, file)

    def start(self, *, ready: bool = True) -> None:
        """Starts it, and waits until it has read what it missed."""
        before = self.log().count("Ready:")
        with self._log.open("ab") as log:
            command = [sys.executable, "-m", "maubot.standalone"]
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
            self._process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log, env=environment)
        if ready:
            self.wait_for("bot that is ready", lambda: self.log().count("Ready:") > before)

    def wait_for(self, what: str, look: Any) -> Any:
        """Waits for something while the bot runs."""

        def check() -> Any:
            if self._process and self._process.poll() is not None:
                raise AssertionError(f"the bot ended: {self.log()[-5000:]}")
            return look()

        try:
            return wait_for(what, check)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.log()[-2500:]}") from None

    def stop(self) -> None:
        """Ends it as a service manager does."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it at once, whatever it does."""
        self._end(signal.SIGKILL)

    def _end(self, by: signal.Signals) -> None:
        if self._process:
            self._process.send_signal(by)
            self._process.wait(60)
            self._process = None

    def log(self) -> str:
        """What it said."""
        return self._log.read_text() if self._log.exists() else ""

    def answers(self, room: str, reader: Person) -> list[dict[str, Any]]:
        """Its answers in a room that are not taken back, oldest first."""
        return [
            event
            for event in reader.events(room)
            if event["sender"] == self.account.id and event["type"] == "m.room.message" and event["content"].get("body")
        ]

    def answers_to(self, room: str, reader: Person, mention: str) -> list[dict[str, Any]]:
        """Its answers to one message."""
        return [event for event in self.answers(room, reader) if event["content"]["dev.myao.answers"] == mention]

    def answer_to(self, room: str, reader: Person, mention: str) -> dict[str, Any]:
        """Waits for its answer to a message."""
        return self.wait_for("answer", lambda: self.answers_to(room, reader, mention))[0]

    def stored(self, room: str) -> list[str]:
        """The messages that its memory has of a room, in order."""
        return self._read("SELECT text FROM messages WHERE channel_id = ? AND is_deleted = 0 ORDER BY ts", room)

    def memories(self) -> list[str]:
        """Every text that its memory has made, old versions too."""
        return self._read("SELECT content FROM memories")

    def _read(self, sql: str, *parameters: str) -> list[str]:
        database = sqlite3.connect(self._folder / "data" / "__main__.db", timeout=60)
        try:
            return [row[0] for row in database.execute(sql, parameters)]
        finally:
            database.close()

    def bytes_on_disk(self) -> dict[str, bytes]:
        """Everything that it keeps, by file."""
        return {file.name: file.read_bytes() for file in (self._folder / "data").iterdir()}
