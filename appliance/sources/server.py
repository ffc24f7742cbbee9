"""One of the operator's servers: kept connected, asked with deadlines, left alone when it fails.

keep_up:  connect ─> connected ─── lost ───> pause, growing ─> connect …
ask:      breaker ─> arguments fit ─> connection ─> first answer by the deadline ─> value | Fault
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import anyio
import structlog
from mcp import MCPError
from pydantic import ValidationError

from appliance.clock import Clock
from appliance.errors import ConfigError
from appliance.findings import Lookup
from appliance.sections import SourceConfig
from appliance.sources.access import environment, headers, tls_context
from appliance.sources.breaker import Breaker
from appliance.sources.connection import Channel, Connection, connected
from appliance.sources.faults import Cause, Fault, cause_of
from appliance.sources.pipe import Program
from appliance.sources.retry import first_answer, reconnect_pause_s
from appliance.sources.status import SourceStatus, State
from appliance.sources.tools import Misfit, Tool
from appliance.sources.web import Web

STEADY_S = 10.0
"""A connection that ended sooner counts as a failure to connect: the pauses go on growing."""
RELIST_S = 30.0
"""Tools that changed are learned again, but not more often."""
_log = structlog.get_logger()


class Server:
    """Used from one event loop, but for `status` and `kill`."""

    def __init__(self, name: str, config: SourceConfig, clock: Clock) -> None:
        self.name, self.config = name, config
        self.breaker = Breaker(config.break_after, config.break_s, clock)
        self.tools: dict[str, Tool] = {}
        self._connection: Connection | None = None
        self._channel: Channel | None = None
        self._scope: anyio.CancelScope | None = None
        self._cause = Cause("it is starting", "")
        self._next_at = 0.0  # loop time of the next attempt to connect; 0 while one is under way
        self._up_at = math.inf
        self._is_old = False  # whether it waits for the handshake of before 2026 and nothing else
        self._changed = asyncio.Event()
        self._stopped = False
        self._listed_at = -math.inf
        self._listing: asyncio.Task[None] | None = None
        self.settled = asyncio.Event()

    async def keep_up(self) -> None:
        """Connect, and again whenever the connection is lost, until `stop`."""
        clock = asyncio.get_running_loop().time
        failures = 0
        while not self._stopped:
            self._next_at, self._up_at = 0.0, math.inf
            cause = await self._connect_once()
            self._channel = None
            if self._stopped:
                break
            failures = 0 if clock() - self._up_at > STEADY_S else failures + 1
            pause_s = reconnect_pause_s(failures)
            if cause != self._cause or failures <= 1:
                _log.warning("source not reached; will retry", source=self.name, why=cause.why,
                             remedy=cause.remedy, retry_in_s=pause_s)  # fmt: skip
            self._cause, self._next_at = cause, clock() + pause_s
            self._tell()
            with anyio.CancelScope() as self._scope:
                await anyio.sleep(pause_s)
        self._tell()

    def stop(self) -> None:
        """Begin to disconnect; `keep_up` ends when that is done."""
        self._stopped = True
        self._cause = Cause("it has been closed", "")
        if self._listing is not None:
            self._listing.cancel()
        if self._scope is not None:
            self._scope.cancel()

    def kill(self) -> None:
        """End its program at once, if it has one."""
        if self._channel is not None:
            self._channel.kill()

    def status(self) -> SourceStatus:
        """How it is now. From any thread."""
        state: State = "up" if self._connection is not None else "down"
        why, remedy = ("", "") if state == "up" else self._cause
        if not self.settled.is_set():
            state = "starting"
        if self.breaker.is_open:
            state = "left alone"
            why = f"{self.breaker.failures} calls in a row failed"
            remedy = f"it is tried again in {math.ceil(self.breaker.left_s)} s"
        missing = set(self.config.tools) - set(self.tools) if self.tools else set()
        return SourceStatus(
            self.name, state, tuple(self.tools.values()), why, remedy, tuple(sorted(missing))
        )

    async def ask(self, lookup: Lookup, until: float) -> Any:
        """Call a tool; its JSON value.

        Args:
            lookup: what is asked.
            until: the deadline, in the time of the loop.

        Raises:
            Fault: there is none; its text names the cause and holds no data.
        """
        tool = self.tools.get(lookup.tool)
        if tool is None:
            raise Fault(f"it has no tool {lookup.tool}" if self.tools else self._not_reached())
        wrong = tool.check(lookup.args)
        if wrong:
            raise Fault(wrong)
        if not self.breaker.admit():
            raise Fault(f"left alone after {self.breaker.failures} failures in a row")
        try:
            value = await first_answer(
                lambda: self._try(tool, lookup.args, until),
                1 if tool.once else self.config.tries,
                until,
            )
        except Fault as fault:
            self._judge(fault)
            hint = self._connection.hint if fault.again and self._connection else ""
            raise (Fault(f"{fault}; {hint}", again=True) if hint else fault) from None
        except BaseException:
            self.breaker.withdrew()
            raise
        self.breaker.succeeded()
        return value

    def _judge(self, fault: Fault) -> None:
        """What a failure says of the server."""
        if isinstance(fault, _Down):
            self.breaker.withdrew()  # that is for the pauses between connections
        elif not fault.again:
            self.breaker.succeeded()  # it answered
        elif self.breaker.failed():
            _log.error("source left alone for a while", source=self.name, why=str(fault),
                       failures=self.breaker.failures, seconds=self.config.break_s)  # fmt: skip
            if self._connection is not None:
                self._connection.drop()  # a program that hangs is started anew
        if isinstance(fault, Misfit):
            self._learn_again()

    async def _try(self, tool: Tool, args: Mapping[str, Any], until: float) -> Any:
        connection = await self._connected(until)
        return await connection.call(tool, args)

    async def _connected(self, until: float) -> Connection:
        """The connection, if there is one before the deadline."""
        clock = asyncio.get_running_loop().time
        while self._connection is None:
            if self._stopped or self._next_at >= until or clock() >= until:
                raise _Down(self._not_reached())
            try:
                async with asyncio.timeout_at(until):
                    await self._changed.wait()
            except TimeoutError:
                raise _Down(self._not_reached()) from None
        return self._connection

    def _not_reached(self) -> str:
        return f"not reached: {self._cause.why}"

    async def _connect_once(self) -> Cause:
        """Be connected until the connection is lost; why it was, or was never made."""
        config = self.config
        mode = "legacy" if self._is_old else "auto"
        with anyio.CancelScope(deadline=anyio.current_time() + config.start_s) as scope:
            self._scope = scope
            try:
                self._channel = channel = self._new_channel()
                async with connected(self.name, channel, config.tools, mode) as connection:
                    scope.deadline = math.inf
                    try:
                        self._up(connection)
                        await channel.ended.wait()
                    finally:
                        self._connection = None
            except ConfigError as error:
                return Cause(str(error), "")
            except Exception as error:  # noqa: BLE001 - task groups raise whatever a part of them does
                return self._explained(error)
        if scope.cancelled_caught and math.isinf(self._up_at):
            self._is_old = not self._is_old
            return Cause(f"not ready within {config.start_s:g} s", "see its log, or raise start_s")
        return channel.why_ended()

    def _explained(self, error: Exception) -> Cause:
        """The channel knows best, if it has ended or was refused."""
        channel = self._channel
        if channel is not None and (channel.ended.is_set() or getattr(channel, "status", None)):
            return channel.why_ended()
        return cause_of(error)

    def _up(self, connection: Connection) -> None:
        self._connection, self.tools = connection, connection.tools
        self._up_at = self._listed_at = asyncio.get_running_loop().time()
        missing = sorted(set(self.config.tools) - set(self.tools))
        _log.info("source up", source=self.name, tools=len(self.tools))
        if missing:
            _log.warning("source lacks tools that the configuration names", source=self.name,
                         tools=missing)  # fmt: skip
        self._tell()

    def _tell(self) -> None:
        """Wake who waits for a change."""
        self.settled.set()
        self._changed.set()
        self._changed = asyncio.Event()

    def _learn_again(self) -> None:
        """A server may change its tools without a word; but not for every misfit."""
        now = asyncio.get_running_loop().time()
        if self._connection is not None and now - self._listed_at > RELIST_S:
            self._listed_at = now
            self._listing = asyncio.create_task(self._relist(self._connection))

    async def _relist(self, connection: Connection) -> None:
        with suppress(MCPError, ValidationError, TimeoutError):
            async with asyncio.timeout(self.config.start_s):
                await connection.learn_tools(self.config.tools)
            self.tools = connection.tools

    def _new_channel(self) -> Channel:
        """Secrets are read anew, as they may have been changed."""
        config = self.config
        if config.command:
            return Program(config.command, environment(self.name, config))
        assert config.url is not None  # the configuration saw to it
        patience_s = max(config.deadline_s, config.start_s)
        return Web(
            config.url, headers(self.name, config), tls_context(self.name, config), patience_s
        )


class _Down(Fault):
    """There is no connection, and none will be there in time."""
