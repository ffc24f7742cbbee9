"""One live connection to a server: its tools, and calls of them.

    channel (pipe | web) ── mcp.Client ──> Connection.call(tool, args) ──> JSON value | Fault

Every request has an id of its own within the connection, so what comes late is nobody's answer.
"""

from __future__ import annotations

import logging
from asyncio import Event
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import structlog
from mcp import Client, MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    PARSE_ERROR,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
)
from pydantic import ValidationError

from appliance.errors import SourceError
from appliance.sources.faults import MESSAGE_BYTES, Cause, Fault
from appliance.sources.tools import Tool, read_tool
from appliance.sources.web import BROKEN_OFF, NO_ANSWER, PACKED, TOO_LONG

_PAGES = 50
_ANEW = {401, 403, 404}  # another token, or session, may be had with another connection
_LONG = f"the answer is longer than {MESSAGE_BYTES // 1024} KiB"
_UNREAD = {
    TOO_LONG: _LONG,
    "SSE stream failed": _LONG,  # as the package says it
    PACKED: "the answer is compressed, and that was not asked for",
}
_log = structlog.get_logger()


class Channel(Protocol):
    """How a server is reached: `pipe.Program`, `web.Web`."""

    ended: Event
    ready: bool

    @property
    def hint(self) -> str:
        """What may explain that no answer comes; may be empty."""
        ...

    def why_ended(self) -> Cause:
        """Why there is no connection any more."""
        ...

    def kill(self) -> None:
        """End at once what runs for it."""
        ...

    def streams(self) -> AbstractAsyncContextManager[Any]:
        """What the MCP package reads and writes."""
        ...


class Connection:
    """Made by `connected`; used from its event loop, by several calls at once."""

    def __init__(self, name: str, client: Client, channel: Channel) -> None:
        self._name, self._client, self._channel = name, client, channel
        self.tools: dict[str, Tool] = {}

    async def learn_tools(self, wanted: tuple[str, ...]) -> None:
        """List the tools: those wanted, or all. What cannot be used is logged and left out.

        Raises:
            MCPError, ValidationError: it does not list them.
        """
        found: dict[str, Tool] = {}
        cursor: str | None = None
        for _ in range(_PAGES):
            page = await self._client.list_tools(cursor=cursor, cache_mode="bypass")
            for each in page.tools:
                if each.name in found or (wanted and each.name not in wanted):
                    continue
                try:
                    found[each.name] = read_tool(each)
                except SourceError as error:
                    _log.error("tool not usable", source=self._name, why=str(error))
            cursor = page.next_cursor
            if cursor is None:
                break
        self.tools = found

    async def call(self, tool: Tool, args: Mapping[str, Any]) -> Any:
        """Call a tool, once, and wait for its answer as long as it takes.

        Raises:
            Fault: nothing came that can be used.
        """
        request = CallToolRequest(
            params=CallToolRequestParams(name=tool.name, arguments=dict(args))
        )
        try:
            # `Client.call_tool` would check the result itself, and quote it in what it raises.
            result = await self._client.session.send_request(request, CallToolResult)
        except MCPError as error:
            raise self._fault(error) from None
        except ValidationError:
            raise Fault("the answer is no result of a tool") from None
        return tool.read(result)

    def drop(self) -> None:
        """Of no use any more: it is to be made anew."""
        self._channel.ended.set()

    @property
    def hint(self) -> str:
        """What may explain that no answer comes; may be empty."""
        return self._channel.hint

    def _fault(self, error: MCPError) -> Fault:
        status = getattr(self._channel, "status", None)
        if status == NO_ANSWER or BROKEN_OFF in error.message:
            return Fault("the connection was lost", again=True)
        if status is not None:
            if status in _ANEW:
                self.drop()
            why = self._channel.why_ended().why
            return Fault(f"the call is refused: {why}", again=status in _ANEW or status >= 500)
        unread = next((why for text, why in _UNREAD.items() if text in error.message), "")
        if unread:
            return Fault(unread)
        if error.code == CONNECTION_CLOSED:
            return Fault("the connection was lost", again=True)
        if error.code == PARSE_ERROR:
            return Fault("the answer is not MCP")
        return Fault(f"the call is refused (MCP error {error.code})")


@asynccontextmanager
async def connected(
    name: str, channel: Channel, wanted: tuple[str, ...], mode: str
) -> AsyncIterator[Connection]:
    """Connect and learn the tools. What it raises is for `faults.cause_of`."""
    _silence()
    client = Client(
        channel.streams(), mode=mode, cache=None,
        client_info=Implementation(name="voice-appliance", version="1"),
    )  # fmt: skip
    async with client:
        connection = Connection(name, client, channel)
        await connection.learn_tools(wanted)
        channel.ready = True
        yield connection


def _silence() -> None:
    """The package logs what it cannot read, and that is what callers said."""
    logger = logging.getLogger("mcp")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
