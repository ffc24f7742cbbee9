"""Whether the box takes one more call: by what its calls cost, and how late it already is.

    decodes ──────────────> stt.load ── too busy, or late ─┐
    the event loop's ticks ──────────── late ──────────────┤
    sentences for the voice's worker ── wait too long ─────┼─> the next call: taken, or refused
    frames that nobody read in time ─── lost ──────────────┤
    CPU: loop, voice, agent and lines ─ share with one more┘

A box that takes more calls than it can serve is late in all of them. So the next caller is refused
(486, or sent to `line.overflow`), and before that nobody reads along any more: partials go first.
What costs CPU is foreseen: a dozen calls may come within a second, before anything is late. What is
late is seen: another program may take the CPU, and nothing foresees that.

Pure: `gauges` measures, time is handed in. For the event loop's thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from appliance.session.costs import Cost, Counted, Lateness
from appliance.stt.load import Load

Resource = Literal["loop", "voice", "box"]
"""The event loop's thread, the voice's worker, all CPU of agent and lines."""

Reason = Literal["recognition", "loop", "voice", "frames", "cpu"]
"""What a refusal is for, in one word."""

_LATE_WORDS, _LATE_LOOP = "its words would come late", "the event loop is late"
_LATE_VOICE, _LOST, _NO_CPU = "sentences wait for the voice", "frames are lost", "no CPU left"
_REASONS: Mapping[str, Reason] = {
    _LATE_WORDS: "recognition", _LATE_LOOP: "loop", _LATE_VOICE: "voice", _LOST: "frames",
    _NO_CPU: "cpu",
}  # fmt: skip

_HEAD_S = 0.3  # a sentence waits while its head plays, which is no shorter (tts.joins)
GUESSES: Mapping[Resource, float] = {"loop": 0.012, "voice": 0.004, "box": 0.03}
"""Cores that a call takes, until it is measured: from 24 calls on 2 cores (docs/capacity.md)."""

_FULL = 0.85  # of a resource; the rest is for what comes at once
_LIGHT = 0.5  # below this there is time for what is useful but not needed
_LAG_SHARE = 1 / 4  # of the SLA, that every step of a turn may be late by in the loop
_LAG_WINDOW_S, _WAIT_WINDOW_S, _LOST_WINDOW_S = 10.0, 30.0, 10.0
_LOST_FRAMES = 25  # half a second of sound


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the box stands; shares are of what there is, with the calls of now."""

    calls: int
    loop: float
    voice: float
    box: float
    lag_ms: float
    wait_ms: float
    lost_frames: int


class Admission:
    """Decides; counts the calls that were taken."""

    def __init__(self, recognition: Load, sla_ms: float, cores: int) -> None:
        """`sla_ms`: how late an answer may be; `cores`: that the box has."""
        self._recognition = recognition
        self._sla_s = sla_ms / 1000
        self._calls = 0
        self._costs: dict[Resource, Cost] = {
            name: Cost(float(cores if name == "box" else 1), guess)
            for name, guess in GUESSES.items()
        }
        self._lag = Lateness(_LAG_WINDOW_S)
        self._waits = Lateness(_WAIT_WINDOW_S)
        self._lost = Counted(_LOST_WINDOW_S)

    def begin_call(self, now_ns: int) -> None:
        """A call was taken."""
        self._calls += 1
        self._recognition.begin_call(now_ns)

    def end_call(self, now_ns: int) -> None:
        """A call is over."""
        self._calls -= 1
        self._recognition.end_call(now_ns)

    def spent(self, busy_s: Mapping[Resource, float], passed_s: float) -> None:
        """What was used of each resource in a time, the calls being those of now."""
        for name, each in busy_s.items():
            self._costs[name].spend(each, passed_s, self._calls)

    def ticked(self, late_s: float, every_s: float, now_ns: int) -> None:
        """A tick of the event loop, due `every_s` after the one before, came so late.

        A loop that stood still for a second was late for everything that came in that second, so
        it counts as all the ticks that there would have been.
        """
        while True:
            self._lag.add(late_s, now_ns)
            late_s -= every_s
            if late_s <= 0:
                return

    def waited(self, wait_s: float, at_ns: int) -> None:
        """A sentence waited so long for the voice's worker."""
        self._waits.add(wait_s, at_ns)

    def lost(self, frames: int, now_ns: int) -> None:
        """So many frames, of callers or for them, were dropped."""
        self._lost.add(frames, now_ns)

    def refusal(self, now_ns: int) -> str:
        """Why one call more cannot be taken; "" where it can.

        The first is taken unless no decode ever ends: without calls nothing is measured.
        """
        if not self._recognition.admits(now_ns):
            return _LATE_WORDS
        if self._calls == 0:
            return ""
        if self._lag.high_s(now_ns) > _LAG_SHARE * self._sla_s:
            return _LATE_LOOP
        if self._waits.high_s(now_ns) > self._sla_s + _HEAD_S:
            return _LATE_VOICE
        if self._lost.lately(now_ns) > _LOST_FRAMES:
            return _LOST
        full = [name for name, cost in self._costs.items() if cost.share(self._calls + 1) > _FULL]
        return f"{_NO_CPU}: {', '.join(full)}" if full else ""

    def is_light(self, now_ns: int) -> bool:
        """Whether there is time for what is useful but not needed."""
        return (
            all(cost.share(self._calls) <= _LIGHT for cost in self._costs.values())
            and self._lag.high_s(now_ns) <= _LAG_SHARE * self._sla_s / 2
            and self._waits.high_s(now_ns) <= self._sla_s / 2
        )

    def standing(self, now_ns: int) -> Standing:
        """What `refusal` goes by, recognition apart."""
        shares = {name: round(cost.share(self._calls), 3) for name, cost in self._costs.items()}
        return Standing(
            calls=self._calls,
            loop=shares["loop"],
            voice=shares["voice"],
            box=shares["box"],
            lag_ms=round(1000 * self._lag.high_s(now_ns), 1),
            wait_ms=round(1000 * self._waits.high_s(now_ns), 1),
            lost_frames=self._lost.lately(now_ns),
        )

    def figures(self, now_ns: int) -> dict[str, Any]:
        """For the log: all of it, recognition included."""
        return {
            **asdict(self.standing(now_ns)),
            "recognition": asdict(self._recognition.figures(now_ns)),
        }


def reason_of(refusal: str) -> Reason:
    """What a refusal was for; `refusal` is what `Admission.refusal` said."""
    return _REASONS[refusal.partition(":")[0]]
