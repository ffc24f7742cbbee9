"""The line's end of the socket to the agent: never blocks, drops audio before anything else."""

from __future__ import annotations

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
    """Sends from the clock thread and from the main thread; one packet is one atomic write."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._waiting: deque[bytes] = deque()
        self.dropped_frames = 0
        self.closed = False

    def fileno(self) -> int:
        """For select."""
        return self._sock.fileno()

    def send(self, message: FromLine) -> None:
        """Send an event, now or as soon as there is room; audio is dropped and counted instead."""
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
            ValueError: the agent does not speak our format; the process should end.
        """
        messages: list[Message] = []
        while len(messages) < MAX_READ:
            try:
                packet = self._sock.recv(MAX_PACKET_BYTES + 1)
            except BlockingIOError:
                break
            except OSError:
                packet = b""
            if not packet:
                self.closed = True
                break
            messages.append(parse_message(packet))
        return messages

    def _write(self, packet: bytes) -> bool:
        try:
            self._sock.send(packet)
        except BlockingIOError:
            return False
        except OSError:
            self.closed = True
        return True
