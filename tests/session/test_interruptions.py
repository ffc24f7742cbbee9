"""Which sounds of a caller stop a prompt, and which of his turns are none."""

import asyncio
from collections.abc import Awaitable, Callable

import numpy as np
import pytest

from appliance.audio.level import Samples, to_pcm
from appliance.session.interruptions import (
    LONG_MS,
    NO_TURN_MS,
    Interruptions,
    Moment,
    is_acknowledgement,
)
from appliance.testing.line import TALK as TALK_FRAMES
from appliance.testing.turntaking import sounds
from appliance.types import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES, AudioFrame

from .conftest import ONSETS, Place, Trial

OVER = Moment(speaking=True, interruptible=True, turn_open=False, talking=False)
OVER_TALKING = Moment(speaking=True, interruptible=True, turn_open=True, talking=True)
PROTECTED = Moment(speaking=True, interruptible=False, turn_open=True, talking=True)
SILENT = Moment(speaking=False, interruptible=False, turn_open=False, talking=False)
STILL = AudioFrame(bytes(FRAME_BYTES), 0)


def _frames(sound: Samples) -> list[AudioFrame]:
    sound = np.pad(0.3 * sound, (0, FRAME_SAMPLES - len(sound) % FRAME_SAMPLES))
    pcm = to_pcm(sound.astype(np.float32))
    return [AudioFrame(pcm[at : at + FRAME_BYTES], 0) for at in range(0, len(pcm), FRAME_BYTES)]


TALK = [AudioFrame(pcm, 0) for pcm in TALK_FRAMES]
HUM = _frames(sounds.acknowledgement(np.random.default_rng(3), "mhm"))


@pytest.fixture
def interruptions() -> Interruptions:
    one = Interruptions(ONSETS)
    for _ in range(20):
        one.push(STILL, OVER)
    return one


def _pushed(one: Interruptions, frames: list[AudioFrame], moment: Moment) -> list[bool]:
    return [one.push(frame, moment) for frame in frames]


def test_talk_stops_a_prompt_within_100_ms(interruptions: Interruptions) -> None:
    assert True in _pushed(interruptions, TALK, OVER)[: 100 // FRAME_MS]


def test_a_hum_does_not(interruptions: Interruptions) -> None:
    assert True not in _pushed(interruptions, HUM, OVER)


def test_nothing_stops_what_is_protected(interruptions: Interruptions) -> None:
    assert True not in _pushed(interruptions, TALK, PROTECTED)


def test_our_own_echo_is_nobody(interruptions: Interruptions) -> None:
    echo = [AudioFrame(frame.pcm, 0, echo=True) for frame in TALK]
    assert True not in _pushed(interruptions, echo, OVER)


def test_who_spoke_before_the_prompt_began_has_the_floor(interruptions: Interruptions) -> None:
    interruptions.turn_began(over_prompt=False)
    assert interruptions.push(STILL, OVER_TALKING)


def test_who_hums_for_long_has_it_too(interruptions: Interruptions) -> None:
    interruptions.turn_began(over_prompt=True)
    wanted = _pushed(interruptions, [STILL] * (LONG_MS // FRAME_MS), OVER_TALKING)
    assert wanted == [False] * (len(wanted) - 1) + [True]


def test_a_stop_that_no_turn_comes_of_is_told_once(interruptions: Interruptions) -> None:
    interruptions.stopped()
    told = []
    for _ in range(2 * NO_TURN_MS // FRAME_MS):
        interruptions.push(STILL, SILENT)
        told.append(interruptions.came_to_nothing())
    assert told.index(True) * FRAME_MS == NO_TURN_MS - FRAME_MS
    assert sum(told) == 1


def test_a_stop_that_a_turn_comes_of_is_proven(interruptions: Interruptions) -> None:
    interruptions.stopped()
    talk = interruptions.turn_began(over_prompt=False)
    for _ in range(2 * NO_TURN_MS // FRAME_MS):
        interruptions.push(STILL, SILENT)
        assert not interruptions.came_to_nothing()
    assert talk.over


def test_mhm_over_a_prompt_is_no_turn_but_after_it_is(interruptions: Interruptions) -> None:
    talk = interruptions.turn_began(over_prompt=True)
    _pushed(interruptions, HUM, OVER_TALKING)
    assert is_acknowledgement(talk, "mhm", humming=True)
    talk = interruptions.turn_began(over_prompt=False)
    assert not is_acknowledgement(talk, "mhm", humming=True)


def test_mhm_that_outlasts_the_question_answers_it(interruptions: Interruptions) -> None:
    talk = interruptions.turn_began(over_prompt=True)
    after = Moment(speaking=False, interruptible=False, turn_open=True, talking=True)
    _pushed(interruptions, HUM, OVER_TALKING)
    _pushed(interruptions, HUM, after)
    _pushed(interruptions, [STILL] * 30, SILENT)
    assert not is_acknowledgement(talk, "mhm", humming=True)


def test_a_hum_that_was_read_as_a_word_is_still_a_hum(interruptions: Interruptions) -> None:
    talk = interruptions.turn_began(over_prompt=True)
    _pushed(interruptions, HUM, OVER_TALKING)
    assert is_acknowledgement(talk, "no", humming=False)
    assert not is_acknowledgement(talk, "no that is wrong", humming=False)


def test_words_that_stopped_the_prompt_are_a_turn(interruptions: Interruptions) -> None:
    _pushed(interruptions, TALK[:10], OVER)
    interruptions.stopped()
    talk = interruptions.turn_began(over_prompt=False)
    _pushed(interruptions, TALK, SILENT)
    assert not is_acknowledgement(talk, "no", humming=False)
    assert is_acknowledgement(talk, "mhm", humming=True)


def test_a_turn_is_judged_by_its_own_marks_however_late_it_is_read(
    interruptions: Interruptions,
) -> None:
    hummed = interruptions.turn_began(over_prompt=True)
    _pushed(interruptions, HUM, OVER_TALKING)
    _pushed(interruptions, [STILL] * 40, SILENT)  # it is over; the prompt too, before it is read
    talk = interruptions.turn_began(over_prompt=False)
    _pushed(interruptions, TALK, SILENT)
    assert is_acknowledgement(hummed, "mhm", humming=True)
    assert not is_acknowledgement(talk, "mhm", humming=True)


# On a call


def run(call: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(call())  # type: ignore[arg-type]


async def _say(trial: Trial, frames: list[AudioFrame], words: str) -> None:
    trial.hearing.words = words
    for frame in frames:
        await trial.line.tick(frame.pcm)
    await trial.line.quiet(1600)


def _reasons(trial: Trial) -> list[str]:
    return [event["reason"] for event in trial.events("ignored")]


@pytest.mark.parametrize("words", ["mhm", "no", "um"])
def test_greeting_plays_on_over_an_acknowledgement(place: Place, words: str) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(1000)
            await _say(trial, HUM, words)
            await trial.listens()
            assert _reasons(trial) == ["acknowledgement"]
            assert next(said["interrupted"] for said in trial.events("said")) is False
            assert len(trial.events("turn")) == 1

    run(call)


def test_hum_after_the_question_is_a_yes(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await _say(trial, HUM, "mhm")
            assert not _reasons(trial)
            assert len(trial.events("turn")) == 2

    run(call)


def test_a_request_to_stop_counts_however_it_was_said(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(1000)
            await _say(trial, HUM, "stop calling me")
            await trial.listens()
        assert trial.record()["outcome"] == "cease_contact"

    run(call)


def test_what_stopped_for_an_acknowledgement_after_all_is_said_again(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(1000)
            await _say(trial, TALK[:20], "uh huh")
            assert trial.events("interrupted")
            assert _reasons(trial) == ["acknowledgement"]
            await trial.listens()
            said = [(said["prompt"], said["interrupted"]) for said in trial.events("said")]
            assert said[:2] == [("greeting", True), ("greeting", False)]

    run(call)


def test_what_stopped_for_less_than_a_turn_is_said_again(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(1000)
            await _say(trial, TALK[:4], "")
            await trial.listens()
            said = [(said["prompt"], said["interrupted"]) for said in trial.events("said")]
            assert said[-1] == ("greeting", False)
            assert not trial.events("interrupted") or said[0] == ("greeting", True)

    run(call)
