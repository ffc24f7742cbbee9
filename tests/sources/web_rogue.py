"""MCP by HTTP on 127.0.0.1 that misbehaves as the test says: real sockets, and TLS."""

from __future__ import annotations

import gzip
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.sources.rogue import reply


class WebRogue(ThreadingHTTPServer):
    """`trick` is how calls of tools are treated, `only` some; `always`, how everything is."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int = 0, token: str = "") -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.trick = "ok"
        self.always = "ok"
        self.only: dict[str, str] = {}
        self.token = token
        self.tools = ["echo", "huge", "lie", "slow"]
        self.closing = threading.Event()
        self.bodies: list[bytes] = []
        self.stolen: list[str] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone away is what the tests want."""


@contextmanager
def web_rogue(
    tls: ssl.SSLContext | None = None, port: int = 0, token: str = ""
) -> Iterator[WebRogue]:
    with WebRogue(port, token) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)  # fmt: skip
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: WebRogue
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        """Not on stderr."""

    def do_GET(self) -> None:
        self._send(405, b"", "text/plain")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.bodies.append(body)
        if self.path == "/elsewhere":
            self.server.stolen.append(self.headers.get("authorization", ""))
        if self.server.token and self.headers.get("authorization") != f"Bearer {self.server.token}":
            self._send(401, b"secret 90210", "text/plain")
            return
        message = json.loads(body)
        trick = self.server.always
        if trick == "ok" and message["method"] == "tools/call":
            trick = self.server.only.get(message["params"]["name"], self.server.trick)
        answer = reply(message, self.server.tools)
        self._play(trick, b"" if answer is None else json.dumps(answer).encode())

    def _play(self, trick: str, answer: bytes) -> None:  # noqa: C901 - one case for each trick
        match trick:
            case "401" | "404" | "500" | "503" | "400":
                self._send(int(trick), b"secret 90210", "text/plain")
            case "html":
                self._send(200, b"<html>secret 90210</html>", "text/html")
            case "garbage":
                self._send(200, b"{secret 90210", "application/json")
            case "mojibake":
                self._send(200, b'{"jsonrpc": "2.0", "x": "\xff"}', "application/json")
            case "drop":
                self.close_connection = True
            case "truncate":
                self._send(200, answer[:20], "application/json", length=len(answer))
                self.close_connection = True
            case "late":
                self.server.closing.wait(30)
                self._send(200, answer, "application/json")
            case "hang":
                self.server.closing.wait(30)
            case "drip":
                self._head(200, "application/json", len(answer))
                for each in answer:
                    if self.server.closing.wait(0.1):
                        return
                    self.wfile.write(bytes([each]))
            case "bomb" | "bomb_sse":
                body = answer.replace(b'"x"', b'"' + b"x" * 10_000_000 + b'"')
                kind = "application/json"
                if trick == "bomb_sse":
                    body, kind = b"event: message\ndata: " + body + b"\n\n", "text/event-stream"
                self._send(200, gzip.compress(body, 1), kind, encoding="gzip")
            case "sse":
                self._send(200, b"event: message\ndata: " + answer + b"\n\n", "text/event-stream")
            case "sse_drop":
                self._send(200, b": nothing follows\n\n", "text/event-stream")
            case "redirect":
                self.send_response(307)
                self.send_header("location", f"http://localhost:{self.server.port}/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()
            case _:
                self._send(200 if answer else 202, answer, "application/json")

    def _send(
        self, status: int, body: bytes, kind: str, length: int | None = None, encoding: str = ""
    ) -> None:
        self._head(status, kind, len(body) if length is None else length, encoding)
        with suppress(OSError):
            self.wfile.write(body)

    def _head(self, status: int, kind: str, length: int, encoding: str = "") -> None:
        self.send_response(status)
        if encoding:
            self.send_header("content-encoding", encoding)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(length))
        self.end_headers()
