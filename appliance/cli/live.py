"""A call as a live transcript.

event log, followed while the call writes it ──> lines that stay
what the caller is saying, from the box's live view ──> one line that comes and goes
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from appliance.session.liveview import parse_glimpse
from appliance.store.events import EVENTS_SUFFIX
from appliance.stt.agreement import Partial

_POLL_S = 0.05


async def follow_call(folder: Path) -> AsyncIterator[dict[str, Any]]:
    """Every event of the first call in a folder, as it is written; ends with the call."""
    while not (found := sorted(folder.glob(f"*/*{EVENTS_SUFFIX}"))):
        await asyncio.sleep(_POLL_S)
    with found[0].open(encoding="utf-8") as file:
        pending = ""
        while True:
            pending += file.readline()
            if not pending.endswith("\n"):
                await asyncio.sleep(_POLL_S)
                continue
            event, pending = json.loads(pending), ""
            yield event
            if event["t"] == "end":
                return


@asynccontextmanager
async def watch_words(path: Path, show: Callable[[Partial], None]) -> AsyncIterator[None]:
    """Bind the socket of a box's `[hearing] live_view`, and show what comes there.

    Raises:
        OSError: the socket cannot be made there.
    """
    loop = asyncio.get_running_loop()
    watcher, _ = await loop.create_datagram_endpoint(
        lambda: _Words(show), family=socket.AF_UNIX, local_addr=str(path)
    )
    try:
        yield
    finally:
        watcher.close()
        path.unlink(missing_ok=True)


class _Words(asyncio.DatagramProtocol):
    def __init__(self, show: Callable[[Partial], None]) -> None:
        self._show = show

    def datagram_received(self, data: bytes, addr: object) -> None:  # noqa: ARG002 (asyncio's)
        """Another process may write there too: what is no glimpse is passed over."""
        with contextlib.suppress(ValueError):
            self._show(parse_glimpse(data).partial)


class Transcript:
    """Prints what is said and done, with the times of each turn.

    As a context manager it also shows, on a terminal, what is being said.
    """

    def __init__(self, console: Console, prompts: Mapping[str, str]) -> None:
        self._console = console
        self._prompts = prompts
        self._saying = Live(console=console, transient=True, auto_refresh=False)

    def __enter__(self) -> Self:
        """Take the last line of a terminal."""
        if self._console.is_terminal:
            self._saying.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        self._saying.stop()

    def say(self, partial: Partial) -> None:
        """Show what the caller is saying; what may still change is dim."""
        line = Text(" " * 9)
        if partial.text:
            line.append(f"{'caller':<11} ", style="bold cyan")
            line.append(f"{partial.stable} ", style="default")
            line.append(f"{partial.rest} …", style="dim")
        if self._console.is_terminal:
            self._saying.update(line, refresh=True)

    def show(self, event: Mapping[str, Any]) -> None:
        """Print one event, if it is worth a line."""
        match event["t"]:
            case "heard":
                self._line(
                    event, "caller", "cyan", f"{event['text']}  ({event.get('intent', '-')})"
                )
            case "digits":
                self._line(event, "caller", "cyan", "types digits")
            case "no_input":
                self._line(event, "caller", "cyan", "says nothing")
            case "turn":
                text = " ".join(self._prompts.get(name, name) for name in event["prompts"])
                if text:
                    self._line(event, "appliance", "green", text)
                if "first_audio_ms" in event:
                    self._console.print(Text(" " * 21 + _parts(event), style="dim"))
            case "action":
                self._line(event, "does", "yellow", f"{event['name']}: {event['outcome']}")
            case "end":
                self._line(event, "ended", "magenta", f"{event['outcome']} (by {event['by']})")

    def _line(self, event: Mapping[str, Any], who: str, style: str, what: str) -> None:
        line = Text(f"{event['ms'] / 1000:7.2f}  ", style="dim")
        line.append(f"{who:<11} ", style=f"bold {style}")
        line.append(what, style="default")
        self._console.print(line)


def _parts(event: Mapping[str, Any]) -> str:
    return (
        f"answered {event['first_audio_ms']:.0f} ms after the last sound: "
        f"end of turn {event['endpoint_ms']:.0f} + decision {event['decision_ms']:.0f} "
        f"(recognized in {event['recognition_ms']:.0f})"
    )
