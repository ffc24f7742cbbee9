"""A server that is a program of the box's own: MCP as lines of JSON on its stdin and stdout.

    lines ── stdin ──> program ── stdout ──> message | noise (skipped) | broken, too long (the end)
                          └────── stderr ──> its last words, for the operator, until it is ready

The package's own stdio transport reads a line of any length, logs what it cannot read, and takes
four seconds to end a program that does not want to; this one does none of that. It must not leave
a program behind: it is ended with its whole process group, and where the box itself is killed, by
the kernel (PR_SET_PDEATHSIG, through setpriv) and by the end of its stdin.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from appliance.sources.faults import MESSAGE_BYTES, Cause, NotReachedError

_Incoming = ObjectSendStream[SessionMessage | Exception]
_Streams = tuple[ObjectReceiveStream[SessionMessage | Exception], ObjectSendStream[SessionMessage]]
_CHUNK = 65536
_GRACE_S = 0.4  # to end by itself, and again after SIGTERM: close() must be done in 2 s
_LAST_WORDS = 200
_NOISE_LINES = 1000  # reading them takes time from the calls


class Program:
    """One run of a program.

    Attributes:
        ended: set when nothing can be read from it any more.
        ready: to be set once it is connected; from then on its stderr may hold callers' data.
        noise: how many lines it wrote that are no MCP.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command, self._environment = tuple(command), dict(environment)
        self._process: asyncio.subprocess.Process | None = None
        self._broke = ""
        self._last_words = ""
        self._closing = False
        self.ended = asyncio.Event()
        self.ready = False
        self.noise = 0

    @property
    def hint(self) -> str:
        """What may explain that no answer comes."""
        return f"it wrote {self.noise} lines on its stdout that are no MCP" if self.noise else ""

    def why_ended(self) -> Cause:
        """Why there is no connection any more."""
        if self._broke:
            return Cause(f"the program {self._broke}", "it must write MCP only on its stdout")
        code = None if self._process is None else self._process.returncode
        how = "closed its stdout"
        if code is not None:
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        said = f': "{self._last_words}"' if self._last_words and not self.ready else ""
        return Cause(f"the program {how}{said}", "run its command by hand to see why")

    def kill(self) -> None:
        """End it and its children at once, from whatever thread."""
        if self._process is not None:
            _signal_group(self._process.pid, signal.SIGKILL)

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[_Streams]:
        """Run it as long as the context lasts.

        Raises:
            NotReachedError: it cannot be started.
        """
        process = self._process = await self._start()
        incoming, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        sent, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._read, process, incoming)
                group.start_soon(self._write, process, outgoing)
                group.start_soon(self._listen, process)
                try:
                    yield received, sent
                finally:
                    self._closing = True
                    group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
            for each in (incoming, received, sent, outgoing):
                each.close()

    async def _start(self) -> asyncio.subprocess.Process:
        program = self._command[0]
        if shutil.which(program, path=self._environment.get("PATH")) is None:
            raise NotReachedError(
                f"{program} is no program that can be started", "correct command, or install it"
            )
        try:
            with anyio.CancelScope(shield=True):  # cancelled in the midst of it, it would be lost
                process = await asyncio.create_subprocess_exec(
                    *_leashed(self._command), env=self._environment, start_new_session=True,
                    stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                )  # fmt: skip
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "its command or environment cannot be passed"
            said = f"{program} cannot be started: {why}"
            raise NotReachedError(said, "correct command") from error
        return process

    async def _read(self, process: asyncio.subprocess.Process, incoming: _Incoming) -> None:
        assert process.stdout is not None
        unread = bytearray()
        try:
            async with incoming:
                while chunk := await process.stdout.read(_CHUNK):
                    *lines, rest = chunk.split(b"\n")
                    for line in lines:
                        if not await self._take(bytes(unread) + line, incoming):
                            return
                        unread.clear()
                    unread += rest
                    if len(unread) > MESSAGE_BYTES:
                        self._broke = f"sent more than {MESSAGE_BYTES // 1024} KiB in one line"
                        return
                await _wait_for_exit(process, _GRACE_S)  # its exit code explains more
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # nobody listens any more
        finally:
            if not self._closing:  # that it ends because of us explains nothing
                self.ended.set()

    async def _take(self, line: bytes, incoming: _Incoming) -> bool:
        """Pass a line on; False where it is a message that cannot be read."""
        if len(line) > MESSAGE_BYTES:
            self._broke = f"sent more than {MESSAGE_BYTES // 1024} KiB in one line"
            return False
        if not line.strip():
            return True
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            if b'"jsonrpc"' in line:  # somebody waits for it in vain: better to begin anew
                self._broke = "sent a message that cannot be read"
                return False
            self.noise += 1
            if self.noise > _NOISE_LINES:
                self._broke = f"wrote more than {_NOISE_LINES} lines that are no MCP"
                return False
            return True
        await incoming.send(SessionMessage(message))
        return True

    async def _write(
        self, process: asyncio.subprocess.Process, outgoing: ObjectReceiveStream[SessionMessage]
    ) -> None:
        assert process.stdin is not None
        with suppress(OSError, anyio.ClosedResourceError):  # its end is noticed by `_read`
            async for each in outgoing:
                line = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(line.encode() + b"\n")
                await process.stdin.drain()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(_CHUNK):  # unread, it would stop the program
            lines = [each for each in chunk.decode(errors="replace").splitlines() if each.strip()]
            if lines and not self.ready:
                self._last_words = "".join(filter(str.isprintable, lines[-1].strip()))[:_LAST_WORDS]


def _leashed(command: Sequence[str]) -> tuple[str, ...]:
    """The command, such that the kernel ends it when the thread that started it does."""
    setpriv = shutil.which("setpriv")  # util-linux, which Debian always has
    return (setpriv, "--pdeathsig", "KILL", "--", *command) if setpriv else tuple(command)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its stdin and wait; then SIGTERM, then SIGKILL, each to its whole group."""
    assert process.stdin is not None
    process.stdin.close()
    if not await _wait_for_exit(process, _GRACE_S):
        _signal_group(process.pid, signal.SIGTERM)
        await _wait_for_exit(process, _GRACE_S)
    _signal_group(process.pid, signal.SIGKILL)  # what it started may live on without it
    await _wait_for_exit(process, _GRACE_S)
    # A pipe that a child in a session of its own holds open would keep the transport open.
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


async def _wait_for_exit(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether it has exited; `process.wait` would wait for the ends of its pipes as well."""
    with anyio.move_on_after(seconds):
        while process.returncode is None:  # noqa: ASYNC110 - nothing tells of it
            await anyio.sleep(0.01)
    return process.returncode is not None


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
