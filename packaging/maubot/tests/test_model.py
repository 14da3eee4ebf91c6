"""With a model: its answers are posted, and its failures are not the end."""

from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .world import World


class Models(World):
    asked: list[dict[str, Any]] = []
    failures = 2

    @classmethod
    def setUpClass(cls) -> None:
        tests = cls

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                tests.asked.append(asked | {"path": self.path, "key": self.headers["Authorization"]})
                tests.failures -= 1
                text = "The bridge is rebuilt in June, as Alice said."
                choice = {"message": {"content": text}, "finish_reason": "stop"}
                answer = json.dumps({"choices": [choice], "model": "tiny"}).encode()
                self.send_response(503 if tests.failures >= 0 else 200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

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
            "prompt_language": "en",
            "timezone": "Asia/Tokyo",
            # The model is asked for answers alone.
            "settings": {"engines.memory": "extractive"},
        }
        super().setUpClass()

    def test_the_model_writes_the_answer(self) -> None:
        room = self.room("bridges")
        self.alice.say(room, "The bridge is rebuilt in June.")
        asked = self.bob.mention(room, self.bot.account.id, "Mia, when is the bridge rebuilt?")
        content = self.bot.answer_to(room, self.alice, asked)["content"]
        self.assertIn("rebuilt in June", content["body"])
        request = self.asked[-1]
        self.assertEqual((request["path"], request["key"], request["model"]), ("/v1/chat/completions", "Bearer key", "tiny"))
        self.assertIn("You are Mia, a librarian.", request["messages"][0]["content"])
        self.assertGreater(len(self.asked), 2)


if __name__ == "__main__":
    unittest.main()
