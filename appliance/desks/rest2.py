"""HTTP with a Request Tracker's REST 2 interface: JSON, a token, a deadline, and one kind of error.

Whatever a server may do (refuse, stall, drip, answer with pages of a login form) is a `SourceError`
that says what helps. Nothing that a user wrote is in its text.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx2

from appliance.conversations import NoConversationError
from appliance.errors import ConfigError, SourceError
from appliance.secret_files import secret_path
from appliance.sections import RequestTrackerConfig

_LARGEST = 8 * 1024 * 1024  # bytes; a ticket of thousands of messages
_PAGE = 100
_MOST_PAGES = 50
_REMEDIES = {
    401: "the token is refused: make a new one for the agent's user",
    403: "the agent's user lacks a right: docs/desk.md lists them",
    429: "it asks for fewer requests: raise desk.poll_s",
}


class Rest2:
    """A client for one server; several threads may use it."""

    def __init__(self, config: RequestTrackerConfig) -> None:
        """Raises ConfigError: the token or the certificates cannot be read."""
        self._deadline_s = config.deadline_s
        self.token = _token(config.token_file)
        try:
            tls = ssl.create_default_context(cafile=config.ca_file)
        except OSError as error:
            key = "desk.request_tracker.ca_file"
            raise ConfigError(f"{key}: {config.ca_file}: {error.strerror or error}") from error
        self._client = httpx2.Client(
            base_url=config.url.rstrip("/") + "/REST/2.0/",
            headers={"Authorization": f"token {self.token}", "Accept": "application/json"},
            timeout=config.deadline_s, verify=tls, follow_redirects=False, trust_env=False,
        )  # fmt: skip
        self.date: datetime | None = None
        """The server's time at its last answer."""

    def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A resource. Raises SourceError, or NoConversationError where there is none."""
        found = self._ask("GET", path, query or {}, None)
        if not isinstance(found, dict):
            raise SourceError("request tracker: its answer is no resource")
        return found

    def post(self, path: str, body: Any, query: Mapping[str, str] | None = None) -> Any:
        """Make something, or search by a body; raises as `get`."""
        return self._ask("POST", path, query or {}, body)

    def put(self, path: str, body: Any) -> Any:
        """Change something; raises as `get`. What could not be changed is only in the answer."""
        return self._ask("PUT", path, {}, body)

    def items(
        self, path: str, query: Mapping[str, str], body: Any = None
    ) -> Iterator[dict[str, Any]]:
        """Everything in a collection, page after page; with a body it is a search."""
        for page in range(1, _MOST_PAGES + 1):
            wanted = {**query, "per_page": str(_PAGE), "page": str(page)}
            found = self.get(path, wanted) if body is None else self.post(path, body, wanted)
            items = found.get("items") if isinstance(found, dict) else None
            if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
                raise SourceError("request tracker: its answer is no list")
            yield from items
            if len(items) < _PAGE:
                return

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def _ask(self, method: str, path: str, query: Mapping[str, str], body: Any) -> Any:
        with _errors():
            asked = self._client.build_request(
                method, path, params=query or None, json=body if body is not None else None
            )
            status, headers, content = self._exchange(asked)
        if status == 404:
            raise NoConversationError("request tracker: there is no such ticket")
        if not 200 <= status < 300:
            remedy = _REMEDIES.get(status, "see its own log")
            raise SourceError(f"request tracker: HTTP {status}: {remedy}")
        with suppress(ValueError, OverflowError):  # a date that is none says nothing
            self.date = parsedate_to_datetime(headers.get("date", "")).astimezone(UTC)
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise SourceError(
                "request tracker: its answer is not JSON: is desk.request_tracker.url right?"
            ) from error

    def _exchange(self, asked: httpx2.Request) -> tuple[int, Mapping[str, str], bytes]:
        """One request; a server that drips or floods is cut off."""
        ends = time.monotonic() + self._deadline_s
        content = bytearray()
        response = self._client.send(asked, stream=True)
        try:
            for chunk in response.iter_bytes():
                content += chunk
                if time.monotonic() > ends:
                    raise SourceError("request tracker: timed out")
                if len(content) > _LARGEST:
                    raise SourceError(f"request tracker: answers with more than {_LARGEST} bytes")
        finally:
            response.close()
        return response.status_code, response.headers, bytes(content)


@contextmanager
def _errors() -> Iterator[None]:
    """Map what httpx2 raises; its own texts may name addresses, but nothing personal."""
    try:
        yield
    except httpx2.TimeoutException as error:
        raise SourceError("request tracker: timed out") from error
    except httpx2.ConnectError as error:
        raise SourceError(f"request tracker: cannot be reached: {error}") from error
    except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
        raise SourceError(f"request tracker: {type(error).__name__}") from error


def _token(path: Path) -> str:
    key = "desk.request_tracker.token_file"
    try:
        token = secret_path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{key}: {path}: cannot be read") from error
    if not token:
        raise ConfigError(f"{key}: {path}: is empty")
    return token
