"""How a line that is a service of its own finds its agent, and notices that it has none.

    no agent ── every SEEK_S: connect to the path ──> agent ── silent, or closed ──> no agent

The agent may take long to load, be restarted, or hang: the line waits for none of it.
"""

from __future__ import annotations

import socket
from pathlib import Path

from appliance.telephony.link import AgentLink

SEEK_S, REFUSED_SEEK_S = 0.25, 5.0
"""Between two attempts; the latter after the agent has refused us."""

SILENT_CHECKS = 8
"""The agent sends `Pulse` once a second; one that hangs is as good as dead."""

_SEND_BUFFER_BYTES = 1 << 20


class Attachment:
    """Seeks the agent behind a path.

    Args:
        path: the agent's listening socket; None: the agent is the parent, and never another.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._seek_at_s = 0.0

    @property
    def can_seek(self) -> bool:
        """Whether another agent may come when this one is gone."""
        return self._path is not None

    def seek(self, link: AgentLink, now_s: float) -> bool:
        """Connect the link, if it is time and there is an agent; `now_s` is monotonic."""
        if self._path is None or now_s < self._seek_at_s:
            return False
        self._seek_at_s = now_s + SEEK_S
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        sock.setblocking(False)
        try:
            sock.connect(str(self._path))
        except OSError:
            sock.close()
            return False
        link.connect(sock)
        return True

    def hold_off(self, now_s: float) -> None:
        """The agent would not have us: it is not asked again at once; `now_s` is monotonic."""
        self._seek_at_s = now_s + REFUSED_SEEK_S


class Listener:
    """Notices an agent that has fallen silent.

    Counts looks instead of reading a clock, so that a stall of the line itself, after which
    messages wait in the socket, is not taken for the agent's silence.
    """

    def __init__(self) -> None:
        self._heard = 0
        self._silent = 0

    def hangs(self, heard: int) -> bool:
        """To be asked once a second, with how many messages have come so far."""
        self._silent = 0 if heard != self._heard else self._silent + 1
        self._heard = heard
        return self._silent > SILENT_CHECKS

    def start_anew(self) -> None:
        """Another agent has come."""
        self._silent = 0
