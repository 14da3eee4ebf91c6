"""An app's address whose requests Slack's SDK checks: python receiver.py SECRET --port PORT

It answers a genuine handshake with its challenge, another genuine request with 200, and the rest with 401.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from slack_sdk.signature import SignatureVerifier

secret, _, port = sys.argv[1:]
verifier = SignatureVerifier(secret)


class Receiver(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, "")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not verifier.is_valid_request(body, dict(self.headers)):
            self.answer(401, "")
        elif self.headers["content-type"] == "application/json":
            self.answer(200, json.loads(body).get("challenge", ""))
        else:
            self.answer(200, "")

    def answer(self, status, text):
        content = text.encode()
        self.send_response(status)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


HTTPServer(("127.0.0.1", int(port)), Receiver).serve_forever()
