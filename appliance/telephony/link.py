"""The line's end of the socket to the agent: never blocks, drops audio before anything else.

The agent may go and another may come; the link outlives both.
"""

from __future__ import annotations

import contextlib
import socket
from collections import deque

from appliance.telephony.messages import (
    Audio,
    FromLine,
    Message,
)
from appliance.telephony.packets import MAX_PACKET_BYTES, parse_message, serialize_message

MAX_READ = 64
"""Packets taken at once, so that a flood from the agent cannot starve SIP."""


class AgentLink:
    """Sends from the clock thread and from the main thread; one packet is one atomic write.

    Attributes:
        dropped_frames: audio that an agent did not take in time.
        closed: whether there is no agent; what is sent then is lost.
        heard: messages of the agent so far.
    """

    def __init__(self, sock: socket.socket | None = None) -> None:
        self._sock = self._before = sock
        self._waiting: deque[bytes] = deque()
        self.dropped_frames = 0
        self.heard = 0
        self.closed = sock is None
        if sock is not None:
            sock.setblocking(False)

    def fileno(self) -> int:
        """For select, while it is not closed."""
        return -1 if self._sock is None else self._sock.fileno()

    def connect(self, sock: socket.socket) -> None:
        """Talk to another agent from now on; main thread only."""
        sock.setblocking(False)
        self._waiting.clear()
        # The clock thread may be inside a send on the old one: that is closed at the next change.
        self._before, self._sock = self._sock, sock
        self.closed = False

    def disconnect(self) -> None:
        """Have no agent any more; main thread only."""
        self.closed = True
        self._waiting.clear()
        if self._sock is not None:
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)

    def send(self, message: FromLine) -> None:
        """Send an event, now or as soon as there is room; audio is dropped and counted instead."""
        if self.closed:
            return
        packet = serialize_message(message)
        if isinstance(message, Audio):
            if self._waiting or not self._write(packet):
                self.dropped_frames += 1
            return
        self._waiting.append(packet)
        self.flush()

    def flush(self) -> None:
        """Send what waited for room; main thread only."""
        while self._waiting and self._write(self._waiting[0]):
            self._waiting.popleft()

    def receive(self) -> list[Message]:
        """What the agent sent since the last call; sets `closed` when it is gone.

        Raises:
            ValueError: the agent does not speak our format.
        """
        messages: list[Message] = []
        while len(messages) < MAX_READ and self._sock is not None and not self.closed:
            try:
                packet = self._sock.recv(MAX_PACKET_BYTES + 1)
            except BlockingIOError:
                break
            except ConnectionResetError:  # it left messages of ours unread; its own may still come
                continue
            except OSError:
                packet = b""
            if not packet:
                self.closed = True
                break
            messages.append(parse_message(packet))
        self.heard += len(messages)
        return messages

    def _write(self, packet: bytes) -> bool:
        sock = self._sock
        if sock is None:
            return True
        try:
            sock.send(packet)
        except BlockingIOError:
            return False
        except OSError:  # the agent is gone; the reader finds what it sent last, and then the end
            return True
        return True
