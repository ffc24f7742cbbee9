"""Calls at random, to be held twice: what callers do, when, and how long engines and tools take.

    Script ── acts, and delays ──> held(script, speculate=…) ──> Held: the log, and what was done

Time is virtual and the same in both calls, so whatever differs between them was decided otherwise.
What a caller says is heard from the sound: every frame of a fragment carries its number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import strategies as st

from appliance.actions.host import ActionHost
from appliance.actions.tools import FAILED, Claim, Request, Result
from appliance.errors import EngineError
from appliance.flows.shelf import FlowShelf
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.testing.line import SILENCE
from appliance.tts.pace import Pace
from appliance.types import FRAME_BYTES, FRAME_MS, Transcript

from .conftest import placed

BROKEN = "!"  # the recognizer fails at it
HAPPY = (
    "yes this is maria",
    "nine zero two one zero",
    "i can pay two hundred dollars on march thirty first",
    "yes that's right",
)
OTHERS = (
    "", "um", "mhm", "yes", "no", "no not really", "stop calling me", "wrong number",
    "let me talk to a person", "who is calling", "goodbye", "nine zero two", "one zero",
    "on march thirty first", "two hundred dollars", "i can't pay", "call me back tomorrow",
    "what did you say", "and then", "i already paid that", BROKEN,
)  # fmt: skip
WORDS = (*HAPPY, *OTHERS)
_MARK = 128  # the step between the numbers of fragments in a sample
_SURE, _UNSURE = 0.9, 0.1
_LAST_MS = 6000
NOTICED = 20
"""A gap of just so long that it is noticed."""


@dataclass(frozen=True)
class Speech:
    """A turn, or what one would like to be one: fragments and the gaps after them, ms."""

    fragments: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Act:
    """What happens next. `waits`: first hear the prompts to their end; then `after_ms` go by."""

    does: Speech | str
    waits: bool
    after_ms: int


@dataclass(frozen=True)
class Script:
    """A call: `decode_ms`, `tool_ms` and `voice_ms` are taken in turn, over and over."""

    acts: tuple[Act, ...]
    decode_ms: tuple[int, ...] = (0,)
    tool_ms: tuple[int, ...] = (0,)
    voice_ms: tuple[int, ...] = (0,)
    failing: tuple[bool, ...] = (False,)  # of tools


@dataclass
class Held:
    """What a call left behind."""

    events: list[dict[str, Any]]
    performed: list[str]
    stored: list[str]
    rendered: list[str]
    played: bytes
    read: list[str] = field(repr=False, default_factory=list)
    bound: Any = field(repr=False, default=None)


class Late(Executor):
    """Does each job after its delay in virtual time; a delay of 0 is at once."""

    def __init__(self, delays_ms: Sequence[int]) -> None:
        self._delays = delays_ms
        self._jobs: list[tuple[int, int, Future[Any], Callable[[], Any]]] = []
        self._count = 0
        self.now_ms = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        due = self.now_ms + self._delays[self._count % len(self._delays)]
        self._jobs.append((due, self._count, future, lambda: fn(*args, **kwargs)))
        self._count += 1
        self._run()
        return future

    def tick(self) -> None:
        self.now_ms += FRAME_MS
        self._run()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.now_ms += 10_000
        self._run()

    def _run(self) -> None:
        for job in sorted(each for each in self._jobs if each[0] <= self.now_ms):
            self._jobs.remove(job)
            _, _, future, work = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except EngineError as error:
                future.set_exception(error)


class Marked:
    """Hears the fragments that a sound was made of."""

    def __init__(self, said: list[str]) -> None:
        self._said = said
        self.read: list[str] = []

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        samples = np.frombuffer(pcm, "<i2")[: len(pcm) // FRAME_BYTES * (FRAME_BYTES // 2)]
        firsts = samples.reshape(-1, FRAME_BYTES // 2)[:, 0]
        numbers = dict.fromkeys(round(int(each) / _MARK) for each in firsts)
        heard = [self._said[number - 1] for number in numbers if 0 < number <= len(self._said)]
        if BROKEN in heard:
            self.read.append(BROKEN)
            raise EngineError("told to fail")
        words = " ".join(each for each in heard if each)
        if not partial:
            self.read.append(words)
        return Transcript(words, _UNSURE if words == "no not really" else _SURE, 5.0)


class Watched(ActionHost):
    """Notes every action that it is asked for, and fails as it is told to."""

    def __init__(self, ledger: Any, failing: Sequence[bool]) -> None:
        super().__init__(ledger)
        self._failing = failing
        self.performed: list[str] = []

    def perform(self, request: Request, claim: Claim) -> Result:
        self.performed.append(request.key)
        if self._failing[len(self.performed) % len(self._failing)]:
            return Result(FAILED)
        return super().perform(request, claim)


async def held(script: Script, folder: Path, flows: FlowShelf, *, speculate: bool) -> Held:
    """Hold the call."""
    said: list[str] = []
    hosts: list[Watched] = []
    late = [Late(each) for each in (script.decode_ms, script.voice_ms, script.tool_ms)]

    def host(store: Any) -> Watched:
        hosts.append(Watched(store, script.failing))
        return hosts[0]

    call = placed(
        folder, flows=flows, recognizer=(marked := Marked(said)), host=host, recognizing=late[0],
        speaking=late[1], storing=late[2], hearing={"speculate": speculate},
        human="sip:100@192.0.2.10", max_call_s=600,
    )  # fmt: skip
    # How fast a voice is, is measured in real time; it decides in how many pieces it speaks.
    with patch.object(Pace, "note"):
        async with call as trial:
            await _Caller(trial, late, said).follow(script.acts)
            bound = trial.session._dialogue.flow
            spoken = trial.services.voices.of(None)._voice.spoken
    events = trial.events()
    return Held(
        events, hosts[0].performed, [each["key"] for each in trial.store.of_call("call-1")],
        spoken, b"".join(trial.line.played), marked.read, bound,
    )  # fmt: skip


class _Caller:
    """Follows a script; what he says is marked, frame by frame, with the number of its fragment."""

    def __init__(self, trial: Any, late: list[Late], said: list[str]) -> None:
        self._trial, self._late, self._said = trial, late, said
        self._tick, self._mark = trial.line.tick, b""
        trial.line.tick = self._timed

    async def follow(self, acts: Sequence[Act]) -> None:
        """Do it all, and hang up if nobody has."""
        line = self._trial.line
        for act in acts:
            if line.is_down:
                break
            if act.waits:
                await self._trial.listens()
            await line.quiet(act.after_ms)
            if isinstance(act.does, Speech):
                for fragment in act.does.fragments:
                    await self._say(*fragment)
            else:
                await _do(act.does, line)
        await line.quiet(2500)
        line.bring_down()
        for _ in range(_LAST_MS // FRAME_MS):  # what is under way comes to its end
            self._pass()
            await line.settle()

    async def _say(self, words: str, ms: int, gap_ms: int) -> None:
        line, ear = self._trial.line, self._trial.session._ear
        self._said.append(words)
        self._mark = (len(self._said) * _MARK).to_bytes(2, "little", signed=True)
        await line.speak(ms)
        self._mark = b""
        while gap_ms == NOTICED and not ear._endpointer.paused:
            await line.tick()
        await line.quiet(gap_ms)

    async def _timed(self, pcm: bytes = SILENCE) -> None:
        self._pass()
        await self._tick(self._mark + pcm[len(self._mark) :])

    def _pass(self) -> None:
        for each in self._late:
            each.tick()


async def _do(deed: str, line: Any) -> None:
    match deed:
        case "hang up":
            line.bring_down()
            await line.settle()
        case "hold":
            await line.hold(True)
            await line.quiet(400)
            await line.hold(False)
        case "transferred" | "not transferred":
            await line.finish_transfer(200 if deed == "transferred" else 486)
        case _:
            await line.press(deed)


# What to draw them from

DEEDS = (
    "9", "90210", "90210", "90", "#", "hold", "hold", "transferred", "not transferred", "hang up",
)  # fmt: skip
GAPS_MS = st.sampled_from([40, 100, 140, 160, 200, 300, 400, 500, 700, 1000, 1300])
LENGTHS_MS = st.sampled_from([120, 200, 300, 500])
DELAYS_MS = st.lists(st.sampled_from([0, 0, 20, 60, 120, 300, 700, 2000]), min_size=1, max_size=4)


@st.composite
def speeches(draw: st.DrawFn, words: str | None = None) -> Speech:
    """Some words in one go, or with gaps, or something else before or after them."""
    whole = words if words is not None else draw(st.sampled_from(OTHERS))
    parts = [whole]
    split = whole.split()
    if len(split) > 2 and draw(st.booleans()):
        at = draw(st.integers(1, len(split) - 1))
        parts = [" ".join(split[:at]), " ".join(split[at:])]
    if draw(st.integers(0, 4)) == 0:
        parts.append(draw(st.sampled_from(OTHERS)))
    return Speech(tuple((each, draw(LENGTHS_MS), draw(GAPS_MS)) for each in parts))


@st.composite
def scripts(draw: st.DrawFn, voice: bool = False) -> Script:
    """A call that comes some way, with anything in between. `voice`: rendering takes time too."""
    acts: list[Act] = []
    happy = list(HAPPY)
    for _ in range(draw(st.integers(2, 9))):
        if happy and draw(st.integers(0, 3)):
            does: Speech | str = draw(speeches(happy.pop(0)))
        else:
            does = draw(st.one_of(speeches(), speeches(), st.sampled_from(DEEDS)))
        waits, after_ms = draw(st.integers(0, 3)) > 0, draw(GAPS_MS)
        acts.append(Act(does, waits, after_ms))
    return Script(
        tuple(acts),
        decode_ms=tuple(draw(DELAYS_MS)),
        tool_ms=tuple(draw(DELAYS_MS)),
        voice_ms=tuple(draw(DELAYS_MS)) if voice else (0,),
        failing=tuple(draw(st.lists(st.booleans(), min_size=1, max_size=3))),
    )
