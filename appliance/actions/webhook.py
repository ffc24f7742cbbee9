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

from appliance.actions.endpoint import Endpoint
from appliance.actions.notices import Notice, as_json
from appliance.actions.wire import Cutoff, read_secret
from appliance.config import WebhookConfig
from appliance.errors import PeerError

SIGNATURE = "X-Signature-256"
KEY = "Idempotency-Key"


class Webhook:
    """Delivers by HTTP; see `delivery.Channel`."""

    name = "webhook"

    def __init__(self, config: WebhookConfig) -> None:
        """Raises ConfigError where the address, the secret or the certificates cannot be used."""
        self._endpoint = Endpoint(config.url, config.ca_file, "notify.webhook.url")
        self._secret = read_secret(config.secret_file, "notify.webhook.secret_file").encode()

    def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
        """Post it.

        Raises:
            PeerError: the server cannot be reached or does not accept it; holds its status.
        """
        body = as_json(notice)
        headers = {
            KEY: notice.key,
            SIGNATURE: f"sha256={sign(self._secret, body)}",
        }
        status, _ = self._endpoint.post(headers, body, cutoff, reads=False)
        if not 200 <= status < 300:
            raise PeerError(f"HTTP {status}")


def sign(secret: bytes, body: bytes) -> str:
    """HMAC-SHA256 (RFC 2104) in hexadecimal."""
    return hmac.new(secret, body, hashlib.sha256).hexdigest()
