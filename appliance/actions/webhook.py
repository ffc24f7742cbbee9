"""The channel `webhook`: one notification, one POST, signed.

    POST /path
    Idempotency-Key: booking:…            the same at every attempt: discard what you have seen
    X-Signature-256: sha256=<hex>         HMAC-SHA256 of the body with the shared secret

Any status from 200 to 299 says that it has arrived. A redirection is not followed: what callers
said goes where the operator configured it, and nowhere else.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ssl
from urllib.parse import urlsplit

from appliance.actions.notices import Notice, as_json
from appliance.actions.wire import Cutoff, peer_errors, read_secret, tls_context
from appliance.config import WebhookConfig
from appliance.errors import ConfigError, PeerError

SIGNATURE = "X-Signature-256"
KEY = "Idempotency-Key"


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


class Webhook:
    """Delivers by HTTP; see `delivery.Channel`."""

    name = "webhook"

    def __init__(self, config: WebhookConfig) -> None:
        """Raises ConfigError where the address, the secret or the certificates cannot be used."""
        url = urlsplit(config.url)
        try:
            port = url.port
        except ValueError as error:
            raise ConfigError(f"notify.webhook.url: {error}") from error
        if not url.hostname or url.username is not None:
            raise ConfigError("notify.webhook.url: give a host, and no user name or password")
        self._host = url.hostname
        self._tls = tls_context(config.ca_file) if url.scheme == "https" else None
        self._port = port or (443 if self._tls else 80)
        self._path = (url.path or "/") + (f"?{url.query}" if url.query else "")
        self._secret = read_secret(config.secret_file, "notify.webhook.secret_file").encode()

    def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
        """Post it.

        Raises:
            PeerError: the server cannot be reached or does not accept it; holds its status.
        """
        body = as_json(notice)
        headers = {
            "Content-Type": "application/json",
            KEY: notice.key,
            SIGNATURE: f"sha256={sign(self._secret, body)}",
            "Connection": "close",
        }
        with peer_errors(cutoff):
            link = _Link(self._host, self._port, self._tls, cutoff)
            try:
                link.request("POST", self._path, body, headers)
                status = link.getresponse().status
            finally:
                link.close()
        if not 200 <= status < 300:
            raise PeerError(f"HTTP {status}")


def sign(secret: bytes, body: bytes) -> str:
    """HMAC-SHA256 (RFC 2104) in hexadecimal."""
    return hmac.new(secret, body, hashlib.sha256).hexdigest()
