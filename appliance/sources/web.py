"""A server on the operator's network: MCP by streamable HTTP, with a bearer token and own CA.

What is said goes to the configured address and nowhere else: no proxy of the environment is used,
and a redirection leads nowhere but within the same origin.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from appliance.sources.faults import MESSAGE_BYTES, Cause

TOO_LONG = "the answer is too long"
PACKED = "the answer is compressed"
BROKEN_OFF = "the answer is broken off"
NO_ANSWER = 0
"""In place of an HTTP status: the connection was lost before there was one."""


class BodyError(httpx2.StreamError):
    """A body cannot be read to its end; the MCP package passes the text on."""


class Web:
    """One connection to a server.

    Attributes:
        ended: set when it is no longer of use.
        ready: to be set once it is connected; then a request that fails costs no other its answer.
        status: the HTTP status of the last answer if it was an error (or NO_ANSWER), else None.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], tls: ssl.SSLContext, patience_s: float
    ) -> None:
        """`patience_s`: a request that nobody waits for any more ends after that."""
        self._url, self._headers, self._tls = url, dict(headers), tls
        self._patience_s = patience_s
        self.ended = asyncio.Event()
        self.ready = False
        self.status: int | None = None

    @property
    def hint(self) -> str:
        """What may explain that no answer comes."""
        return ""

    def why_ended(self) -> Cause:
        """Why there is no connection any more."""
        match self.status:
            case 401 | 403:
                return Cause(f"the token is refused (HTTP {self.status})", "see token_file")
            case 404 | 405:
                return Cause(f"no MCP at that path (HTTP {self.status})", "correct the url")
            case int() if self.status != NO_ANSWER:
                return Cause(f"HTTP {self.status}", "see the server's own log")
        return Cause("the connection was lost", "see the server's own log")

    def kill(self) -> None:
        """Nothing of the box's own runs for it."""

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[Any]:
        """Be connected as long as the context lasts."""
        client = httpx2.AsyncClient(
            headers={**self._headers, "Accept-Encoding": "identity"},
            timeout=httpx2.Timeout(self._patience_s), trust_env=False,
            transport=_Bounded(self, verify=self._tls, trust_env=False),
            event_hooks={"response": [self._look]},
        )  # fmt: skip
        async with (
            client,
            streamable_http_client(
                self._url, http_client=client, terminate_on_close=False,
                max_sse_event_size=MESSAGE_BYTES,
            ) as streams,
        ):  # fmt: skip
            yield streams

    async def _look(self, response: httpx2.Response) -> None:
        if "lost" in response.extensions:
            self.status = NO_ANSWER
        else:
            self.status = response.status_code if response.status_code >= 400 else None


class _Bounded(httpx2.AsyncHTTPTransport):
    """Reads no body that is longer than a message may be. Event streams have a limit an event.

    Nor one that is compressed: half a megabyte of it can become five hundred.

    What httpx2 raises would end all that the MCP package does on a connection. So once that is
    made, a lost request has an answer of its own; but where nobody listens any more, it may end.
    """

    def __init__(self, web: Web, verify: ssl.SSLContext, *, trust_env: bool) -> None:
        super().__init__(verify=verify, trust_env=trust_env)
        self._web = web

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            response = await super().handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            raise
        except httpx2.TransportError:
            if not self._web.ready:
                raise
            return httpx2.Response(503, request=request, extensions={"lost": True})
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            return httpx2.Response(
                200, headers={"content-type": "application/json"}, stream=_Packed(), request=request
            )
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _BoundedStream(response.stream)
        return response


class _Packed(httpx2.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        raise BodyError(PACKED)
        yield b""


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, whole: httpx2.AsyncByteStream) -> None:
        self._whole = whole

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MESSAGE_BYTES
        try:
            async for each in self._whole:
                left -= len(each)
                if left < 0:
                    raise BodyError(TOO_LONG)
                yield each
        except httpx2.TransportError:
            raise BodyError(BROKEN_OFF) from None

    async def aclose(self) -> None:
        await self._whole.aclose()
