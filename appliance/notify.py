"""What a service tells systemd: that it is ready, what it is doing, that it is still alive.

    a process ── datagram ──> $NOTIFY_SOCKET (sd_notify(3)): READY, STATUS, STOPPING, WATCHDOG, …

Small enough to need no library. It decides nothing: who calls `alive` says that there is progress,
and must not call it because time has passed. Without systemd all of it does nothing.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping

_MICROSECONDS = 1_000_000


class Notifier:
    """Speaks for this process. A message that systemd does not take is lost, never waited for."""

    def __init__(self, address: str = "", watchdog_s: float = 0.0) -> None:
        """`address`: where systemd listens, "" for nowhere; `watchdog_s`: see the property."""
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._watchdog_s = watchdog_s
        self._said = ""
        self._socket: socket.socket | None = None
        if address:
            kind = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
            self._socket = socket.socket(socket.AF_UNIX, kind)

    @classmethod
    def of_service(cls, environment: Mapping[str, str] | None = None) -> Notifier:
        """The one that systemd has set up for this process; `environment` is that of the process.

        A watchdog that was meant for another process (WATCHDOG_PID) is not ours to feed.
        """
        given = os.environ if environment is None else environment
        watchdog_us = given.get("WATCHDOG_USEC", "")
        ours = given.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        watchdog_s = int(watchdog_us) / _MICROSECONDS if ours and watchdog_us.isdecimal() else 0.0
        return cls(given.get("NOTIFY_SOCKET", ""), watchdog_s)

    @property
    def watchdog_s(self) -> float:
        """Within this time `alive` must come, or the process is ended; 0: nobody watches."""
        return self._watchdog_s

    def ready(self, status: str) -> None:
        """The service does what it is for, from now on."""
        self._send(f"READY=1\nSTATUS={status}")

    def status(self, status: str) -> None:
        """What the service is doing, in a line, for `systemctl status`; no personal data."""
        if status != self._said:
            self._said = status
            self._send(f"STATUS={status}")

    def alive(self) -> None:
        """There was progress."""
        if self._watchdog_s:
            self._send("WATCHDOG=1")

    def stopping(self, status: str, within_s: float) -> None:
        """The service ends, and takes at most so long; said anew when the status changes."""
        if status == self._said:
            return
        self._said = status
        self._send(f"STOPPING=1\nSTATUS={status}\n{_extension(within_s)}")

    def needs(self, within_s: float) -> None:
        """To start or to stop takes so long from now on; asked again, it is so long from then."""
        self._send(_extension(within_s))

    def close(self) -> None:
        """Free the socket."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, message: str) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.sendto(message.encode(), self._address)


def _extension(within_s: float) -> str:
    return f"EXTEND_TIMEOUT_USEC={int(within_s * _MICROSECONDS)}"
