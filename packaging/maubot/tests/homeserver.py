"""A real homeserver (Synapse) on loopback, without federation, in a folder of its own."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .waiting import wait_for

SECRET = "the secret of this test"
DOMAIN = "example.test"
_LIMITS = ("rc_message", "rc_registration", "rc_admin_redaction", "rc_room_creation", "rc_reports")
_NESTED = {
    "rc_login": ("address", "account", "failed_attempts"),
    "rc_joins": ("local", "remote"),
    "rc_invites": ("per_room", "per_user", "per_issuer"),
}


class Refused(Exception):
    """The homeserver refused a request."""


class Homeserver:
    """It may be started again in the same folder: it has the same port, people and rooms."""

    def __init__(self, folder: Path):
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._config = folder / "homeserver.yaml"
        self._process: subprocess.Popen[bytes] | None = None
        unlimited = {"per_second": 100_000, "burst_count": 100_000}
        config: dict[str, Any] = {
            "server_name": DOMAIN,
            "pid_file": str(folder / "homeserver.pid"),
            "listeners": [
                {"port": self._port, "type": "http", "bind_addresses": ["127.0.0.1"], "resources": [{"names": ["client"]}]}
            ],
            "database": {"name": "sqlite3", "args": {"database": str(folder / "homeserver.db")}},
            "log_config": str(folder / "log.yaml"),
            "media_store_path": str(folder / "media"),
            "signing_key_path": str(folder / "signing.key"),
            "registration_shared_secret": SECRET,
            "macaroon_secret_key": SECRET,
            "form_secret": SECRET,
            "report_stats": False,
            "trusted_key_servers": [],
            "federation_domain_whitelist": [],
            "presence": {"enabled": False},
            "url_preview_enabled": False,
            # A password costs little to check here.
            "bcrypt_rounds": 4,
            **{limit: unlimited for limit in _LIMITS},
            **{limit: dict.fromkeys(parts, unlimited) for limit, parts in _NESTED.items()},
        }
        # JSON is YAML.
        self._config.write_text(json.dumps(config))
        log = {
            "version": 1,
            "handlers": {"file": {"class": "logging.FileHandler", "filename": str(folder / "homeserver.log")}},
            "root": {"level": "WARNING", "handlers": ["file"]},
            "disable_existing_loggers": False,
        }
        (folder / "log.yaml").write_text(json.dumps(log))
        self._run("--generate-keys")

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        with (self._folder / "output.log").open("ab") as output:
            command = [sys.executable, "-m", "synapse.app.homeserver", "--config-path", str(self._config)]
            self._process = subprocess.Popen(command, cwd=self._folder, stdout=output, stderr=output)

        def answers() -> bool:
            assert self._process is not None
            if self._process.poll() is not None:
                raise AssertionError(f"Synapse ended: {(self._folder / 'output.log').read_text()[-3000:]}")
            try:
                self.request("GET", "/_matrix/client/versions")
            except OSError:
                return False
            return True

        wait_for("homeserver", answers)

    def stop(self) -> None:
        """Ends it."""
        if self._process:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def register(self, name: str, display_name: str) -> Person:
        """Makes an account."""
        nonce = self.request("GET", "/_synapse/admin/v1/register")["nonce"]
        signed = "\0".join([nonce, name, "password", "notadmin"])
        account = {
            "nonce": nonce,
            "username": name,
            "displayname": display_name,
            "password": "password",
            "admin": False,
            "mac": hmac.new(SECRET.encode(), signed.encode(), hashlib.sha1).hexdigest(),
        }
        made = self.request("POST", "/_synapse/admin/v1/register", account)
        return Person(self, made["user_id"], made["access_token"])

    def request(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """Asks for something; raises `Refused` with what the homeserver says."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise Refused(f"{method} {path}: {error.code} {error.read().decode()}") from None

    def _run(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "synapse.app.homeserver", "--config-path", str(self._config), *arguments]
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True)


class Person:
    """Somebody with an account."""

    def __init__(self, server: Homeserver, id: str, token: str):
        self._server, self.id, self.token = server, id, token
        self._sent = 0

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Asks the homeserver for something."""
        return self._server.request(method, f"/_matrix/client/v3{path}", body, self.token)

    def create_room(self, name: str, *, public: bool, invite: list[Person], encrypted: bool = False) -> str:
        """Makes a room, and invites people."""
        state = [{"type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}] if encrypted else []
        preset = "public_chat" if public else "private_chat"
        people = [person.id for person in invite]
        asked = {"name": name, "preset": preset, "invite": people, "initial_state": state}
        return self.ask("POST", "/createRoom", asked)["room_id"]

    def join(self, room: str) -> None:
        """Goes into a room."""
        self.ask("POST", f"/rooms/{quote(room)}/join", {})

    def say(self, room: str, text: str, **content: Any) -> str:
        """Says something, and returns the event id."""
        return self.send(room, "m.room.message", {"msgtype": "m.text", "body": text, **content})

    def mention(self, room: str, whom: str, text: str, **content: Any) -> str:
        """Says something to somebody."""
        return self.say(room, text, **{"m.mentions": {"user_ids": [whom]}, **content})

    def reply_in_thread(self, root: str) -> dict[str, Any]:
        """The content of a message in a thread."""
        return {"m.relates_to": {"rel_type": "m.thread", "event_id": root, "m.in_reply_to": {"event_id": root}}}

    def edit(self, room: str, event: str, text: str) -> str:
        """Changes a message."""
        content = {"msgtype": "m.text", "body": text}
        relates = {"rel_type": "m.replace", "event_id": event}
        return self.say(room, f"* {text}", **{"m.new_content": content, "m.relates_to": relates})

    def redact(self, room: str, event: str) -> None:
        """Takes a message back."""
        self._sent += 1
        self.ask("PUT", f"/rooms/{quote(room)}/redact/{quote(event)}/r{self._sent}", {})

    def send(self, room: str, type: str, content: dict[str, Any]) -> str:
        """Sends an event."""
        self._sent += 1
        return self.ask("PUT", f"/rooms/{quote(room)}/send/{type}/t{self._sent}", content)["event_id"]

    def set_state(self, room: str, type: str, content: dict[str, Any]) -> None:
        """Changes a room's state."""
        self.ask("PUT", f"/rooms/{quote(room)}/state/{type}/", content)

    def events(self, room: str) -> list[dict[str, Any]]:
        """All events of a room, oldest first."""
        found = list[dict[str, Any]]()
        begin = ""
        while True:
            page = self.ask("GET", f"/rooms/{quote(room)}/messages?dir=b&limit=1000{begin}")
            found += page["chunk"]
            if not page["chunk"] or "end" not in page:
                return found[::-1]
            begin = f"&from={page['end']}"
