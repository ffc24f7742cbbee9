"""What is heard when a sentence has slots: its head at once, and the rest without a gap.

The line, the worker and the time are the test's own: a job is done when the test says so.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from appliance.audio.level import to_float
from appliance.dialogue.markup import around_slot
from appliance.dialogue.turn import Prompt, Segment
from appliance.errors import EngineError
from appliance.session.playout import LEAD, Playout, Said
from appliance.session.speaker import Speaker
from appliance.testing.engines import ToneVoice
from appliance.tts.cache import PromptCache
from appliance.tts.slots import slot_sentences
from appliance.tts.voices import Voices
from appliance.types import FRAME_BYTES, FRAME_MS

HEAD, VALUE = "Your balance is ", "fifty dollars"
TEMPLATE = HEAD + around_slot("balance", "") + "."
SENTENCE = HEAD + VALUE + "."
HEAD_MS = 60 * len(HEAD)
HOLDING = "One moment."
PATIENCE_MS = 400


class Worker(Executor):
    """Does a job when it is told to."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.jobs.append((future, lambda: fn(*args, **kwargs)))
        return future

    def work(self) -> None:
        future, job = self.jobs.pop(0)
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(job())
        except EngineError as error:
            future.set_exception(error)


class Call:
    """A `speaker.Owner`, and the line: plays one frame a tick, silence where it has none."""

    def __init__(self, folder: Path, voice: ToneVoice, deadline_s: float) -> None:
        self.heard: list[bytes] = []
        self.said_: list[Said] = []
        self.failures: list[str] = []
        self.begun = self.held = self.played = 0
        self.phrase: str | None = HOLDING
        self.worker = Worker()
        self._queue: list[bytes] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.cache = PromptCache(voice, folder)
        samples = ({"balance": around_slot("balance", each)} for each in ("nine", "three"))
        self.cache.prepare(
            [HOLDING, "Right.", *slot_sentences(TEMPLATE, *samples)], lambda *_: None
        )
        voices = Voices(self.cache, None, deadline_s, PATIENCE_MS)
        self.playout = Playout(self._queue.append, self._queue.clear, self.said_.append)
        self.speaker = Speaker(self.playout, voices, self.worker, self)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def began(self) -> None:
        self.begun += 1

    def said(self, said: Said) -> None:
        self.said_.append(said)

    def holding(self) -> str | None:
        return self.phrase

    def held_up(self) -> None:
        self.held += 1

    def voice_failed(self, why: str, *, protected: bool) -> None:
        self.failures.append(why)

    async def tick(self, ms: int) -> None:
        for _ in range(ms // FRAME_MS):
            if self._queue:
                self.heard.append(self._queue.pop(0))
                self.played += 1
            else:
                self.heard.append(b"")
            self.playout.tick(self.played)
            self.speaker.tick()
            await self.settle()

    async def settle(self) -> None:
        for _ in range(8):
            await asyncio.sleep(0)

    async def work(self) -> None:
        await self.settle()
        self.worker.work()
        await self.settle()

    @property
    def sound(self) -> bytes:
        return b"".join(self.heard)

    @property
    def gaps_ms(self) -> int:
        """Silence between the first and the last frame that were heard."""
        first = next(at for at, frame in enumerate(self.heard) if frame)
        last = max(at for at, frame in enumerate(self.heard) if frame)
        return FRAME_MS * sum(not frame for frame in self.heard[first:last])


def balance(protected: bool = False) -> Prompt:
    parts = (Segment("Right. "), Segment(HEAD), Segment(VALUE, "balance"), Segment("."))
    return Prompt("balance", "".join(part.text for part in parts), parts, protected)


def run(
    tmp_path: Path,
    test: Callable[[Call], Coroutine[Any, Any, None]],
    voice: ToneVoice | None = None,
    deadline_s: float = 30.0,
) -> None:
    async def all_of_it() -> None:
        await test(Call(tmp_path, voice or ToneVoice(), deadline_s))

    asyncio.run(all_of_it())


def padded(pcm: bytes) -> bytes:
    return pcm + bytes(-len(pcm) % FRAME_BYTES)


WHOLE = padded(ToneVoice().synthesize("Right.")) + padded(ToneVoice().synthesize(SENTENCE))


def test_the_head_is_on_the_line_before_anything_is_rendered(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        assert call.begun == 1
        await call.tick(360 + HEAD_MS)
        assert call.gaps_ms == 0
        assert len(call.sound) == (360 + HEAD_MS) * 16

    run(tmp_path, call)


@pytest.mark.parametrize("after_ms", [0, 20, 100, 360, 700, 1000, 360 + HEAD_MS - 120])
def test_whenever_the_rest_comes_in_time_the_sentence_is_whole(
    tmp_path: Path, after_ms: int
) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        await call.tick(after_ms)
        await call.work()
        await call.tick(5000)
        assert call.gaps_ms == 0
        assert len(call.sound) == len(WHOLE)
        assert np.abs(to_float(call.sound) - to_float(WHOLE)).max() < 0.01
        total = len(WHOLE) // FRAME_BYTES * FRAME_MS
        assert call.said_ == [Said("balance", total, total, False)]

    run(tmp_path, call)


@pytest.mark.parametrize("late_ms", [0, 60, 100, 300])
def test_what_comes_late_follows_after_exactly_that_silence(tmp_path: Path, late_ms: int) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        await call.tick(360 + HEAD_MS + late_ms)
        await call.work()
        await call.tick(5000)
        assert call.gaps_ms == late_ms
        assert call.held == 0
        assert len(call.sound) == pytest.approx(len(WHOLE), abs=FRAME_BYTES)
        assert call.said_[-1].interrupted is False

    run(tmp_path, call)


def test_after_the_callers_patience_the_holding_phrase_and_the_sentence_anew(
    tmp_path: Path,
) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        await call.tick(360 + HEAD_MS + 3000)
        assert call.held == 1
        assert PATIENCE_MS - (LEAD + 2) * FRAME_MS < call.gaps_ms <= PATIENCE_MS
        await call.work()
        await call.tick(8000)
        assert call.sound.endswith(padded(ToneVoice().synthesize(SENTENCE)))
        assert padded(ToneVoice().synthesize(HOLDING)) in call.sound
        own = len(WHOLE) + len(padded(ToneVoice().synthesize(HEAD)))
        own_ms = own // FRAME_BYTES * FRAME_MS  # and nothing of the holding phrase
        assert call.said_ == [Said("balance", own_ms, own_ms, False)]
        assert not call.speaker.speaking

    run(tmp_path, call)


def test_a_flow_without_a_holding_phrase_is_silent_and_goes_on_where_it_was(
    tmp_path: Path,
) -> None:
    async def call(call: Call) -> None:
        call.phrase = None
        call.speaker.say([balance()])
        await call.tick(360 + HEAD_MS + 3000)
        await call.work()
        await call.tick(8000)
        assert call.held == 0
        assert len(call.sound) == pytest.approx(len(WHOLE), abs=FRAME_BYTES)

    run(tmp_path, call)


def test_what_cannot_be_rendered_fails_after_its_head(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        await call.work()
        assert call.failures
        await call.tick(3000)
        assert not call.speaker.speaking

    run(tmp_path, call, ToneVoice(failing=[SENTENCE]))


def test_what_misses_the_deadline_fails(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        await asyncio.sleep(0.03)
        await call.settle()
        assert call.failures == ["no sound by the deadline"]

    run(tmp_path, call, deadline_s=0.01)


def test_barge_in_over_the_head_drops_the_rest(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        await call.tick(600)
        call.speaker.stop()
        assert call.said_ == [Said("balance", 600, 360 + HEAD_MS, True)]
        await call.work()
        await call.tick(2000)
        assert len(call.sound) == 600 * 16
        assert not call.speaker.speaking

    run(tmp_path, call)


def test_a_protected_sentence_goes_on_after_its_head(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance(protected=True)])
        await call.tick(400)
        call.speaker.stop(keep_protected=True)
        await call.work()
        await call.tick(5000)
        assert len(call.sound) == len(WHOLE)

    run(tmp_path, call)


def test_without_timings_the_whole_sentence_is_waited_for(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        await call.tick(360 + 100)
        await call.work()
        await call.tick(5000)
        assert call.gaps_ms == 100
        assert call.sound == WHOLE

    run(tmp_path, call, ToneVoice(timings=False))


def test_a_slow_voice_goes_clause_by_clause(tmp_path: Path) -> None:
    text = "Thank you for waiting so long, I have found two of them, and both are yours."

    async def call(call: Call) -> None:
        call.cache.pace.note(letters=1, work_s=1.0, pcm=bytes(16))
        call.speaker.say([Prompt("found", text, (Segment(text),))])
        await call.work()
        await call.tick(400)
        assert call.begun == 1
        assert len(call.worker.jobs) == 1  # the second clause, while the first plays
        await call.work()
        await call.work()
        await call.tick(8000)
        assert call.gaps_ms == 0
        clauses = [
            "Thank you for waiting so long,", "I have found two of them,", "and both are yours.",
        ]  # fmt: skip
        voice = ToneVoice()
        assert call.sound == b"".join(padded(voice.synthesize(each)) for each in clauses)
        assert [said.prompt for said in call.said_] == ["found"]

    run(tmp_path, call)


@pytest.mark.parametrize("protected", [True, False])
def test_a_prompt_whose_rest_is_never_said_was_not_said_in_full(
    tmp_path: Path, protected: bool
) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance(protected)])
        await call.tick(360 + HEAD_MS + 200)
        await call.work()
        await call.tick(1000)
        (said,) = call.said_
        assert (said.prompt, said.interrupted) == ("balance", True)
        assert not call.speaker.speaking

    run(tmp_path, call, ToneVoice(failing=[SENTENCE]))


def test_cut_off_after_the_holding_phrase(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance()])
        await call.tick(360 + HEAD_MS + 3000)
        call.speaker.stop()
        heard_ms = 360 + HEAD_MS
        assert call.said_ == [Said("balance", heard_ms, heard_ms, True)]

    run(tmp_path, call)


def test_patience_is_asked_for_once(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.say([balance(), balance()])
        await call.tick(360 + HEAD_MS + 3000)
        await call.work()
        await call.tick(len(WHOLE) // FRAME_BYTES * FRAME_MS + 3000)
        assert call.held == 1
        await call.work()
        await call.tick(8000)
        assert [said.interrupted for said in call.said_] == [False, False]
        call.speaker.say([balance()])
        await call.tick(360 + HEAD_MS + 3000)
        assert call.held == 2

    run(tmp_path, call)


@pytest.mark.parametrize("slow", [True, False])
def test_faulty_marks_fail_the_prompt_and_not_the_call(tmp_path: Path, slow: bool) -> None:
    async def call(call: Call) -> None:
        if slow:
            call.cache.pace.note(letters=1, work_s=1.0, pcm=bytes(16))
        faulty = Segment("Say it.", speech='<sub alias="">secret</sub>.')
        call.speaker.say([Prompt("faulty", faulty.text, (faulty,)), balance()])
        assert call.speaker.speaking
        await call.work()
        assert len(call.failures) == 1
        assert not call.speaker.speaking
        call.speaker.say([balance()])
        await call.work()
        await call.tick(8000)
        assert call.sound == WHOLE

    run(tmp_path, call)


def test_what_was_prepared_is_said_at_once_and_without_a_seam(tmp_path: Path) -> None:
    async def call(call: Call) -> None:
        call.speaker.prepare([balance()])
        await call.work()
        await call.tick(200)
        assert not call.sound
        assert not call.speaker.speaking
        call.speaker.say([balance()])
        await call.tick(8000)
        assert not call.worker.jobs  # it is not rendered again
        assert (call.sound.strip(b"\0"), call.gaps_ms) == (WHOLE.strip(b"\0"), 0)
        assert [said.interrupted for said in call.said_] == [False]

    run(tmp_path, call)


@pytest.mark.parametrize("after_ms", [0, 200, 360 + HEAD_MS - 120])
def test_what_is_still_being_prepared_is_said_with_its_head(tmp_path: Path, after_ms: int) -> None:
    async def call(call: Call) -> None:
        call.speaker.prepare([balance()])
        await call.settle()
        call.speaker.say([balance()])
        await call.tick(after_ms)
        assert len(call.worker.jobs) == 1
        await call.work()
        await call.tick(5000)
        assert call.gaps_ms == 0
        assert np.abs(to_float(call.sound) - to_float(WHOLE)).max() < 0.01

    run(tmp_path, call)


def test_what_was_dropped_before_it_began_is_not_rendered(tmp_path: Path) -> None:
    voice = ToneVoice()

    async def call(call: Call) -> None:
        before = list(voice.spoken)
        call.speaker.prepare([balance()])
        call.speaker.drop_prepared()
        await call.work()
        assert voice.spoken == before

    run(tmp_path, call, voice)


@pytest.mark.parametrize("said", [True, False])
def test_a_preparation_that_fails_is_told_if_it_is_said(tmp_path: Path, said: bool) -> None:
    async def call(call: Call) -> None:
        call.speaker.prepare([balance()])
        await call.work()
        assert call.failures == []
        if said:
            call.speaker.say([balance()])
            await call.settle()
        call.speaker.drop_prepared()
        await call.tick(400)
        assert len(call.failures) == int(said)

    run(tmp_path, call, ToneVoice(failing=[SENTENCE]))


def test_nothing_is_prepared_behind_a_long_sentence_that_is_ready(tmp_path: Path) -> None:
    long = "Thank you very much for that."

    async def call(call: Call) -> None:
        call.cache.prepare([long], lambda *_: None)
        call.speaker.prepare([Prompt("thanks", long, (Segment(long),)), balance()])
        assert not call.worker.jobs

    run(tmp_path, call)
