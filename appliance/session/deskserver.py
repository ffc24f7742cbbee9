"""Serves the own desk's API beside the calls.

    uvicorn ──> Guard ──┬─ too many, no token ──> 429, 401
                        └─> routes ──> answer, or an error as {"error", "remedy"}

A client that sends nothing, or slowly, is cut off; so are those beyond `AT_ONCE`.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from appliance.actions.wire import read_secret
from appliance.clock import Clock
from appliance.conversations import NoConversationError
from appliance.errors import ConfigError, StoreError
from appliance.sections import DeskConfig
from appliance.session.deskapi import DeskRoutes, RefusedError
from appliance.session.deskopenapi import describe
from appliance.session.deskrates import Rates
from appliance.session.services import workers
from appliance.store.conversations import Conversations, FullError, KeyTakenError

AT_ONCE = 64
"""Connections; the next is answered 503."""

_REQUEST_S = 10.0
_GRACE_S = 2
_NS_PER_S = 1_000_000_000
_log = structlog.get_logger()


@dataclass(frozen=True)
class Guard:
    """Lets only requests through that may be served; whatever fails behind it is one JSON error."""

    app: ASGIApp
    token: bytes
    clock: Clock
    rates: Rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        refused = self._refused(scope)
        if refused is not None:
            await refused(scope, receive, send)
            return
        try:
            await self.app(scope, receive, send)
        except Exception:  # noqa: BLE001 - boundary: one request fails, the others go on
            _log.exception("desk request failed by a bug", method=scope["method"])

    def _refused(self, scope: Scope) -> JSONResponse | None:
        client = scope["client"][0] if scope.get("client") else ""
        if not self.rates.allows(client, self.clock.monotonic_ns() / _NS_PER_S):
            return _trouble(429, "too many requests", "send them more slowly", {"Retry-After": "1"})
        given = dict(scope["headers"]).get(b"authorization", b"")
        kind, _, token = given.partition(b" ")
        if kind.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self.token):
            return _trouble(401, "the token is missing or wrong",
                            "send Authorization: Bearer and the content of desk.token_file",
                            {"WWW-Authenticate": "Bearer"})  # fmt: skip
        return None


class DeskServer:
    """The API of the own desk."""

    def __init__(self, config: DeskConfig, conversations: Conversations, clock: Clock) -> None:
        """Take the port.

        Raises:
            ConfigError: the token cannot be read, or the address and port cannot be had.
        """
        assert config.port is not None
        assert config.token_file is not None  # the configuration was checked
        token = read_secret(config.token_file, "desk.token_file")
        self._worker = workers("desk-api", 2)
        self._app = Guard(
            _app(DeskRoutes(conversations, self._worker)), token.encode(), clock, Rates()
        )
        self._socket = _listening(config.address, config.port)
        self.port: int = self._socket.getsockname()[1]

    async def run(self) -> None:
        """Serve until cancelled; requests under way are answered."""
        server = _Server(
            uvicorn.Config(
                self._app, http=_Protocol, ws="none", lifespan="off", log_config=None,
                access_log=False, server_header=False, proxy_headers=False,
                limit_concurrency=AT_ONCE,
                timeout_keep_alive=5, timeout_graceful_shutdown=_GRACE_S,
                h11_max_incomplete_event_size=16 * 1024,
            )
        )  # fmt: skip
        serving = asyncio.create_task(server.serve([self._socket]))
        try:
            await asyncio.shield(serving)
        finally:
            server.should_exit = True
            await asyncio.gather(serving, return_exceptions=True)
            self._socket.close()
            await asyncio.to_thread(self._worker.shutdown)


class _Server(uvicorn.Server):
    """Signals are the appliance's own."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them as they are."""
        yield


class _Protocol(H11Protocol):
    """Cuts off whoever sends no whole request: the first, or the next after an answer.

    The server's own limit between requests ends with the first byte of the next one.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self.loop.call_later(_REQUEST_S, self._give_up, None)

    def on_response_complete(self) -> None:
        """A request was answered; another may follow on the same connection."""
        answered = self.cycle
        super().on_response_complete()
        self.loop.call_later(_REQUEST_S, self._give_up, answered)

    def _give_up(self, last: RequestResponseCycle | None) -> None:
        if self.cycle is last and not self.transport.is_closing():
            self.transport.close()


def _app(desk: DeskRoutes) -> Starlette:
    description = JSONResponse(describe())

    async def openapi(_: Request) -> JSONResponse:
        return description

    app = Starlette(
        routes=[*desk.routes(), Route("/v1/openapi.json", openapi, methods=["GET"])],
        exception_handlers={
            RefusedError: _refused, NoConversationError: _unknown, KeyTakenError: _taken,
            FullError: _full, StoreError: _unstored, HTTPException: _no_route, Exception: _failed,
        },
    )  # fmt: skip
    app.router.redirect_slashes = False  # an error in JSON is clearer
    return app


def _listening(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        listening = socket.create_server((address, port), family=family)
    except OSError as error:
        raise ConfigError(f"desk: {address}:{port}: {error.strerror or error}") from error
    # Head and body go out as two packets; without this the second waits 40 ms for the client.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _trouble(
    status: int, error: str, remedy: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    return JSONResponse({"error": error, "remedy": remedy}, status, headers)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RefusedError)
    return _trouble(error.status, error.error, error.remedy)


async def _unknown(_: Request, error: Exception) -> JSONResponse:
    return _trouble(404, str(error), "list them: GET /v1/conversations")


async def _taken(_: Request, error: Exception) -> JSONResponse:
    return _trouble(409, str(error), "use a new Idempotency-Key for what is new")


async def _full(_: Request, error: Exception) -> JSONResponse:
    return _trouble(409, str(error), "change one that is there, or begin a new conversation")


async def _unstored(_: Request, error: Exception) -> JSONResponse:
    _log.warning("desk request not stored", why=str(error))
    return _trouble(503, "the store cannot be used now",
                    "send it again in a moment, with the same Idempotency-Key",
                    {"Retry-After": "2"})  # fmt: skip


async def _failed(_: Request, __: Exception) -> JSONResponse:
    return _trouble(500, "the box failed on this", "its log says why")


async def _no_route(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _trouble(error.status_code, error.detail, "see docs/desk.md, or GET /v1/openapi.json",
                    dict(error.headers or {}))  # fmt: skip
