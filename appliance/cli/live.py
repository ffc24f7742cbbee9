"""A call's event log as a live transcript: follows the file while the call writes it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from appliance.store.events import EVENTS_SUFFIX

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


class Transcript:
    """Prints what is said and done, with the times of each turn."""

    def __init__(self, console: Console, prompts: Mapping[str, str]) -> None:
        self._console = console
        self._prompts = prompts

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
