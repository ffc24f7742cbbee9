"""Who speaks when he is not waited for: what that answers, what it stops and what goes on."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from .conftest import Place, Trial
from .test_obligations import _at_the_terms


def run(call: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(call())  # type: ignore[arg-type]


class Slow(Executor):
    """Does at once what is asked of it, but while it is `halted`: then when it goes on."""

    def __init__(self) -> None:
        self.halted = False
        self._kept: list[Callable[[], None]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()

        def work() -> None:
            if future.set_running_or_notify_cancel():
                future.set_result(fn(*args, **kwargs))

        self._kept.append(work)
        self.go_on(halted=self.halted)
        return future

    def go_on(self, *, halted: bool = False) -> None:
        self.halted = halted
        while self._kept and not halted:
            self._kept.pop(0)()


async def _wrong_number(trial: Trial) -> None:
    """To the last words, "Sorry to have bothered you. Goodbye."."""
    await trial.listens()
    await trial.says("no")
    await trial.listens()
    await trial.says("no")
    assert trial.prompts()[-1] == "wrong_person"


def _said(trial: Trial, prompt: str) -> list[str]:
    return [each["words"] for each in trial.events("said") if each["prompt"] == prompt]


def test_a_yes_that_was_cut_in_two_does_not_answer_the_next_question(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _asked_for_all(trial)
            await trial.line.quiet(60)  # he goes on: "yes ... it is"
            await trial.says("yes it is", ms=900)
            assert trial.events("heard")[-1]["unheard"] == ["ask_full_today"]
            assert trial.prompts()[-2:] == ["in_full", "ask_full_today"]
            await trial.listens()
            await trial.says("yes")
            assert trial.prompts()[-1] == "confirm_promise"

    run(call)


async def _asked_for_all(trial: Trial) -> None:
    """To the end of the protected disclosure, after which the balance and the question come."""
    await trial.listens()
    await trial.says("yes")
    await trial.listens()
    await trial.says("nine zero two one zero")
    while not _said(trial, "mini_miranda"):
        await trial.line.quiet(20)


def test_a_yes_to_a_question_that_was_begun_counts(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _asked_for_all(trial)
            while not _said(trial, "balance"):
                await trial.line.quiet(20)
            await trial.line.quiet(500)
            await trial.says("yes")
            assert trial.prompts()[-1] == "confirm_promise"

    run(call)


def test_a_value_counts_before_its_question(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes")
            assert trial.prompts()[-1] == "ask_zip"
            await trial.says("nine zero two one zero", ms=900)
            assert "mini_miranda" in trial.prompts()

    run(call)


def test_stop_over_the_goodbye_is_acted_on(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _wrong_number(trial)
            await trial.says("stop calling me", ms=500)
            await trial.says("stop calling me", ms=500)  # once
            await trial.listens()
        assert trial.actions() == ["mark_do_not_contact"]
        assert [each["text"] for each in trial.events("heard")][-1] == "stop calling me"
        assert trial.record()["outcome"] == "wrong_party"

    run(call)


def test_nobody_is_hung_up_on_in_the_middle_of_a_stop(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _wrong_number(trial)
            while not _said(trial, "wrong_person"):
                trial.hearing.words = "stop calling me"
                await trial.line.speak(100)
            await trial.line.speak(400)
            assert not trial.line.is_down
            await trial.line.quiet(1600)
            assert trial.line.is_down
        assert trial.actions() == ["mark_do_not_contact"]

    run(call)


def test_noise_after_the_goodbye_does_not_keep_the_line(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await _wrong_number(trial)
            await trial.line.quiet(500)
            trial.hearing.words = ""
            for _ in range(70):
                if not trial.line.is_down:
                    await trial.line.speak(100)
            assert trial.line.is_down

    run(call)


def test_what_a_tool_found_waits_for_who_says_stop(place: Place) -> None:
    async def call() -> None:
        slow = Slow()
        async with place(storing=slow) as trial:
            await _at_the_terms(trial)
            await trial.listens()
            slow.halted = True
            await trial.says("yes that's right")
            trial.hearing.words = "stop calling me"
            await trial.line.speak(300)
            slow.go_on()
            await trial.line.speak(600)
            assert "promise_set" not in trial.prompts()
            await trial.line.quiet(1600)
            await trial.listens()
        assert trial.actions() == ["create_promise_to_pay", "mark_do_not_contact"]
        assert trial.record()["outcome"] == "cease_contact"

    run(call)


def test_a_question_that_was_answered_does_not_go_on(place: Place) -> None:
    async def call() -> None:
        slow = Slow()
        async with place(storing=slow) as trial:
            await _at_the_terms(trial)
            while "Is that right?" not in _asking(trial):
                await trial.line.quiet(20)
            slow.halted = True
            await trial.says("yes")
            await trial.says("", ms=300)  # he coughs while it is stored
            await trial.line.quiet(600)
            assert not trial.session._dialogue.speaker.speaking
            slow.go_on()
            await trial.listens()
        assert trial.record()["outcome"] == "ptp_set"
        assert len(_said(trial, "confirm_promise")) == 1

    run(call)


def _asking(trial: Trial) -> str:
    """The last sentence of the terms, once all before it was heard."""
    playing = trial.session._dialogue._playout._prompts
    if not playing:
        return "Is that right?"
    stretches = playing[0].stretches(trial.session._dialogue._playout._heard(playing[0]))
    return "Is that right?" if stretches[-1].sentence and stretches[-1].heard_ms else ""


def test_a_question_whose_answer_is_being_typed_does_not_go_on(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.line.press("9")
            trial.hearing.words = ""
            await trial.line.speak(300)
            await trial.line.quiet(1200)
            assert not trial.session._dialogue.speaker.speaking
            await trial.line.press("0210")
            assert "mini_miranda" in trial.prompts()

    run(call)


def test_noise_does_not_repeat_one_sentence_for_ever(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            for _ in range(8):
                await trial.line.quiet(500)
                await trial.says("", ms=1000)
            cuts = [each["interrupted"] for each in trial.events("said")]
            assert cuts[:4] == [True, True, True, False]
            assert trial.events("no_input")

    run(call)


def test_what_noise_cut_off_goes_on_after_a_holding_phrase(place: Place) -> None:
    async def call() -> None:
        slow = Slow()
        async with place(recognizing=slow) as trial:
            await trial.line.quiet(1000)
            slow.halted = True
            trial.hearing.words = ""
            await trial.line.speak(900)
            while not trial.session._dialogue.speaker.speaking:
                await trial.line.quiet(20)
            slow.go_on()
            await trial.listens()
            assert _said(trial, "one_moment")
            assert len(_said(trial, "greeting")) == 2
            assert not trial.events("said")[-1]["interrupted"]

    run(call)


@pytest.mark.parametrize(
    ("words", "outcome"), [("yes", None), ("stop calling me", "cease_contact")]
)
def test_a_hold_ends_what_was_begun(place: Place, words: str, outcome: str | None) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            trial.hearing.words = words
            await trial.line.speak(600)
            await trial.line.quiet(60)
            await trial.line.hold(True)
            await trial.line.quiet(400)
            assert [each["text"] for each in trial.events("heard")] == [words] * bool(outcome)
            if not outcome:
                await trial.line.hold(False)
                await trial.says("no this is somebody else")
                assert trial.events("heard")[0]["text"] == "no this is somebody else"
                assert len(trial.events("speech")) == 2
        assert trial.record()["outcome"] == outcome or not outcome

    run(call)
