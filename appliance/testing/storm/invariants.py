"""What must hold of a box's files, however it was killed.

    callers ── heard "noted" ──┐
    event logs ── said so ─────┼──> is it stored? once? told to the operator?
    database ──────────────────┘
    every log readable and with a record · no half-written file · SQLite finds the file whole

Each rule is a function from what was found to its violations, so that each can be shown to fail.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from appliance.testing.storm.callers import Told
from appliance.testing.storm.errands import CALLBACK, LEAD, STOP, VISIT
from appliance.testing.storm.logged import Log, logs_in, record_fault
from appliance.testing.storm.stored import Deed, Stored, complaints, read_stored

_NOTICE_OF = {CALLBACK: "callback", LEAD: "lead", VISIT: "booking"}
_ONE_A_CALL = _NOTICE_OF.keys() | {"create_promise_to_pay", STOP, "record_result"}


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that was broken: its name, and by what."""

    rule: str
    what: str


@dataclass(frozen=True)
class Scene:
    """A box that has been stopped for the last time.

    Attributes:
        folder: all its data.
        calls: its event logs.
        store: its database.
        arrived: how often each notification arrived, by its key; None: nobody counted.
        told: what its callers saw.
        recognize: words of what a caller heard. Asked only where nothing is stored for him.
    """

    folder: Path
    calls: Path
    store: Path
    arrived: Mapping[str, int] | None = None
    told: Sequence[Told] = ()
    recognize: Callable[[Told], str] = lambda _: ""


def violations(scene: Scene) -> list[Violation]:
    """Everything that is wrong, by rule."""
    found = [*_half_files(scene.folder), *_unreadable(scene.calls)]
    broken = [Violation("database", line) for line in complaints(scene.store)]
    if broken:
        return [*found, *broken]
    try:
        stored = read_stored(scene.store)
    except sqlite3.Error as error:
        return [*found, Violation("database", str(error))]
    logs = [log for _, log in logs_in(scene.calls) if isinstance(log, Log)]
    return [
        *found,
        *_lost(logs, stored),
        *_unheeded(logs, stored),
        *_twice(stored),
        *_outbox(stored, scene.arrived),
        *_cards(logs, stored),
        *_callers(scene, logs, stored),
    ]


def _half_files(folder: Path) -> Iterator[Violation]:
    for path in sorted(folder.rglob("*.part")):
        yield Violation("half file", str(path.relative_to(folder)))


def _unreadable(calls: Path) -> Iterator[Violation]:
    for path, log in logs_in(calls):
        if isinstance(log, str):
            yield Violation("log", log)
        fault = record_fault(path)
        if fault:
            yield Violation("record", f"of {path.name}: {fault}")


def _lost(logs: Sequence[Log], stored: Stored) -> Iterator[Violation]:
    """Reported as done, or said to be done, and not stored."""
    keys = {deed.key for deed in stored.deeds}
    tools = {(deed.call, deed.tool) for deed in stored.deeds}
    for log in logs:
        for tool, key in log.done:
            if key not in keys:
                yield Violation("lost", f"{tool} {key}: reported as done, not stored")
        for tool in set(log.confirmed):
            if (log.call, tool) not in tools:
                yield Violation("lost", f"{tool} of {log.call}: said to be done, not stored")


def _unheeded(logs: Sequence[Log], stored: Stored) -> Iterator[Violation]:
    """Who asked not to be called is never called again, even if he was cut off in that moment."""
    stopped = {deed.call for deed in stored.deeds if deed.tool == STOP}
    called = {deed.call for deed in stored.deeds if deed.tool == CALLBACK and deed.inferred}
    for log in logs:
        if log.asked_stop and log.call not in stopped:
            yield Violation("stop", f"{log.call}: asked for, not stored")
        if log.asked_stop and log.call in called:
            yield Violation("stop", f"{log.call}: asked for, and a callback inferred")


def _twice(stored: Stored) -> Iterator[Violation]:
    counted = Counter((deed.call, deed.tool) for deed in stored.deeds if deed.tool in _ONE_A_CALL)
    for (call, tool), times in counted.items():
        if times > 1:
            yield Violation("twice", f"{tool} of {call}: {times} times")
    for place, times in Counter(seat.place for seat in stored.seats).items():
        if times > 1:
            yield Violation("twice", f"a place in the calendar given away {times} times: {place}")
    booked = {deed.call for deed in stored.deeds if deed.tool == VISIT}
    for deed in stored.deeds:
        if deed.inferred and deed.call in booked:
            yield Violation("twice", f"{deed.call}: booked, and a callback inferred")


def _outbox(stored: Stored, arrived: Mapping[str, int] | None) -> Iterator[Violation]:
    """A notification for all that needs one and for nothing else; delivered where it says so."""
    wanted = {_notice(deed) for deed in stored.deeds if deed.tool in _NOTICE_OF}
    there = {parcel.key for parcel in stored.parcels}
    for key in sorted(wanted - there):
        yield Violation("outbox", f"{key}: nobody is told")
    for key in sorted(there - wanted):
        yield Violation("outbox", f"{key}: tells of nothing that is stored")
    if arrived is None:
        return
    for parcel in stored.parcels:
        if parcel.standing == "delivered" and not arrived.get(parcel.key):
            yield Violation("outbox", f"{parcel.key}: marked as delivered, never arrived")
        if parcel.standing != "delivered":
            yield Violation("outbox", f"{parcel.key}: left {parcel.standing}")
    for key in sorted(arrived.keys() - there):
        yield Violation("outbox", f"{key}: arrived, and is not in the outbox")


def _notice(deed: Deed) -> str:
    return f"{_NOTICE_OF[deed.tool]}:{deed.key}"


def _cards(logs: Sequence[Log], stored: Stored) -> Iterator[Violation]:
    for log in logs:
        if log.cards and log.call not in stored.papers:
            yield Violation("card", f"of {log.call}: there is none")


def _callers(scene: Scene, logs: Sequence[Log], stored: Stored) -> Iterator[Violation]:
    """What callers heard is stored; a call that somebody made has left a log."""
    calls = {log.sip_call_id: log.call for log in logs}
    tools = {(deed.call, deed.tool) for deed in stored.deeds}
    for told in scene.told:
        call = calls.get(told.sip_call_id)
        if call is None:
            yield Violation("log", f"of the call {told.sip_call_id}: there is none")
        elif told.after.size and (call, told.errand.tool) not in tools:
            words = scene.recognize(told)
            if any(each in words for each in told.errand.words):
                tool = told.errand.tool
                yield Violation("lost", f"{tool} of {call}: heard to be done, not stored")
