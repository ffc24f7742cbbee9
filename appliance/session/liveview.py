"""Shows a viewer on the box what callers are saying, while they say it.

    CallSession ── masked Partial ──> one datagram of JSON ──> [hearing] live_view, if one listens

It is looked at and gone: nothing is stored, nothing is logged, and a viewer that is slow or not
there costs nothing. Numbers and names are masked before they come here. Whoever has bound the path
is sent it all, so its folder must be one where only its owner can make files.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path

from appliance.errors import ConfigError
from appliance.stt.agreement import Partial

_LONGEST = 107  # bytes of a socket's path: unix(7)
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_KEY = "hearing.live_view"


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What a viewer is sent: what the caller of a call has said so far, empty at a turn's end."""

    call: str
    partial: Partial


def assert_viewable(path: Path | None) -> None:
    """See that a viewer can listen at a path, and nobody else.

    Raises:
        ConfigError: the path is too long for a socket, or its folder is not there or is one in
            which others may make files.
    """
    if path is None:
        return
    if len(os.fsencode(path)) > _LONGEST:
        raise ConfigError(
            f"{_KEY}: {path}: longer than the {_LONGEST} bytes that a socket can have"
        )
    try:
        mode = path.parent.stat().st_mode
    except OSError as error:
        raise ConfigError(
            f"{_KEY}: {path.parent}: {error.strerror}; make the folder: mkdir -m 700 {path.parent}"
        ) from error
    if not stat.S_ISDIR(mode):
        raise ConfigError(f"{_KEY}: {path.parent}: not a folder")
    if mode & _OTHERS_MAY_WRITE:
        raise ConfigError(
            f"{_KEY}: {path.parent}: others may write there, and would be sent what callers say; "
            "take a folder of its own (chmod go-w)"
        )


class LiveView:
    """Sends to a Unix datagram socket that a viewer has bound."""

    def __init__(self, path: Path | None) -> None:
        """`path`: where the viewer listens; None: there is none."""
        self._path = str(path) if path is not None else ""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    @property
    def is_on(self) -> bool:
        """Whether anybody may be looking."""
        return bool(self._path)

    def show(self, glimpse: Glimpse) -> None:
        """Send it, if a viewer listens and keeps up."""
        if self.is_on:
            with contextlib.suppress(OSError):
                self._socket.sendto(serialize_glimpse(glimpse), self._path)

    def close(self) -> None:
        """Give the socket back."""
        self._socket.close()


def serialize_glimpse(glimpse: Glimpse) -> bytes:
    """As one datagram."""
    partial = glimpse.partial
    body = {"call": glimpse.call, "stable": partial.stable, "rest": partial.rest}
    return json.dumps(body).encode()


def parse_glimpse(data: bytes) -> Glimpse:
    """What a datagram says.

    Raises:
        ValueError: it is none of `serialize_glimpse`.
    """
    body = json.loads(data)
    fields = ("call", "stable", "rest")
    if not isinstance(body, dict) or not all(isinstance(body.get(each), str) for each in fields):
        raise ValueError("not what is sent to a viewer")
    return Glimpse(body["call"], Partial(body["stable"], body["rest"]))
