"""What an ear asks of the scheduler: in time, of the right recognizer, with a hint."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from appliance.audio.ending import EndJudge
from appliance.audio.vad import level_db
from appliance.audio.voice import VoiceModel
from appliance.config import HearingConfig
from appliance.dialogue.turn import Listen
from appliance.nlu.rules import RuleUnderstander
from appliance.session.ear import Ear, Reading
from appliance.stt.agreement import Partial
from appliance.stt.load import Load
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.stt.scheduler import Scheduler
from appliance.stt.silero import SileroModel
from appliance.testing.clock import VirtualClock
from appliance.testing.line import SILENCE, TALK, InlineExecutor
from appliance.types import AudioFrame, SpeechEnded, SpeechStarted, Transcript

MS = 1_000_000
TURNS = Path(__file__).parents[2] / "models" / "turns"
ENDS, VOICE_MODEL, SILERO = EndJudge.load(TURNS), VoiceModel.load(TURNS), SileroModel()
LISTEN = Listen(slot="zip", patience_ms=500, unfinished_ms=1200)


class Told:
    """A recognizer that says who it is and keeps what it was told."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.hints: list[Hint] = []
        self.partials = 0

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        self.hints.append(hint)
        self.partials += partial
        return Transcript(self.words, 0.9)


class Noting(Scheduler):
    """Notes how long each final has, in ms."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(InlineExecutor(), clock, Load(workers=2, sla_ms=200))
        self.due_ms: list[float] = []

    def final(self, call: str, speech_s: float, due_ns: int, work: Any) -> Future[Any]:
        self.due_ms.append((due_ns - self._clock.monotonic_ns()) / MS)
        return super().final(call, speech_s, due_ns, work)


class Call:
    """An ear's owner, and the one who speaks into it."""

    key = "call"
    names = ("siobhan",)

    def __init__(self, watched: bool = True, **hearing: Any) -> None:
        self.clock = VirtualClock()
        self.scheduler = Noting(self.clock)
        self.english, self.spanish = Told("yes"), Told("sí")
        self.heard: list[str] = []
        self.partials: list[Partial] = []
        self.sound = TALK
        self._work: list[asyncio.Task[None]] = []
        services: Any = SimpleNamespace(
            hearing=HearingConfig(**hearing), scheduler=self.scheduler, clock=self.clock,
            recognizers={"en": self.english, "es": self.spanish}, understander=RuleUnderstander(),
            live=SimpleNamespace(is_on=watched), ends=ENDS, voice_model=VOICE_MODEL, silero=SILERO,
        )  # fmt: skip
        self.ear = Ear(services, self)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._work.append(asyncio.create_task(work))

    def partial_heard(self, partial: Partial) -> None:
        self.partials.append(partial)

    def speech_started(self, event: SpeechStarted) -> None: ...

    def turn_guessed(self, reading: Reading) -> None: ...

    def guess_void(self) -> None: ...

    def turn_heard(self, end: SpeechEnded, reading: Reading) -> None:
        self.heard.append(reading.transcript.text)

    def last_words_heard(self, reading: Reading) -> None: ...

    async def frames(self, ms: int, speech: bool) -> None:
        for at in range(ms // 20):
            self.clock.advance(20)
            frame = self.sound[at % len(self.sound)] if speech else SILENCE
            self.ear.push(AudioFrame(frame, self.clock.monotonic_ns()))
            for _ in range(12):
                await asyncio.sleep(0)


def speak(call: Call, listen: Listen, ms: int = 600) -> None:
    async def turn() -> None:
        call.ear.listen(listen)
        await call.frames(ms, speech=True)
        await call.frames(1600, speech=False)

    asyncio.run(turn())


def test_a_guess_is_due_when_the_turn_may_end() -> None:
    call = Call(pause_ms=120)
    speak(call, LISTEN)
    assert call.scheduler.due_ms == [500 - 120]
    assert call.heard == ["yes"]


def _softest_db(frames: list[bytes]) -> float:
    return min(map(level_db, frames))


def test_a_turn_that_ends_unguessed_is_due_at_once() -> None:
    """It has reached its longest, without a pause."""
    call = Call(max_turn_ms=1000, barge_in_ms=400)
    call.sound = max((TALK[at : at + 10] for at in range(len(TALK) - 9)), key=_softest_db)
    speak(call, LISTEN, ms=1100)
    assert call.scheduler.due_ms[0] == 0


@pytest.mark.parametrize(("language", "heard"), [("en", "yes"), ("es", "sí")])
def test_the_language_of_the_call_picks_the_recognizer(language: Any, heard: str) -> None:
    call = Call()
    speak(call, Listen(slot="yes_no", language=language))
    assert call.heard == [heard]


def test_the_recognizer_is_told_what_the_dialogue_knows() -> None:
    call = Call()
    speak(call, LISTEN, ms=1000)
    assert set(call.english.hints) == {Hint("zip", ("siobhan",), 5)}
    assert call.english.partials > 0


def test_a_turn_is_followed_to_its_end_and_no_further() -> None:
    call = Call(partial_ms=200)
    speak(call, LISTEN, ms=1000)
    assert call.partials[0] == Partial("", "yes")
    assert call.partials[1] == Partial("yes", "")
    assert call.partials[-1] == Partial()
    assert call.partials.count(Partial()) == 1


def test_nothing_is_followed_where_that_is_turned_off() -> None:
    call = Call(partial_ms=0)
    speak(call, LISTEN, ms=1000)
    assert call.english.partials == 0


def test_nothing_is_followed_where_nobody_looks() -> None:
    call = Call(watched=False, partial_ms=200)
    speak(call, LISTEN, ms=1000)
    assert call.english.partials == 0
    assert call.heard == ["yes"]


class Hanging(Noting):
    """Its decodes do not end."""

    given_up: int = 0

    def final(self, call: str, speech_s: float, due_ns: int, work: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        return future

    def give_up(self, decode: Future[Any], due_ns: int) -> None:
        self.given_up += 1


def test_a_decode_that_hangs_is_given_up_at_its_deadline() -> None:
    async def turn() -> None:
        call = Call(deadline_s=0.01, partial_ms=0)
        call.scheduler = call.ear._services.scheduler = hanging = Hanging(call.clock)
        call.ear.listen(LISTEN)
        await call.frames(600, speech=True)
        await call.frames(1600, speech=False)
        await asyncio.gather(*call._work)
        assert (call.heard, hanging.given_up) == ([""], 1)

    asyncio.run(turn())


class Waiting(Noting):
    """Its decodes are done when the test says so."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock)
        self.decodes: list[tuple[Future[Any], Any]] = []

    def final(self, call: str, speech_s: float, due_ns: int, work: Any) -> Future[Any]:
        self.decodes.append((Future(), work))
        return self.decodes[-1][0]

    def do(self, number: int) -> None:
        future, work = self.decodes[number]
        if future.set_running_or_notify_cancel():
            future.set_result(work())


def test_turns_are_heard_in_their_order_however_late_they_are_read() -> None:
    async def turns() -> None:
        call = Call()
        call.scheduler = call.ear._services.scheduler = waiting = Waiting(call.clock)
        call.ear.listen(LISTEN)
        for _ in range(2):
            await call.frames(600, speech=True)
            await call.frames(1600, speech=False)
        call.english.words = "the second"
        waiting.do(1)
        await call.frames(20, speech=False)
        assert call.heard == []
        assert call.ear.busy
        call.english.words = "the first"
        waiting.do(0)
        await call.frames(20, speech=False)
        assert call.heard == ["the first", "the second"]
        assert not call.ear.busy

    asyncio.run(turns())


def test_what_was_read_for_another_question_is_read_anew() -> None:
    """The dialogue has gone on in a pause of the caller's: a tool has answered, digits came."""

    async def turn() -> None:
        call = Call()
        call.ear.listen(LISTEN)
        await call.frames(600, speech=True)
        await call.frames(160, speech=False)
        call.ear.listen(Listen(slot="zip", language="es", patience_ms=500))
        await call.frames(1600, speech=False)
        assert call.heard == ["sí"]
        assert call.english.hints
        assert len(call.spanish.hints) == 1

    asyncio.run(turn())
