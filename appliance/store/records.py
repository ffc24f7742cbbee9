"""The record of one call: a JSON file that is made from its event log, and from nothing else.

So a record can be made again at any time: after a crash, `recover_records` writes those that
are missing. A call whose log has no end gets the outcome `interrupted`.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import structlog

from appliance.errors import StoreError
from appliance.store.events import EVENTS_SUFFIX, read_events

RECORD_SUFFIX = ".record.json"
_HALF = ".part"
RECORD_VERSION = 1
INTERRUPTED = "interrupted"
"""The outcome of a call that neither the flow nor the caller ended: a crash, a stop, a limit."""

_log = structlog.get_logger()


def build_record(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What an auditor wants to know of a call, from its events in order."""
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        by_kind.setdefault(event["t"], []).append(event)
    begin = by_kind.get("call", [{}])[0]
    end = by_kind.get("end", [{}])[-1]
    turns = by_kind.get("turn", [])
    decisions = [turn["decision_ms"] for turn in turns if "decision_ms" in turn]
    flows = (begin, *by_kind.get("handover", []))
    return {
        "version": RECORD_VERSION,
        **{name: value for name, value in begin.items() if name not in ("t", "ms")},
        "wrap_up": list(dict.fromkeys(name for flow in flows for name in flow.get("wrap_up", ()))),
        "duration_ms": events[-1]["ms"] if events else 0,
        "outcome": end.get("outcome") or INTERRUPTED,
        "ended_by": end.get("by", "appliance_crash"),
        "facts": end.get("facts", {}),
        "turns": len(turns),
        "dialogue": [_dialogue_line(event) for event in events if event["t"] in _DIALOGUE],
        "obligations": _obligations(by_kind.get("said", [])),
        "actions": _actions(by_kind.get("action", []), by_kind.get("begun", [])),
        "errors": [_without_kind(event) for event in by_kind.get("error", [])],
        "decision_ms_median": round(median(decisions), 1) if decisions else None,
        "dropped_frames": end.get("dropped_frames", 0),
    }


_DIALOGUE = ("heard", "digits", "no_input", "said")


def _dialogue_line(event: dict[str, Any]) -> dict[str, Any]:
    kept = (
        "ms", "text", "intent", "count", "unheard", "prompt", "heard_ms", "total_ms", "interrupted",
        "words", "cut", "must_hear",
    )  # fmt: skip
    who = "appliance" if event["t"] == "said" else "caller"
    return {"who": who, "kind": event["t"], **{k: event[k] for k in kept if k in event}}


def _obligations(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the caller must have heard: how often it was begun or gone on with, and if it was."""
    found: dict[str, dict[str, Any]] = {}
    for event in said:
        if "must_hear" in event:
            times = found.get(event["prompt"], {}).get("times", 0) + 1
            heard = event["must_hear"] == "heard"
            found[event["prompt"]] = {"prompt": event["prompt"], "times": times, "heard": heard}
    return list(found.values())


def _actions(ended: list[dict[str, Any]], begun: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was done, in order; what a crash cut off has the outcome `interrupted`, and is last."""
    known = {event.get("key") for event in ended}
    cut_off = [
        _without_kind(event) | {"outcome": INTERRUPTED}
        for event in begun
        if event["key"] not in known
    ]
    return [*map(_without_kind, ended), *cut_off]


def _without_kind(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != "t"}


def write_record(log: Path) -> Path:
    """Write the record beside its event log: complete or not there at all.

    Raises:
        StoreError: the log cannot be read or the record not be written.
    """
    path = record_path(log)
    text = json.dumps(build_record(read_events(log)), indent=2, ensure_ascii=False) + "\n"
    beside = path.with_name(f"{path.name}.{os.getpid()}{_HALF}")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StoreError(f"call record {path}: {error.strerror}") from error
    return path


def record_path(log: Path) -> Path:
    """Where the record of an event log lies."""
    return log.with_name(log.name.removesuffix(EVENTS_SUFFIX) + RECORD_SUFFIX)


def recover_records(
    folder: Path, first: Callable[[dict[str, Any], Path], bool] = lambda *_: True
) -> list[Path]:
    """Write the records that a crash left unwritten; returns their paths.

    `first` is given each record with its log, and again after another crash. Where it is false, the
    record is not written here but later, by whoever said so. A damaged log is reported and left as
    it is: it must not keep the box from starting. Records that a crash left half-written are swept.
    """
    written = []
    for half in folder.glob(f"*/*{_HALF}"):
        with contextlib.suppress(OSError):
            half.unlink()
    for log in sorted(folder.glob(f"*/*{EVENTS_SUFFIX}")):
        if not record_path(log).exists():
            try:
                if first(build_record(read_events(log)), log):
                    written.append(write_record(log))
            except StoreError as error:
                _log.error("record not recovered", why=str(error))
    return written
