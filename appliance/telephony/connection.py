"""The agent's end of one line's socket, from the agent's event loop.

    LineConnection ── LineProcess   a line that the agent has started (`process`)
                   └─ AttachedLine  one that has come by itself (`lobby`)

A line that dies, speaks another format or falls silent is `gone`; whoever keeps it decides what
next. Nothing here waits for the line: it cannot stall the agent.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from typing import Protocol

from appliance.telephony.messages import FromAgent, Hello, Message, Play, Pulse
from appliance.telephony.packets import MAX_PACKET_BYTES, parse_message, serialize_message

SILENCE_CHECK_S, SILENT_CHECKS = 1.0, 5
"""The line sends `Alive` once a second; one that hangs is as good as dead."""

SEND_BUFFER_BYTES = 1 << 20
_READ_AT_ONCE = 64

Receive = Callable[[Message], None]


class LineConnection:
    """One running line.

    Attributes:
        gone: set when the line is dead or not to be trusted; `kill` is then due.
        fault: why, where it did not just die.
        dropped_frames: frames to say that the line did not take in time.
    """

    def __init__(self, receive: Receive) -> None:
        """`receive`: gets every message."""
        self._receive = receive
        self._waiting: deque[bytes] = deque()
        self._sock: socket.socket | None = None
        self._silent_checks = 0
        self.gone = asyncio.Event()
        self.fault = ""
        self.dropped_frames = 0

    @property
    def pid(self) -> int:
        """Process id of the line; 0 before its start."""
        return 0

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
        """To be called every SILENCE_CHECK_S: gives up a line that hangs, and says that we do not.

        Counts calls instead of reading a clock, so that a stall of the agent itself, after which
        messages wait in the socket, is not taken for the line's silence.
        """
        self._silent_checks += 1
        if self._silent_checks > SILENT_CHECKS:
            self.give_up(f"the line was silent for {SILENT_CHECKS * SILENCE_CHECK_S:.0f} s")
        else:
            self.send(Pulse())

    def give_up(self, fault: str) -> None:
        """Trust this line no longer."""
        if not self.gone.is_set():
            self.fault = fault
            self._close()

    async def stop(self) -> None:
        """The agent ends: let the line go."""
        self._close()

    async def kill(self) -> None:
        """Be rid of a line that is gone, and free what it held here."""
        self._close()

    async def exit_status(self) -> str:
        """How it ended, in words."""
        return "the connection is closed"

    def _open(self, sock: socket.socket) -> None:
        """Talk over this socket from now on."""
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        self._sock = sock
        asyncio.get_running_loop().add_reader(sock, self._on_readable)

    def _on_readable(self) -> None:
        for _ in range(_READ_AT_ONCE):
            if self._sock is None:
                return
            try:
                packet = self._sock.recv(MAX_PACKET_BYTES + 1)
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
        self._take(message)
        return True

    def _take(self, message: Message) -> None:
        self._receive(message)

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
        self.gone.set()


class LineSource(Protocol):
    """Where a keeper has its line from, and the next one when that is gone.

    Attributes:
        patience_s: how long the agent's start waits for the line; None: as long as it takes.
        back_off_s: pause before the first attempt to have another; doubles.
    """

    patience_s: float | None
    back_off_s: float

    async def obtain(self, receive: Receive) -> tuple[LineConnection, Hello]:
        """A line that takes calls, with what it said of itself; `receive` gets its messages.

        Raises:
            ConfigError: it cannot start as configured; the text has cause and remedy.
        """
        ...
