"""The operator's own systems: all MCP servers that are configured, as one thing to ask.

    look_up (worker threads, several calls) ──> event loop in its own thread ──> servers, at once

Nothing here raises in a call or keeps one waiting beyond the servers' deadlines: what cannot be had
is a Finding that says why. It must not know a flow, or what the tools are for.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import structlog

from appliance.clock import Clock
from appliance.findings import Finding, Lookup
from appliance.sections import SourcesConfig
from appliance.sources.access import check_access
from appliance.sources.faults import Fault
from appliance.sources.server import Server
from appliance.sources.status import SourceStatus
from appliance.sources.tools import Tool

_MARGIN_S = 0.5  # beyond the deadline: a loop that is that busy is as good as silent
_CLOSING_S = 1.5
_KILLING_S = 0.3
_log = structlog.get_logger()
T = TypeVar("T")


class Hub:
    """See `actions.inquiry.Sources`. Every method may be called from any thread."""

    def __init__(self, config: SourcesConfig, clock: Clock) -> None:
        """Raises ConfigError where a secret, token or certificate cannot be read."""
        for name, each in config.mcp.items():
            check_access(name, each)
        self._clock = clock
        self._servers = {name: Server(name, each, clock) for name, each in config.mcp.items()}
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._warned: set[tuple[str, str]] = set()

    def start(self) -> None:
        """Begin to connect to all servers; it does not wait for them."""
        assert self._thread is None, "started twice"
        self._thread = threading.Thread(target=self._run, name="sources", daemon=True)
        self._thread.start()

    def settle(self, timeout_s: float | None = None) -> None:
        """Wait until every server is connected, or has failed to once."""
        self._do(self._settled(list(self._servers.values())), timeout_s)

    def look_up(self, lookups: Sequence[Lookup]) -> Mapping[str, Finding]:
        """See `Sources.look_up`."""
        began_ns = self._clock.monotonic_ns()
        longest_s = max((each.config.deadline_s for each in self._servers.values()), default=0.0)
        found = self._do(self._look_up(lookups), longest_s + _MARGIN_S) or {}
        late = self._finding(began_ns, error="closed, or no answer within its deadline")
        return {each.tool: found.get(each.tool, late) for each in lookups}

    def trouble(self) -> str:
        """See `Sources.trouble`."""
        states = self.status()
        if not states:
            return "no source is configured; see [sources.mcp.NAME]"
        if any(each.state == "up" for each in states.values()):
            return ""
        return "no source is up: " + "; ".join(f"{n}: {s.why}" for n, s in states.items())

    def status(self) -> Mapping[str, SourceStatus]:
        """How each server is, by name, in the order of the configuration."""
        return {name: each.status() for name, each in self._servers.items()}

    def tool(self, name: str) -> Tool | None:
        """A tool that a server has or had, as it is called by that name; None if there is none."""
        owner = self._owner(name)
        return None if owner is None else owner.tools.get(name)

    def close(self) -> None:
        """Disconnect and end the programs, in less than 2 s; what is being looked up fails."""
        if self._closed:
            return
        self._closed = True
        if self._thread is None:
            self._loop.close()
            return
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_CLOSING_S + 2 * _KILLING_S)
        if self._thread.is_alive():  # a bug, but no program may be left behind by it
            _log.error("sources do not close")
            for each in self._servers.values():
                each.kill()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._live())
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()

    async def _live(self) -> None:
        """Keep all servers up until `close`."""
        keepers = {asyncio.create_task(each.keep_up()) for each in self._servers.values()}
        for each in keepers:
            each.add_done_callback(_report)
        await self._stop.wait()
        for server in self._servers.values():
            server.stop()
        if keepers:
            await asyncio.wait(keepers, timeout=_CLOSING_S)
        for server in self._servers.values():
            server.kill()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        if rest:
            await asyncio.wait(rest, timeout=_KILLING_S)

    def _do(self, work: Coroutine[Any, Any, T], timeout_s: float | None) -> T | None:
        """Its result; None where it does not come in time, or all is closed."""
        if self._closed or self._thread is None:
            work.close()
            return None
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:  # closed just now
            work.close()
            return None
        try:
            return future.result(timeout_s)
        except (TimeoutError, concurrent.futures.CancelledError):
            future.cancel()
            return None

    async def _look_up(self, lookups: Sequence[Lookup]) -> dict[str, Finding]:
        found = await asyncio.gather(*(self._find(each) for each in lookups))
        return {each.tool: finding for each, finding in zip(lookups, found, strict=True)}

    async def _find(self, lookup: Lookup) -> Finding:
        began_ns = self._clock.monotonic_ns()
        began = self._loop.time()
        server = await self._route(lookup.tool, began)
        if server is None:
            return self._finding(began_ns, error=self._no_owner(lookup.tool))
        try:
            data = await server.ask(lookup, began + server.config.deadline_s)
        except Fault as fault:
            _log.warning("lookup failed", tool=lookup.tool, source=server.name, why=str(fault))
            return self._finding(began_ns, server.name, f"{server.name}: {fault}")
        except Exception as error:  # noqa: BLE001 - a bug here must not end a call
            _log.error("lookup failed by a bug", tool=lookup.tool, kind=type(error).__name__)
            return self._finding(began_ns, server.name, f"{server.name}: {type(error).__name__}")
        return self._finding(began_ns, server.name, data=data)

    async def _route(self, tool: str, began: float) -> Server | None:
        """The server that has a tool; a server that is just starting is waited for."""
        waiting = [each for each in self._servers.values() if not each.settled.is_set()]
        if waiting and self._owner(tool) is None:
            longest_s = max(each.config.deadline_s for each in waiting)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(began + longest_s):
                    await self._settled(waiting)
        return self._owner(tool)

    async def _settled(self, servers: Sequence[Server]) -> None:
        for each in servers:
            await each.settled.wait()

    def _owner(self, tool: str) -> Server | None:
        """The first configured server that has a tool, or is said to have it."""
        owners = [
            each for each in self._servers.values()
            if tool in each.tools or tool in each.config.tools
        ]  # fmt: skip
        for other in owners[1:]:
            if (tool, other.name) not in self._warned:
                self._warned.add((tool, other.name))
                _log.warning("two sources have a tool; the first one is asked", tool=tool,
                             asked=owners[0].name, other=other.name)  # fmt: skip
        return owners[0] if owners else None

    def _no_owner(self, tool: str) -> str:
        down = [each.name for each in self._servers.values() if each.status().state != "up"]
        also = f"; not reached: {', '.join(down)}" if down else ""
        return f"no source has the tool {tool}{also}"

    def _finding(
        self, began_ns: int, server: str = "", error: str = "", data: Any = None
    ) -> Finding:
        took_ms = (self._clock.monotonic_ns() - began_ns) / 1e6
        return Finding(not error, self._clock.now(), data, error, took_ms, server)


def _report(keeper: asyncio.Task[None]) -> None:
    """A server that is no longer kept up is a bug of ours."""
    if not keeper.cancelled() and keeper.exception() is not None:
        _log.error("source given up by a bug", kind=type(keeper.exception()).__name__)
