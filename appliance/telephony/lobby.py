"""Where lines come in that are services of their own: a listening socket, and a seat for each.

    line ── connect ──> Lobby ── Hello: index ──> Seat ──> its LineKeeper
                             └── none, malformed, no such line ──> refused

Who may connect is a matter of the file system: of the folder of the socket, and of its mode, which
lets the group of the agent in and nobody else. What comes from there is checked all the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import stat
from pathlib import Path

import structlog

from appliance.errors import ConfigError
from appliance.telephony.connection import LineConnection, Receive
from appliance.telephony.messages import VERSION, Hello, Refused
from appliance.telephony.packets import MAX_PACKET_BYTES, parse_message, serialize_message

HELLO_TIMEOUT_S = 5.0
PAUSE_S = 0.25
MODE = 0o660
_BACKLOG, _MOST_STRANGERS = 64, 64
_NO_RECEIVER = "the line is not taken up yet"


class AttachedLine(LineConnection):
    """A line that has come by itself, and has said who it is; read from once it is taken up."""

    def __init__(self, sock: socket.socket, hello: Hello) -> None:
        super().__init__(_not_yet)
        self._came_by, self.hello = sock, hello

    @property
    def pid(self) -> int:
        """The process id, as the line says."""
        return self.hello.pid

    def take_up(self, receive: Receive) -> None:
        """Have its messages from now on; what it sent before waits in the socket."""
        self._receive = receive
        self._open(self._came_by)

    def dismiss(self, reason: str) -> None:
        """Send the line away."""
        _refuse(self._came_by, reason)
        self.give_up(reason)
        self._came_by.close()


class Seat:
    """A `LineSource`: where the line of one index comes in. One that comes later replaces it."""

    patience_s: float | None = 3.0
    """A line looks for its agent four times a second."""

    back_off_s = 0.0

    def __init__(self) -> None:
        self._sitting: AttachedLine | None = None
        self._waiting: AttachedLine | None = None
        self._came = asyncio.Event()

    async def obtain(self, receive: Receive) -> tuple[LineConnection, Hello]:
        """See `LineSource.obtain`; waits until the line has come."""
        while self._waiting is None:
            self._came.clear()
            await self._came.wait()
        line, self._waiting = self._waiting, None
        self._sitting = line
        line.take_up(receive)
        return line, line.hello

    def offer(self, line: AttachedLine) -> None:
        """A line has come."""
        for older in (self._waiting, self._sitting):
            if older is not None and not older.gone.is_set():
                older.dismiss("another line with the same index has come")
        self._waiting = line
        self._came.set()

    def clear(self) -> None:
        """Nobody will take up who waits."""
        if self._waiting is not None:
            self._waiting.dismiss("the agent ends")
            self._waiting = None


class Lobby:
    """Listens at a path and shows each line to its seat."""

    def __init__(self, path: Path, count: int, log: structlog.typing.FilteringBoundLogger) -> None:
        """`count`: how many lines there are, with the indices from 0."""
        self._path, self._log = path, log
        self.seats = tuple(Seat() for _ in range(count))
        self._socket: socket.socket | None = None
        self._pause: asyncio.TimerHandle | None = None
        self._strangers: dict[socket.socket, asyncio.TimerHandle] = {}

    def open(self) -> None:
        """Listen.

        Raises:
            ConfigError: the folder is missing or open to everybody, or another agent listens there.
        """
        _assert_folder(self._path)
        _remove_old(self._path)
        listening = socket.socket(
            socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
        )
        before = os.umask(0o777)  # it opens to its group at once, to nobody before that
        try:
            listening.bind(str(self._path))
        except OSError as error:
            listening.close()
            raise ConfigError(f"line.attach: {self._path}: {error.strerror or error}") from error
        finally:
            os.umask(before)
        self._path.chmod(MODE)
        listening.listen(_BACKLOG)
        self._socket = listening
        asyncio.get_running_loop().add_reader(listening, self._on_knock)

    def close(self) -> None:
        """Listen no more; lines that sit stay connected."""
        if self._socket is not None:
            if self._pause is not None:
                self._pause.cancel()
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None
            with contextlib.suppress(OSError):
                self._path.unlink()
        for stranger in list(self._strangers):
            self._forget(stranger)
            stranger.close()
        for seat in self.seats:
            seat.clear()

    def _on_knock(self) -> None:
        assert self._socket is not None
        try:
            stranger, _ = self._socket.accept()
        except (BlockingIOError, ConnectionAbortedError):  # gone again
            return
        except OSError as error:  # no descriptor left: who knocks stays, and the loop would spin
            self._log.warning("lines cannot come in", why=error.strerror)
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._socket)
            self._pause = loop.call_later(PAUSE_S, loop.add_reader, self._socket, self._on_knock)
            return
        stranger.setblocking(False)
        if len(self._strangers) >= _MOST_STRANGERS:
            stranger.close()
            return
        loop = asyncio.get_running_loop()
        late = loop.call_later(HELLO_TIMEOUT_S, self._turn_away, stranger, "no hello")
        self._strangers[stranger] = late
        loop.add_reader(stranger, self._on_hello, stranger)

    def _on_hello(self, stranger: socket.socket) -> None:
        """The first packet of a connection; until it is read, nothing else of it is."""
        try:
            packet = stranger.recv(MAX_PACKET_BYTES + 1)
        except BlockingIOError:
            return
        except OSError:
            packet = b""
        if not packet:
            self._forget(stranger)
            stranger.close()
            return
        try:
            hello = _read_hello(packet, len(self.seats))
        except ValueError as error:
            self._turn_away(stranger, str(error))
            return
        self._forget(stranger)
        self.seats[hello.index].offer(AttachedLine(stranger, hello))

    def _turn_away(self, stranger: socket.socket, why: str) -> None:
        self._forget(stranger)
        self._log.error("line refused", why=why)
        _refuse(stranger, why)
        stranger.close()

    def _forget(self, stranger: socket.socket) -> None:
        asyncio.get_running_loop().remove_reader(stranger)
        self._strangers.pop(stranger).cancel()


def _read_hello(packet: bytes, count: int) -> Hello:
    """Who has come; ValueError with the reason if that is no line of ours."""
    message = parse_message(packet)
    if not isinstance(message, Hello):
        raise ValueError(f"the first message is {type(message).__name__}, not Hello")  # noqa: TRY004
    if message.version != VERSION:
        raise ValueError(f"version {message.version} is not {VERSION}: mixed releases")
    if not 0 <= message.index < count:
        raise ValueError(f"there is no line {message.index}: line.processes is {count}")
    if message.pid <= 0:
        raise ValueError("no process id")
    return message


def _refuse(stranger: socket.socket, why: str) -> None:
    with contextlib.suppress(OSError):
        stranger.send(serialize_message(Refused(why)))


def _assert_folder(path: Path) -> None:
    """Whoever can write to the folder can put another socket in the place of ours."""
    folder = path.parent
    try:
        mode = folder.stat().st_mode
    except OSError as error:
        raise ConfigError(f"line.attach: {folder}: {error.strerror}; make the folder") from error
    if mode & stat.S_IWOTH:
        raise ConfigError(f"line.attach: {folder}: everybody may write to it: chmod o-w {folder}")


def _remove_old(path: Path) -> None:
    """Take away what an agent left that was killed; one that still listens is left alone."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            raise ConfigError(f"line.attach: {path}: {error.strerror or error}") from error
    raise ConfigError(f"line.attach: {path}: another agent listens there; end it first")


def _not_yet(_: object) -> None:
    raise AssertionError(_NO_RECEIVER)
