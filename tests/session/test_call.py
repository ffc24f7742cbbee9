"""Whole calls without SIP: every tick by hand, under a virtual clock."""

import asyncio
import gc
import re
from collections.abc import Awaitable, Callable
from concurrent.futures import Future

import pytest

from appliance.dialogue.waits import WAITS
from appliance.errors import EngineError
from appliance.testing.engines import ToneVoice

from .conftest import SECRETS, Place


def run(call: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(call())  # type: ignore[arg-type]


def test_promise_to_pay(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes this is maria")
            await trial.listens()
            await trial.says("nine zero two one zero")
            await trial.listens()
            await trial.says("i can pay two hundred dollars on march thirty first")
            await trial.listens()
            await trial.says("yes that's right")
            await trial.listens()
            assert trial.line.is_down
        assert trial.record()["outcome"] == "ptp_set"
        assert trial.actions() == ["create_promise_to_pay"]
        assert "mini_miranda" in trial.prompts()

    run(call)


def test_no_secret_in_log_or_record(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes this is maria lopez")
            await trial.listens()
            await trial.says("it's nine zero two one zero")
            await trial.listens()
            await trial.says("my account is four one two three seven seven eight eight nine nine")
            await trial.line.press("90210")
            await trial.listens()
        text = re.sub(r'_?ms": [0-9.]+', "", trial.everything_logged())  # times are no secrets
        for secret in SECRETS:
            assert secret not in text, secret

    run(call)


def test_prompt_stops_for_the_caller_and_the_record_says_when(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(1000)
            trial.hearing.words = "stop calling me"
            before = len(trial.line.played)
            await trial.line.speak(200)
            heard_after_ms = (len(trial.line.played) - before) * 20
            assert heard_after_ms <= 200
            await trial.line.quiet(1600)
            await trial.listens()
        said = trial.events("said")[0]
        assert said["prompt"] == "greeting"
        assert said["interrupted"] is True
        assert 1000 <= said["heard_ms"] <= 1200
        assert said["heard_ms"] < said["total_ms"]
        assert trial.record()["outcome"] == "cease_contact"
        assert trial.actions() == ["mark_do_not_contact"]

    run(call)


async def _reach_disclosure(trial) -> None:  # type: ignore[no-untyped-def]
    await trial.listens()
    await trial.says("yes")
    await trial.listens()
    await trial.says("nine zero two one zero")


def test_disclosure_plays_on_but_stop_is_heard(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _reach_disclosure(trial)
            await trial.says("stop calling me")
            await trial.listens()
            assert trial.line.is_down
        said = {event["prompt"]: event for event in trial.events("said")}
        assert said["mini_miranda"]["interrupted"] is False
        assert said["mini_miranda"]["heard_ms"] == said["mini_miranda"]["total_ms"]
        assert trial.record()["outcome"] == "cease_contact"

    run(call)


def test_small_talk_over_the_disclosure_is_ignored(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _reach_disclosure(trial)
            await trial.says("oh really")
            await trial.listens()
        assert [event["reason"] for event in trial.events("ignored")] == [
            "spoken over a protected prompt"
        ]
        assert "ask_full_today" in trial.prompts()

    run(call)


def test_silence_ends_the_call_after_three(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            for _ in range(8):
                await trial.listens()
                await trial.line.quiet(6500)
            assert trial.line.is_down
        assert trial.record()["outcome"] == "silence_timeout"
        assert len(trial.events("no_input")) == 3

    run(call)


def test_typed_zip(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.line.quiet(300)
            await trial.line.press("90210")
            await trial.listens()
        assert "mini_miranda" in trial.prompts()

    run(call)


def test_half_typed_zip_counts_after_a_pause(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
            await trial.line.press("902")
            await trial.line.quiet(3000)
        assert "zip_incomplete" in trial.prompts()

    run(call)


def test_recognizer_failure_asks_again(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says(EngineError("out of memory"))
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
        assert "not_understood" in trial.prompts()
        assert "ask_zip" in trial.prompts()
        assert trial.record()["errors"][0]["stage"] == "stt"

    run(call)


def test_voice_failure_does_not_end_the_call(place: Place) -> None:
    async def call() -> None:
        async with place(failing=["I'm sorry."]) as trial:
            await trial.listens()
            await trial.says("no")  # the right number? I'm sorry …
            await trial.listens()
            assert not trial.line.is_down
        assert "not_understood" in trial.prompts()

    run(call)


def test_without_what_must_be_heard_the_call_does_not_go_on(place: Place) -> None:
    async def call() -> None:
        async with place(failing=["Hello."]) as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
        assert "ask_zip" not in trial.prompts()
        assert {"prompt": "greeting", "times": 2, "heard": False} in trial.record()["obligations"]

    run(call)


def test_unsure_words_are_not_acted_on(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            trial.hearing.confidence = 0.1
            await trial.says("yes")
            await trial.listens()
        assert "not_understood" in trial.prompts()
        assert "ask_zip" not in trial.prompts()

    run(call)


def test_unsure_stop_is_acted_on(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            trial.hearing.confidence = 0.1
            await trial.says("stop calling me")
            await trial.listens()
        assert trial.record()["outcome"] == "cease_contact"

    run(call)


def test_noise_is_no_turn(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("")
        assert trial.events("heard") == []
        assert len(trial.events("noise")) == 1

    run(call)


def test_request_for_a_person_is_a_transfer(place: Place) -> None:
    async def call() -> None:
        async with place(human="sip:100@192.0.2.10") as trial:
            await trial.listens()
            await trial.says("let me talk to a person")
            await trial.listens()
            assert trial.line.transferred_to == ["sip:100@192.0.2.10"]
            await trial.line.finish_transfer(200)
            await trial.listens()
        assert trial.record()["outcome"] == "user_requested_human"

    run(call)


def test_failed_transfer_promises_a_call_back(place: Place) -> None:
    async def call() -> None:
        async with place(human="sip:100@192.0.2.10") as trial:
            await trial.listens()
            await trial.says("let me talk to a person")
            await trial.listens()
            await trial.line.finish_transfer(486)
            await trial.listens()
        assert "nobody_free" in trial.prompts()
        assert "schedule_callback" in trial.actions()

    run(call)


def test_without_a_person_the_request_is_kept(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("let me talk to a person")
            await trial.listens()
            assert trial.line.is_down
        assert "nobody_free" in trial.prompts()
        assert trial.actions() == ["escalate_to_human", "schedule_callback"]

    run(call)


def test_caller_hangs_up(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(500)
            trial.line.bring_down()
            await trial.line.settle()
        record = trial.record()
        assert record["ended_by"] == "peer"
        assert record["outcome"] == "user_ended"

    run(call)


def test_hold_is_no_silence_of_the_caller(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.line.hold(True)
            await trial.line.quiet(30_000)
            assert trial.events("no_input") == []
            await trial.line.hold(False)
            await trial.says("yes")
        assert "ask_zip" in trial.prompts()

    run(call)


def test_hold_does_not_outlast_the_longest_call(place: Place) -> None:
    async def call() -> None:
        async with place(max_call_s=10) as trial:
            await trial.line.hold(True)
            await trial.line.quiet(11_000)
            assert trial.line.is_down

    run(call)


def test_longest_call(place: Place) -> None:
    async def call() -> None:
        async with place(max_call_s=10) as trial:
            await trial.line.quiet(11_000)
            assert trial.line.is_down
        assert trial.events("limit")

    run(call)


def test_answer_comes_after_the_pause_that_the_flow_asks_for(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes this is maria")
        turn = next(turn for turn in trial.events("turn") if "ask_zip" in turn["prompts"])
        assert turn["endpoint_ms"] == WAITS["yes_no"].patience_ms  # of a clear yes
        assert turn["first_audio_ms"] >= turn["endpoint_ms"]

    run(call)


def test_half_an_answer_gets_more_time(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
            trial.hearing.words = "nine zero two"
            await trial.line.speak()
            await trial.line.quiet(1000)  # longer than a complete ZIP would get
            trial.hearing.words = "nine zero two one zero"
            await trial.line.speak()
            await trial.line.quiet(1600)
            await trial.listens()
        assert "mini_miranda" in trial.prompts()
        assert "zip_incomplete" not in trial.prompts()

    run(call)


def test_nothing_of_a_call_is_left(place: Place) -> None:
    async def one() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("goodbye")
            await trial.listens()

    async def many() -> None:
        await one()
        before = _counts()
        for _ in range(10):
            await one()
        assert _counts() == before

    def _counts() -> tuple[int, int]:
        gc.collect()
        sessions = sum(type(each).__name__ == "CallSession" for each in gc.get_objects())
        return len(asyncio.all_tasks()), sessions

    run(many)


@pytest.mark.parametrize("words", ["yes", "no", "um", "what is this about"])
def test_any_first_answer_gets_a_reply(place: Place, words: str) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            before = len(trial.line.played)
            await trial.says(words)
            assert len(trial.line.played) > before

    run(call)


def test_a_late_sentence_is_announced_and_noted(place: Place) -> None:
    """The worker hangs: after the caller's patience the flow's holding phrase is said."""

    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            trial.services.voices.prepare(["One moment, please."], [], lambda *_: None)
            trial.services.speaking_workers.submit = lambda *_, **__: Future()
            await trial.says("yes")
            await trial.listens()
            assert len(trial.events("held_up")) == 1
            assert trial.events("error") == []
            heard = b"".join(trial.line.played)
            assert ToneVoice().synthesize("One moment, please.") in heard

    run(call)
