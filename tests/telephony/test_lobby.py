"""Who may come in as a line, and who is sent away, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from appliance.errors import ConfigError
from appliance.telephony import lobby as lobby_module
from appliance.telephony.lobby import Lobby
from appliance.telephony.messages import (
    VERSION,
    Alive,
    CallDown,
    Elsewhere,
    Hello,
    Message,
    Pulse,
    Refused,
)
from appliance.telephony.packets import MAX_PACKET_BYTES, parse_message, serialize_message

pytestmark = pytest.mark.anyio


@pytest.fixture
async def lobby(tmp_path: Path) -> AsyncIterator[Lobby]:
    lobby = Lobby(tmp_path / "lines.sock", 2, structlog.get_logger())
    lobby.open()
    yield lobby
    lobby.close()


@contextlib.contextmanager
def _visitor(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(str(tmp_path / "lines.sock"))
        sock.setblocking(False)
        yield sock


def hello(index: int = 0, pid: int = 4711) -> bytes:
    return serialize_message(Hello(VERSION, index, pid, False, True))


async def answer(visitor: socket.socket) -> Message | None:
    """The next message to a visitor; None where the connection is closed."""
    loop = asyncio.get_running_loop()
    try:
        packet = await asyncio.wait_for(loop.sock_recv(visitor, MAX_PACKET_BYTES), 10)
    except ConnectionResetError:  # closed before it was read
        return None
    return parse_message(packet) if packet else None


async def test_a_line_is_seated_and_what_it_said_before_is_not_lost(
    lobby: Lobby, tmp_path: Path
) -> None:
    received: list[Message] = []
    with _visitor(tmp_path) as line:
        line.send(hello(index=1))
        line.send(serialize_message(Alive(1, 2, 3)))
        connection, said = await lobby.seats[1].obtain(received.append)
        assert (said.index, connection.pid) == (1, 4711)
        while not received:
            await asyncio.sleep(0)
        assert received == [Alive(1, 2, 3)]
        connection.send(Pulse())
        assert await answer(line) == Pulse()
    await asyncio.wait_for(connection.gone.wait(), 10)


MALFORMED = {
    "nonsense": (b"nonsense", "version 110 is not"),
    "too short": (b"\x03", "shorter than its header"),
    "another release": (bytes([99]) + hello()[1:], "mixed releases"),
    "its version says otherwise": (
        serialize_message(Hello(VERSION + 1, 0, 1, False, False)),
        "mixed releases",
    ),
    "no hello": (serialize_message(CallDown(1, 200, "", "peer")), "CallDown, not Hello"),
    "what an agent says": (serialize_message(Elsewhere("")), "Elsewhere, not Hello"),
    "no such line": (hello(index=2), "there is no line 2: line.processes is 2"),
    "before the first": (hello(index=-1), "there is no line -1"),
    "no process": (hello(pid=0), "no process id"),
}


@pytest.mark.parametrize("name", MALFORMED)
async def test_who_is_no_line_is_refused_without_harm(
    lobby: Lobby, tmp_path: Path, name: str
) -> None:
    packet, why = MALFORMED[name]
    with _visitor(tmp_path) as seated, _visitor(tmp_path) as stranger:
        seated.send(hello())
        connection, _ = await lobby.seats[0].obtain(lambda _: None)
        stranger.send(packet)
        refused = await answer(stranger)
        assert isinstance(refused, Refused)
        assert why in refused.reason
        assert await answer(stranger) is None
        assert not connection.gone.is_set()


async def test_a_visitor_who_leaves_without_a_word(lobby: Lobby, tmp_path: Path) -> None:
    with _visitor(tmp_path):
        await asyncio.sleep(0)
    with _visitor(tmp_path) as line:
        line.send(hello())
        await asyncio.wait_for(lobby.seats[0].obtain(lambda _: None), 10)


async def test_a_visitor_who_says_nothing_is_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "HELLO_TIMEOUT_S", 0.01)
    lobby = Lobby(tmp_path / "lines.sock", 1, structlog.get_logger())
    lobby.open()
    with _visitor(tmp_path) as silent:
        assert await answer(silent) == Refused("no hello")
        assert await answer(silent) is None
    lobby.close()


async def test_of_two_with_the_same_index_the_later_stays(lobby: Lobby, tmp_path: Path) -> None:
    with _visitor(tmp_path) as first, _visitor(tmp_path) as second, _visitor(tmp_path) as third:
        first.send(hello(pid=1))
        older, _ = await lobby.seats[0].obtain(lambda _: None)
        second.send(hello(pid=2))
        said = await answer(first)
        assert isinstance(said, Refused)
        await asyncio.wait_for(older.gone.wait(), 10)
        third.send(hello(pid=3))  # before anybody took the second up
        assert isinstance(await answer(second), Refused)
        assert await answer(second) is None
        newest, _ = await lobby.seats[0].obtain(lambda _: None)
        assert (newest.pid, newest.gone.is_set()) == (3, False)


async def test_many_who_say_nothing_keep_no_line_out_for_long(lobby: Lobby, tmp_path: Path) -> None:
    with contextlib.ExitStack() as crowd:
        silent = [crowd.enter_context(_visitor(tmp_path)) for _ in range(64)]
        with _visitor(tmp_path) as line:
            line.send(hello())
            assert await answer(line) is None  # comes again by itself: there is no room just now
        silent[0].close()
        for _ in range(20):
            await asyncio.sleep(0)
        with _visitor(tmp_path) as line:
            line.send(hello())
            await asyncio.wait_for(lobby.seats[0].obtain(lambda _: None), 10)


async def test_without_a_descriptor_the_loop_does_not_spin_and_a_line_comes_in_later(
    lobby: Lobby, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "PAUSE_S", 0.05)
    with _visitor(tmp_path) as line, contextlib.ExitStack() as taken, capture_logs() as logged:
        line.send(hello())
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        free = os.dup(0)
        os.close(free)  # the lowest that is free: from there on there is none
        taken.callback(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free, before[1]))
        while not logged:
            await asyncio.sleep(0)
        for _ in range(100):  # turns of the loop, within the pause or nearly so
            await asyncio.sleep(0)
        assert len(logged) < 50
        taken.close()
        await asyncio.wait_for(lobby.seats[0].obtain(lambda _: None), 10)
    assert logged[0]["event"] == "lines cannot come in"


async def test_only_the_group_may_connect(lobby: Lobby, tmp_path: Path) -> None:
    mode = (tmp_path / "lines.sock").stat().st_mode
    assert stat.S_IMODE(mode) == 0o660


@pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/usr/bin/python3").exists(),
    reason="takes another user's place, so it needs root, and a Python that all may run",
)
async def test_another_user_cannot_connect() -> None:
    program = (
        "import os, socket, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(sys.argv[1])"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        lobby = Lobby(Path(folder) / "lines.sock", 1, structlog.get_logger())
        lobby.open()
        process = await asyncio.create_subprocess_exec(
            "/usr/bin/python3", "-c", program, f"{folder}/lines.sock",
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, said = await process.communicate()
        lobby.close()
    assert b"PermissionError" in said


async def test_what_a_killed_agent_left_is_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "lines.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as dead:
        dead.bind(str(path))
    lobby = Lobby(path, 1, structlog.get_logger())
    lobby.open()
    with _visitor(tmp_path) as line:
        line.send(hello())
        await asyncio.wait_for(lobby.seats[0].obtain(lambda _: None), 10)
    lobby.close()
    assert not path.exists()


async def test_two_agents_do_not_share_a_place(lobby: Lobby, tmp_path: Path) -> None:
    second = Lobby(tmp_path / "lines.sock", 1, structlog.get_logger())
    with pytest.raises(ConfigError, match="another agent listens there"):
        second.open()
    with _visitor(tmp_path) as line:
        line.send(hello())
        await asyncio.wait_for(lobby.seats[0].obtain(lambda _: None), 10)


async def test_a_place_that_is_none(tmp_path: Path) -> None:
    def opened(path: Path) -> None:
        Lobby(path, 1, structlog.get_logger()).open()

    with pytest.raises(ConfigError, match=r"line\.attach: .*make the folder"):
        opened(tmp_path / "missing" / "lines.sock")
    (tmp_path / "file").write_text("kept")
    with pytest.raises(ConfigError, match=r"line\.attach: .*in use"):
        opened(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "kept"
    with pytest.raises(ConfigError, match=r"line\.attach: .*too long"):
        opened(tmp_path / ("x" * 120))
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    with pytest.raises(ConfigError, match="everybody may write"):
        opened(open_folder / "lines.sock")
