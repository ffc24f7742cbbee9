"""Where a storm's box delivers its notifications: a web server that counts what arrives.

It stays up while the box is killed, so what it has seen tells what was delivered, and how often.
"""

from __future__ import annotations

import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from appliance.actions.webhook import KEY


class Sink:
    """Use as a context manager. `arrived` counts requests by their key."""

    def __init__(self) -> None:
        self.arrived: Counter[str] = Counter()
        lock, arrived = threading.Lock(), self.arrived

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    arrived[self.headers[KEY]] += 1
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name)
                """Nothing: what arrives is personal."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        """Listen."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """What to configure as `notify.webhook.url`."""
        return f"http://127.0.0.1:{self._server.server_port}/"
