"""One HTTP request to a server of the operator's, ended by a cutoff whatever it does.

Endpoint(url).post(headers, body, cutoff) -> status, body of the answer
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from appliance.actions.wire import Cutoff, peer_errors, tls_context
from appliance.errors import ConfigError, PeerError

LONGEST_ANSWER = 256 * 1024  # bytes; whatever sends more is broken


class Endpoint:
    """Where requests go. Redirections are not followed: nothing goes where nobody configured it."""

    def __init__(self, url: str, ca_file: Path | None, key: str) -> None:
        """`key`: the configuration's, for messages.

        Raises:
            ConfigError: the address or the certificates cannot be used.
        """
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError as error:
            raise ConfigError(f"{key}: {error}") from error
        if not parts.hostname or parts.username is not None:
            raise ConfigError(f"{key}: give a host, and no user name or password")
        self._host = parts.hostname
        self._tls = (
            tls_context(ca_file, key.removesuffix(".url")) if parts.scheme == "https" else None
        )
        self._port = port or (443 if self._tls else 80)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def post(
        self, headers: Mapping[str, str], body: bytes, cutoff: Cutoff, *, reads: bool = True
    ) -> tuple[int, bytes]:
        """Post a JSON body; the status and, if it `reads`, the body of the answer.

        Raises:
            PeerError: the server cannot be reached, is too late, or sends too much.
        """
        sent = {"Content-Type": "application/json", **headers, "Connection": "close"}
        with peer_errors(cutoff):
            link = _Link(self._host, self._port, self._tls, cutoff)
            try:
                link.request("POST", self._path, body, sent)
                response = link.getresponse()
                answer = response.read(LONGEST_ANSWER + 1) if reads else b""
            finally:
                link.close()
        if len(answer) > LONGEST_ANSWER:
            raise PeerError(f"answers with more than {LONGEST_ANSWER} bytes")
        return response.status, answer


class _Link(http.client.HTTPConnection):
    """An HTTP client whose connection ends at the cutoff."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None, cutoff: Cutoff) -> None:
        super().__init__(host, port)
        self._context, self._cutoff = tls, cutoff

    def connect(self) -> None:
        """Open the connection."""
        link = self._cutoff.connect(self.host, self.port)
        self.sock = (
            link if self._context is None
            else self._context.wrap_socket(link, server_hostname=self.host)
        )  # fmt: skip
