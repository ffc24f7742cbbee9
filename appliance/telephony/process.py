"""Starting one line process as a child of the agent.

A line that dies, speaks another format or falls silent is `gone`; whoever started it decides
what next.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Sequence

from appliance.config import LineConfig
from appliance.errors import ConfigError
from appliance.telephony.connection import SEND_BUFFER_BYTES, LineConnection, Receive
from appliance.telephony.messages import Failed, Hello, Message, Shutdown

LINE_PROGRAM = (sys.executable, "-m", "appliance.telephony.line")
HELLO_TIMEOUT_S = 20.0
"""A line says hello within half a second; a machine at its limits gets longer."""

SHUTDOWN_TIMEOUT_S = 3.0
"""The line needs less than one; past this it is killed."""

LAST_GASP_S = 0.2
"""For a process whose socket has closed to be reaped, before it is killed."""


class LineProcess(LineConnection):
    """One line that is a child of this process.

    Args:
        receive: gets every message after `Hello`.
        program: what to start; takes --socket, --config and --index.
    """

    def __init__(self, receive: Receive, program: Sequence[str] = LINE_PROGRAM) -> None:
        super().__init__(receive)
        self._program = program
        self._hello: asyncio.Future[Hello] = asyncio.get_running_loop().create_future()
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """The process id; 0 before the start."""
        return self._process.pid if self._process else 0

    async def start(self, config: LineConfig, index: int = 0) -> Hello:
        """Start the process and wait until it can take calls.

        Raises:
            ConfigError: the line could not start; the text is its own, with cause and remedy.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        self._open(ours)
        with theirs:
            command = ["--socket", str(theirs.fileno()), "--config", config.model_dump_json()]
            self._process = await asyncio.create_subprocess_exec(
                *self._program,
                *command,
                "--index",
                str(index),
                stdin=asyncio.subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        try:
            return await asyncio.wait_for(asyncio.shield(self._hello), HELLO_TIMEOUT_S)
        except TimeoutError:
            self.fault = f"the line said nothing for {HELLO_TIMEOUT_S:.0f} s"
        except ConfigError as error:
            self.fault = str(error)
        except asyncio.CancelledError:  # the agent ends while its line starts
            await self.kill()
            raise
        await self.kill()
        raise ConfigError(self.fault)

    async def stop(self) -> None:
        """Let the line hang up and unregister; kill it if it does not end."""
        self.send(Shutdown())
        if self._process is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), SHUTDOWN_TIMEOUT_S)
        await self.kill()

    async def kill(self) -> None:
        """End the process if it still runs, and free what it held here."""
        if self._process is not None:
            try:  # a dead one first: to signal it would take its exit status from us
                await asyncio.wait_for(self._process.wait(), LAST_GASP_S)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()
            await self._process.wait()
        self._close()
        if self._hello.done() and not self._hello.cancelled():
            self._hello.exception()  # seen
        self._hello.cancel()

    async def exit_status(self) -> str:
        """How the process ended, in words."""
        code = await self._process.wait() if self._process else 0
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit status {code}"

    def _take(self, message: Message) -> None:
        if self._hello.done():
            self._receive(message)
        elif isinstance(message, Hello):
            self._hello.set_result(message)
        elif isinstance(message, Failed):
            self._hello.set_exception(ConfigError(message.reason))

    def _close(self) -> None:
        super()._close()
        if not self._hello.done():
            self._hello.set_exception(ConfigError(self.fault or "the line ended at its start"))


class LineStarter:
    """A `LineSource` that starts the line, as a child, each time anew."""

    patience_s: float | None = None
    back_off_s = 0.2

    def __init__(self, config: LineConfig, index: int) -> None:
        """`config`: the line's own section (`LineConfig.of_process`)."""
        self._config, self._index = config, index

    async def obtain(self, receive: Receive) -> tuple[LineConnection, Hello]:
        """See `LineSource.obtain`."""
        line = LineProcess(receive)
        return line, await line.start(self._config, self._index)
