"""What a caller is saying: followed, shown masked, stored nowhere."""

import asyncio
import socket
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from appliance.errors import ConfigError, EngineError
from appliance.session.liveview import (
    Glimpse,
    LiveView,
    assert_viewable,
    parse_glimpse,
    serialize_glimpse,
)
from appliance.stt.agreement import Partial

Place = Callable[..., Any]


class Viewer:
    """Listens where a box shows what callers are saying."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.setblocking(False)

    def seen(self) -> list[Partial]:
        found = []
        while True:
            try:
                found.append(parse_glimpse(self._socket.recv(65536)).partial)
            except BlockingIOError:
                return found

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    with TemporaryDirectory() as folder:  # a socket's path is short
        viewer = Viewer(Path(folder) / "live.sock")
        yield viewer
        viewer.close()


def run(call: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(call())


def test_words_are_seen_before_the_turn_ends(place: Place, viewer: Viewer) -> None:
    async def call() -> None:
        async with place(live_view=viewer.path) as trial:
            await trial.listens()
            trial.hearing.words = "stop"
            await trial.line.speak(640)
            trial.hearing.words = "stop calling"
            await trial.line.speak(320)
            assert viewer.seen() == [Partial("", "stop"), Partial("stop", "calling")]
            trial.hearing.words = "stop calling me"
            await trial.line.quiet(1600)
            *_, last, end = viewer.seen()
            assert (last.text, end) == ("stop calling me", Partial())

    run(call)


def test_a_number_is_never_shown(place: Place, viewer: Viewer) -> None:
    async def call() -> None:
        async with place(live_view=viewer.path) as trial:
            await trial.listens()
            trial.hearing.words = "nine oh this is maria"
            await trial.line.speak(1000)
            seen = viewer.seen()
            assert seen[-1].text == "[digits] this is [private]"
            assert not any("nine" in each.text for each in seen)

    run(call)


def test_nothing_of_a_partial_is_stored(place: Place, viewer: Viewer) -> None:
    async def call() -> None:
        async with place(live_view=viewer.path) as trial:
            await trial.listens()
            trial.hearing.words = "xylophone"
            await trial.line.speak(1000)
            trial.hearing.words = "yes"
            await trial.line.quiet(1600)
            assert any("xylophone" in each.text for each in viewer.seen())
            await trial.listens()
        assert "xylophone" not in trial.everything_logged()

    run(call)


def test_a_partial_that_fails_disturbs_nothing(place: Place, viewer: Viewer) -> None:
    async def call() -> None:
        async with place(live_view=viewer.path) as trial:
            await trial.listens()
            trial.hearing.words = EngineError("broken")
            await trial.line.speak(1000)
            assert viewer.seen() == []
            trial.hearing.words = "stop calling me"
            await trial.line.quiet(1600)
            await trial.listens()
        assert trial.events("error") == []
        assert trial.actions() == ["mark_do_not_contact"]

    run(call)


def test_reading_along_can_be_turned_off(place: Place, viewer: Viewer) -> None:
    async def call() -> None:
        async with place(live_view=viewer.path, hearing={"partial_ms": 0}) as trial:
            await trial.listens()
            trial.hearing.words = "yes"
            await trial.line.speak(1000)
            assert viewer.seen() == []

    run(call)


def test_a_viewer_that_is_not_there_costs_nothing(tmp_path: Path) -> None:
    for path in (None, tmp_path / "none.sock", tmp_path / ("long" * 40)):
        view = LiveView(path)
        view.show(Glimpse("call", Partial("a", "b")))
        view.close()


def test_a_viewer_that_does_not_read_costs_nothing(viewer: Viewer) -> None:
    view = LiveView(viewer.path)
    for number in range(2000):
        view.show(Glimpse("call", Partial(str(number))))
    view.close()
    assert 0 < len(viewer.seen()) < 2000


def test_a_glimpse_reads_as_it_was_written() -> None:
    glimpse = Glimpse("call", Partial("i can", "pay"))
    assert parse_glimpse(serialize_glimpse(glimpse)) == glimpse


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"call": 1}', b"\xff", b'{"call": "a"}'])
def test_what_is_no_glimpse_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (json's own, or ours)
        parse_glimpse(data)


def test_a_viewer_may_listen_in_a_folder_of_its_own(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert_viewable(tmp_path / "live.sock")
    assert_viewable(None)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775, 0o702])
def test_no_viewer_where_others_may_write(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(ConfigError, match=r"hearing\.live_view: .*: others may write there"):
        assert_viewable(tmp_path / "live.sock")


def test_a_path_that_no_socket_can_have(tmp_path: Path) -> None:
    with TemporaryDirectory() as folder:
        longest = Path(folder) / ("x" * (107 - len(folder) - 1))
        assert_viewable(longest)
        Viewer(longest).close()
        with pytest.raises(ConfigError, match="longer than the 107 bytes"):
            assert_viewable(longest.with_name(longest.name + "x"))
        accented = longest.with_name("ñ" * len(longest.name))
        with pytest.raises(ConfigError, match="longer than the 107 bytes"):
            assert_viewable(accented)


def test_no_viewer_without_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"No such file or directory; make the folder: mkdir"):
        assert_viewable(tmp_path / "none" / "live.sock")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="file: not a folder"):
        assert_viewable(tmp_path / "file" / "live.sock")
