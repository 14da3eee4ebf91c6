"""With a model: its answers are posted, and what is redacted while it writes is not."""

from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .world import World


class Models(World):
    asked: list[dict[str, Any]] = []
    failures = 0
    may_answer = threading.Event()

    @classmethod
    def setUpClass(cls) -> None:
        tests = cls

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                tests.asked.append(asked | {"path": self.path, "key": self.headers["Authorization"]})
                tests.may_answer.wait()
                tests.failures -= 1
                choice = {"message": {"content": tests.answer(asked["messages"][0]["content"])}, "finish_reason": "stop"}
                answer = json.dumps({"choices": [choice], "model": "tiny"}).encode()
                try:
                    self.send_response(503 if tests.failures >= 0 else 200)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)
                except OSError:
                    # The bot was ended.
                    pass

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1/"
        cls.options = {
            "model": {"base_url": url, "api_key": "key", "id": "tiny"},
            "persona": {"name": "Mia", "system_prompt": "You are Mia, a librarian."},
            "timezone": "Asia/Tokyo",
            # The model is asked for answers alone.
            "settings": {"engines.memory": "extractive", "memory.prompt_language": "en"},
        }
        super().setUpClass()

    @staticmethod
    def answer(prompt: str) -> str:
        """Repeats what it was told."""
        for told in ("The bridge is rebuilt in June", "The tunnel opens with the word lemming5"):
            if told in prompt:
                return f"{told}, as Alice said."
        return "Nobody told me about that."

    def setUp(self) -> None:
        self.asked.clear()
        self.may_answer.set()

    def test_the_model_writes_the_answer(self) -> None:
        type(self).failures = 2
        room = self.room("bridges")
        self.alice.say(room, "The bridge is rebuilt in June.")
        asked = self.bob.mention(room, self.bot.account.id, "Mia, when is the bridge rebuilt?")
        content = self.bot.answer_to(room, self.alice, asked)["content"]
        self.assertIn("rebuilt in June", content["body"])
        request = self.asked[-1]
        self.assertEqual((request["path"], request["key"], request["model"]), ("/v1/chat/completions", "Bearer key", "tiny"))
        self.assertIn("You are Mia, a librarian.", request["messages"][0]["content"])
        self.assertEqual(len(self.asked), 3)

    def test_what_is_redacted_while_the_model_writes_is_not_told(self) -> None:
        room = self.room("tunnels")
        said = self.alice.say(room, "The tunnel opens with the word lemming5.")
        first = self.bob.mention(room, self.bot.account.id, "Mia, how does the tunnel open?")
        self.assertIn("lemming5", self.bot.answer_to(room, self.alice, first)["content"]["body"])
        self.may_answer.clear()
        before = len(self.asked)
        second = self.bob.mention(room, self.bot.account.id, "Mia, how does the tunnel open again?")
        self.bot.wait_for("question to the model", lambda: len(self.asked) > before)
        self.alice.redact(room, said)
        # The first answer goes, though the model is still writing the second one.
        self.bot.wait_for("answer to go", lambda: not self.bot.answers_to(room, self.alice, first))
        self.may_answer.set()
        self.assertNotIn("lemming5", self.bot.answer_to(room, self.alice, second)["content"]["body"])
        self.assertFalse(any("lemming5" in event["content"]["body"] for event in self.bot.answers(room, self.alice)))


if __name__ == "__main__":
    unittest.main()
