"""Stands between the bot and its homeserver, and can hold a request: the moment to kill the bot in."""

from __future__ import annotations

import http.client
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Proxy:
    """Hands requests on. It may hold the first one that matches a pattern, before or after the homeserver has it."""

    def __init__(self, url: str):
        upstream = urlsplit(url)
        assert upstream.hostname and upstream.port
        self._upstream = (upstream.hostname, upstream.port)
        self._lock = threading.Lock()
        self._pattern: re.Pattern[str] | None = None
        self._hands_on = False
        self.held = threading.Event()
        """Set when a request is held."""
        self._released = threading.Event()
        self.syncs = 0
        """How often the bot's client asked what is new: each time, it has saved its token before."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                proxy._handle(self)

            do_GET = do_PUT = do_POST = handle_any

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                # Who is killed closes no connection in order.
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def hold(self, pattern: str, *, after_handing_on: bool) -> None:
        """Holds the next request that matches; it is never answered."""
        self._pattern, self._hands_on = re.compile(pattern), after_handing_on
        self.held.clear()
        self._released.clear()

    def release(self) -> None:
        """Lets what is held end."""
        self._released.set()

    def close(self) -> None:
        """Ends the proxy."""
        self._released.set()
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        with self._lock:
            self.syncs += "/sync" in request.path
            is_held = self._pattern is not None and self._pattern.search(f"{request.command} {request.path}") is not None
            if is_held:
                self._pattern = None
        if is_held and not self._hands_on:
            self.held.set()
            self._released.wait()
        else:
            try:
                status, headers, answer = self._hand_on(request, body)
            except OSError:
                status, headers, answer = 502, [], b"{}"
            if is_held:
                self.held.set()
                self._released.wait()
            else:
                self._answer(request, status, headers, answer)
                return
        request.close_connection = True

    def _hand_on(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(*self._upstream, timeout=120)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in ("host", "accept-encoding")}
        connection.request(request.command, request.path, body, headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, [("Content-Type", response.getheader("Content-Type") or "application/json")], answer

    def _answer(
        self, request: BaseHTTPRequestHandler, status: int, headers: list[tuple[str, str]], answer: bytes
    ) -> None:
        try:
            request.send_response(status)
            for name, value in headers:
                request.send_header(name, value)
            request.send_header("Content-Length", str(len(answer)))
            request.end_headers()
            request.wfile.write(answer)
        except OSError:
            # The bot was killed.
            request.close_connection = True
