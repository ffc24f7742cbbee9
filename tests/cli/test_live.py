"""The live transcript: lines that stay, and what is being said."""

import asyncio
import io
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from rich.console import Console

from appliance.cli.live import Transcript, follow_call, watch_words
from appliance.session.liveview import Glimpse, LiveView
from appliance.stt.agreement import Partial


@pytest.fixture
def path() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        yield Path(folder) / "live.sock"


def transcript(terminal: bool) -> tuple[Transcript, io.StringIO]:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100, color_system=None)
    return Transcript(console, {"greeting": "Hello."}), out


def test_what_is_being_said_is_shown_on_a_terminal() -> None:
    shown, out = transcript(terminal=True)
    with shown:
        shown.say(Partial("i can", "pay"))
        shown.show({"t": "heard", "ms": 1500.0, "text": "i can pay", "intent": "promise"})
        shown.say(Partial())
    assert "i can pay …" in out.getvalue()
    assert "1.50  caller      i can pay  (promise)" in out.getvalue()


def test_a_file_holds_only_what_stays() -> None:
    shown, out = transcript(terminal=False)
    with shown:
        shown.say(Partial("i can", "pay"))
        shown.show({"t": "turn", "ms": 10.0, "prompts": ["greeting"]})
    assert out.getvalue().strip() == "0.01  appliance   Hello."


def test_words_come_from_the_box(path: Path) -> None:
    seen: list[Partial] = []

    async def watch() -> None:
        box = LiveView(path)
        async with watch_words(path, seen.append):
            box.show(Glimpse("call", Partial("yes", "that's")))
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
                stranger.sendto(b"garbage", str(path))
            box.show(Glimpse("call", Partial()))
            async with asyncio.timeout(10):
                while len(seen) < 2:
                    await asyncio.sleep(0)
        box.close()

    asyncio.run(watch())
    assert seen == [Partial("yes", "that's"), Partial()]
    assert not path.exists()


def test_a_log_is_followed_to_its_end(tmp_path: Path) -> None:
    async def follow() -> list[str]:
        folder = tmp_path / "2026-01-01"
        folder.mkdir()
        lines = [json.dumps({"t": kind}) for kind in ("call", "end")]
        (folder / "a.events.jsonl").write_text("\n".join(lines) + "\n")
        return [event["t"] async for event in follow_call(tmp_path)]

    assert asyncio.run(follow()) == ["call", "end"]
