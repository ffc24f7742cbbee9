"""What the event logs of a box say was done and confirmed, call by call.

    action … outcome done          a tool has told the call that it is stored: this very key
    turn … prompts [promise_set]   the first sound of these words went to the line: the caller
                                   begins to hear that it is done

A log line survives the death of its process, so what a caller began to hear is in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.errors import StoreError
from appliance.store.events import EVENTS_SUFFIX, read_events
from appliance.store.records import record_path
from appliance.testing.storm.errands import (
    CALLBACK,
    CONFIRMING,
    DAY,
    LEAD,
    PROMISE,
    RESULT,
    STOP,
    VISIT,
)

_DONE = {
    PROMISE: "done", DAY: "done", STOP: "done", RESULT: "done", CALLBACK: "done", LEAD: "done",
    VISIT: "booked",
}  # fmt: skip
"""Tools that keep something, with the outcome that says so."""


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one call.

    Attributes:
        path: of the log.
        call: the call's key; empty where the log holds nothing of it.
        sip_call_id: as its caller knows it.
        done: tool and key of each action that was reported as done.
        confirmed: tools of which a prompt began to say that it is done.
        cards: whether its flow wants a card after the call.
        asked_stop: whether the caller was understood to want no more calls.
    """

    path: Path
    call: str
    sip_call_id: str
    done: tuple[tuple[str, str], ...]
    confirmed: tuple[str, ...]
    cards: bool
    asked_stop: bool


def logs_in(folder: Path) -> Iterator[tuple[Path, Log | str]]:
    """Every log with what it holds, or with why it cannot be read."""
    for path in sorted(folder.glob(f"*/*{EVENTS_SUFFIX}")):
        try:
            yield path, _log(path, read_events(path))
        except StoreError as error:
            yield path, str(error)


def record_fault(log: Path) -> str:
    """What is wrong with the record of a log; empty if it is there and whole."""
    try:
        record = json.loads(record_path(log).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return "there is none"
    except ValueError:
        return "it is not JSON"
    return "" if isinstance(record, dict) and record.get("outcome") else "it has no outcome"


def _log(path: Path, events: list[dict[str, Any]]) -> Log:
    begun = next((each for each in events if each["t"] == "call"), {})
    flow = str(begun.get("flow", ""))
    said = [prompt for each in events if each["t"] == "turn" for prompt in each["prompts"]]
    return Log(
        path=path,
        call=str(begun.get("call", "")),
        sip_call_id=str(begun.get("sip_call_id", "")),
        done=tuple(
            (each["name"], each["key"])
            for each in events
            if each["t"] == "action" and each["outcome"] == _DONE.get(each["name"])
        ),
        confirmed=tuple(CONFIRMING[flow, p] for p in said if (flow, p) in CONFIRMING),
        cards="booking_card" in begun.get("wrap_up", ()),
        asked_stop=any(each["t"] == "heard" and each.get("intent") == "stop_request"
                       for each in events),
    )  # fmt: skip
