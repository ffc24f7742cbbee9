"""Health over HTTP, on a unix socket and on a port of the box itself.

    /healthz  200 while the event loop turns, else 503
    /readyz   200 while calls are taken, else 503 with the reasons
    /metrics  for Prometheus

A thread with a loop of its own: it answers while the agent loads its models, and it can say of the
agent's loop that it stands still, which a server in that loop could not. It reads, and changes
nothing. Whoever reaches it may read it: it knows no personal data, and it is never bound to a
network.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from appliance.errors import ConfigError
from appliance.health.exposition import exposition
from appliance.health.health import Health
from appliance.sections import HealthConfig

AT_ONCE = 32
"""Connections; the next is answered 503."""

_LONGEST_PATH = 107  # sockaddr_un, unix(7)
_MODE = 0o660
_GRACE_S = 1
_START_S = 30.0


class HealthServer:
    """Serves one agent's health. Use as a context manager; without socket and port it is idle.

    Attributes:
        port: the TCP port in use; 0 without.
    """

    def __init__(self, config: HealthConfig, health: Health) -> None:
        """Take socket and port.

        Raises:
            ConfigError: one of them cannot be had.
        """
        self._path = config.socket
        self._sockets: list[socket.socket] = []
        self.port = 0
        if config.port is not None:
            self._sockets.append(_tcp(config.port))
            self.port = self._sockets[0].getsockname()[1]
        if config.socket is not None:
            try:
                self._sockets.append(_unix(config.socket))
            except ConfigError:
                self._close()
                raise
        self._server = uvicorn.Server(
            uvicorn.Config(
                app(health), http="h11", ws="none", lifespan="off", log_config=None,
                access_log=False, server_header=False, proxy_headers=False,
                limit_concurrency=AT_ONCE, timeout_keep_alive=5,
                timeout_graceful_shutdown=_GRACE_S, h11_max_incomplete_event_size=8 * 1024,
            )
        )  # fmt: skip
        self._thread = threading.Thread(
            target=self._server.run, args=(self._sockets,), name="health", daemon=True
        )

    def __enter__(self) -> Self:
        """Serve from now on."""
        if self._sockets:
            self._thread.start()
            until = time.monotonic() + _START_S
            while not self._server.started and self._thread.is_alive():
                if time.monotonic() > until:
                    raise ConfigError("health: the server does not start")
                time.sleep(0.005)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Serve no more."""
        if self._sockets:
            self._server.should_exit = True
            self._thread.join()
            self._close()
            if self._path is not None:
                self._path.unlink(missing_ok=True)

    def _close(self) -> None:
        for each in self._sockets:
            each.close()


def app(health: Health) -> Starlette:
    """The three routes."""

    async def healthz(_: Request) -> JSONResponse:
        turns = health.pulse.turns
        told = {
            "alive": turns,
            "loop_age_s": round(health.pulse.age_s, 2),
            "uptime_s": round(health.uptime_s, 1),
        }
        return JSONResponse(told, 200 if turns else 503)

    async def readyz(_: Request) -> JSONResponse:
        why = health.readiness.reasons
        reasons = [{"reason": reason, "detail": detail} for reason, detail in why.items()]
        return JSONResponse({"ready": not why, "reasons": reasons}, 503 if why else 200)

    async def metrics(_: Request) -> Response:
        return Response(await exposition(health.registry), media_type=CONTENT_TYPE_LATEST)

    return Starlette(
        routes=[
            Route("/healthz", healthz, methods=["GET"]),
            Route("/readyz", readyz, methods=["GET"]),
            Route("/metrics", metrics, methods=["GET"]),
        ]
    )


def _tcp(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise ConfigError(
            f"health.port: 127.0.0.1:{port}: {error.strerror or error}; choose another"
        ) from error


def _unix(path: Path) -> socket.socket:
    """Listen there; a socket that a killed agent left behind is taken over.

    Raises:
        ConfigError: an agent serves on it, or it cannot be made.
    """
    if len(bytes(path)) > _LONGEST_PATH:
        raise ConfigError(f"health.socket: longer than {_LONGEST_PATH} bytes; shorten the path")
    listening = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket() and not _answers(path):
            path.unlink()
        listening.bind(str(path))
        path.chmod(_MODE)
        listening.listen()
    except OSError as error:
        listening.close()
        taken = path.is_socket()
        remedy = "does another agent run?" if taken else "is its folder there and writable?"
        raise ConfigError(f"health.socket: {path}: {error.strerror or error}; {remedy}") from error
    return listening


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(ConnectionRefusedError):
        probe.connect(str(path))
        return True
    return False
