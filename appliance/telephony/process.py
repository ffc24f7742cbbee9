"""Starting one line process and talking to it over its socket, from the agent's event loop.

A line that dies, speaks another format or falls silent is `gone`; whoever started it decides
what next. Nothing here waits for the line: it cannot stall the agent.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable, Sequence

from appliance.config import LineConfig
from appliance.errors import ConfigError
from appliance.telephony.messages import (
    Failed,
    FromAgent,
    Hello,
    Message,
    Play,
    Shutdown,
)
from appliance.telephony.packets import MAX_PACKET_BYTES, parse_message, serialize_message

LINE_PROGRAM = (sys.executable, "-m", "appliance.telephony.line")
HELLO_TIMEOUT_S = 20.0
"""A line says hello within half a second; a machine at its limits gets longer."""

SHUTDOWN_TIMEOUT_S = 3.0
"""The line needs less than one; past this it is killed."""

LAST_GASP_S = 0.2
"""For a process whose socket has closed to be reaped, before it is killed."""

SILENCE_CHECK_S, SILENT_CHECKS = 1.0, 5
"""The line sends `Alive` once a second; one that hangs is as good as dead."""

_SEND_BUFFER_BYTES = 1 << 20


class LineProcess:
    """One running line.

    Args:
        receive: gets every message after `Hello`.
        program: what to start; takes --socket and --config.

    Attributes:
        gone: set when the process is dead or not to be trusted; `kill` is then due.
        fault: why, where the process did not just die.
        dropped_frames: frames to say that the line did not take in time.
    """

    def __init__(
        self, receive: Callable[[Message], None], program: Sequence[str] = LINE_PROGRAM
    ) -> None:
        self._receive = receive
        self._program = program
        self._waiting: deque[bytes] = deque()
        self._hello: asyncio.Future[Hello] = asyncio.get_running_loop().create_future()
        self._sock: socket.socket | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._silent_checks = 0
        self.gone = asyncio.Event()
        self.fault = ""
        self.dropped_frames = 0

    @property
    def pid(self) -> int:
        """The process id; 0 before the start."""
        return self._process.pid if self._process else 0

    async def start(self, config: LineConfig) -> Hello:
        """Start the process and wait until it can take calls.

        Raises:
            ConfigError: the line could not start; the text is its own, with cause and remedy.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        self._sock = ours
        with theirs:
            command = ["--socket", str(theirs.fileno()), "--config", config.model_dump_json()]
            self._process = await asyncio.create_subprocess_exec(
                *self._program,
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        asyncio.get_running_loop().add_reader(ours, self._on_readable)
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

    def send(self, message: FromAgent) -> None:
        """Send; frames are dropped and counted where the line does not keep up."""
        if self._sock is None:
            return
        packet = serialize_message(message)
        if isinstance(message, Play) and self._waiting:
            self.dropped_frames += 1
            return
        if self._waiting or not self._write(packet):
            if isinstance(message, Play):
                self.dropped_frames += 1
                return
            self._waiting.append(packet)
            asyncio.get_running_loop().add_writer(self._sock, self._on_writable)

    def check_silence(self) -> None:
        """To be called every SILENCE_CHECK_S: gives up a line that hangs.

        Counts calls instead of reading a clock, so that a stall of the agent itself, after which
        messages wait in the socket, is not taken for the line's silence.
        """
        self._silent_checks += 1
        if self._silent_checks > SILENT_CHECKS and not self.gone.is_set():
            self.fault = f"the line was silent for {SILENT_CHECKS * SILENCE_CHECK_S:.0f} s"
            self._close()

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

    def _on_readable(self) -> None:
        sock = self._sock
        if sock is None:
            return
        for _ in range(64):
            try:
                packet = sock.recv(MAX_PACKET_BYTES + 1)
            except BlockingIOError:
                return
            except OSError:
                packet = b""
            if not packet or not self._accept(packet):
                self._close()
                return

    def _accept(self, packet: bytes) -> bool:
        """Pass one message on; False where the line does not speak our format."""
        self._silent_checks = 0
        try:
            message = parse_message(packet)
        except ValueError as error:
            self.fault = f"malformed message from the line: {error}"
            return False
        if self._hello.done():
            self._receive(message)
        elif isinstance(message, Hello):
            self._hello.set_result(message)
        elif isinstance(message, Failed):
            self._hello.set_exception(ConfigError(message.reason))
        return True

    def _on_writable(self) -> None:
        while self._waiting and self._write(self._waiting[0]):
            self._waiting.popleft()
        if not self._waiting and self._sock is not None:
            asyncio.get_running_loop().remove_writer(self._sock)

    def _write(self, packet: bytes) -> bool:
        """False where the socket is full; a dead line swallows the packet."""
        if self._sock is None:
            return True
        try:
            self._sock.send(packet)
        except BlockingIOError:
            return False
        except OSError:  # the line died; the reader notices and says so
            return True
        return True

    def _close(self) -> None:
        if self._sock is not None:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._sock)
            loop.remove_writer(self._sock)
            self._sock.close()
            self._sock = None
        self._waiting.clear()
        if not self._hello.done():
            self._hello.set_exception(ConfigError(self.fault or "the line ended at its start"))
        self.gone.set()
