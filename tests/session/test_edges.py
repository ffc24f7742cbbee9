"""What happens between the turns: failures, noise, hang-ups in mid-word, changed minds."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from datetime import datetime

from appliance.dialogue.engine import replay
from appliance.dialogue.events import parse_event
from appliance.errors import StoreError
from appliance.flows.registry import load_flow
from appliance.store.actions import ActionStore, Entry
from appliance.store.events import read_events

from .conftest import ACCOUNT, Place

DIALOGUE = ("call_started", "heard", "digits", "no_input", "engine_failed", "tool_done", "hung_up")


def run(call: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(call())  # type: ignore[arg-type]


async def verify(trial) -> None:  # type: ignore[no-untyped-def]
    await trial.listens()
    await trial.says("yes")
    await trial.listens()
    await trial.says("nine zero two one zero")


def test_failing_sentence_after_the_disclosure_does_not_take_it_away(place: Place) -> None:
    balance = (
        "Your account with Harbor Medical has a balance of "
        "four hundred twelve dollars and thirty seven cents."
    )

    async def call() -> None:
        async with place(failing=[balance]) as trial:
            await verify(trial)
            await trial.listens()
        said = {event["prompt"]: event for event in trial.events("said")}
        assert said["mini_miranda"]["heard_ms"] == said["mini_miranda"]["total_ms"] > 0
        assert [error["stage"] for error in trial.record()["errors"]] == ["tts"]

    run(call)


def test_stop_and_hang_up_in_one_breath_counts(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            trial.hearing.words = "stop calling me"
            await trial.line.speak(800)
            trial.line.bring_down()
            await trial.line.settle()
        assert trial.record()["outcome"] == "cease_contact"
        assert trial.actions() == ["mark_do_not_contact"]

    run(call)


def test_half_an_answer_and_hang_up_is_no_answer(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            trial.hearing.words = "yes"
            await trial.line.speak(400)
            trial.line.bring_down()
            await trial.line.settle()
        assert trial.events("heard") == []
        assert trial.record()["outcome"] == "user_ended"

    run(call)


def test_end_is_the_last_event(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("goodbye")
            await trial.says("are you still there")
            await trial.listens()
        assert [event["t"] for event in trial.events()][-1] == "end"
        assert len(trial.events("heard")) == 1

    run(call)


def test_changed_mind_is_not_transferred(place: Place) -> None:
    async def call() -> None:
        async with place(human="sip:100@192.0.2.10") as trial:
            await trial.listens()
            await trial.says("let me talk to a person")
            await trial.says("actually call me back later")
            await trial.listens()
            assert trial.line.transferred_to == []
        assert "ask_callback" in trial.prompts()
        assert trial.actions()[0] == "escalate_to_human"

    run(call)


def test_request_for_a_person_is_stored_even_if_he_hangs_up(place: Place) -> None:
    async def call() -> None:
        async with place(human="sip:100@192.0.2.10") as trial:
            await trial.listens()
            await trial.says("let me talk to a person", ms=600)
            trial.line.bring_down()
            await trial.line.settle()
        assert "escalate_to_human" in trial.actions()

    run(call)


def test_unasked_transfer_result_is_ignored(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.finish_transfer(200)
            await trial.listens()
            await trial.says("yes")
        assert "ask_zip" in trial.prompts()

    run(call)


def test_noise_does_not_keep_a_call_open(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            for _ in range(12):
                if not trial.line.is_down:
                    await trial.says("", ms=600)
                    await trial.line.quiet(3000)
                    await trial.listens()
            assert trial.line.is_down
        assert trial.record()["outcome"] == "silence_timeout"

    run(call)


def test_cough_does_not_silence_the_question(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(500)
            await trial.says("", ms=300)
            await trial.listens()
        said = [event for event in trial.events("said") if event["prompt"] == "greeting"]
        assert [event["interrupted"] for event in said] == [True, False]

    run(call)


def test_appliance_yields_to_a_caller_who_began_over_the_disclosure(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await verify(trial)
            await trial.line.quiet(1000)
            trial.hearing.words = "wait what is this about exactly"
            while not [e for e in trial.events("said") if e["prompt"] == "mini_miranda"]:
                await trial.line.speak(100)
            heard_until = len(trial.line.played)
            await trial.line.speak(400)
            assert len(trial.line.played) - heard_until <= 10
        balance = next(event for event in trial.events("said") if event["prompt"] == "balance")
        assert balance["interrupted"] is True

    run(call)


def test_typed_beginning_of_a_zip_does_not_answer_the_next_question(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
            await trial.line.press("902")
            await trial.says("nine zero two one zero")
            await trial.listens()
        assert trial.events("digits") == []
        assert "not_understood" not in trial.prompts()

    run(call)


def test_zip_in_pieces_is_not_logged(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("yes")
            for piece in ("nine zero", "two one", "zero"):
                await trial.listens()
                await trial.says(piece)
        heard = " ".join(event["text"] for event in trial.events("heard"))
        assert not {"nine", "zero", "two", "one"} & set(heard.split())

    run(call)


def test_line_failure_and_limit_are_not_the_callers_doing(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.line.quiet(500)
            trial.line.bring_down(by="line")
            await trial.line.settle()
        assert trial.record()["outcome"] == "interrupted"

    run(call)


def test_ended_call_on_hold_is_hung_up(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("goodbye")
            await trial.line.hold(True)
            await trial.line.quiet(200)
            assert trial.line.is_down

    run(call)


def test_answer_behind_a_disclosure_is_no_measure_of_speed(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await verify(trial)
            await trial.says("are you a robot")
            await trial.listens()
        turn = next(turn for turn in trial.events("turn") if "i_am_automated" in turn["prompts"])
        assert "decision_ms" not in turn

    run(call)


def test_call_replays_from_its_log(place: Place) -> None:
    async def call() -> None:
        async with place() as trial:
            await verify(trial)
            await trial.listens()
            await trial.says("i can pay two hundred dollars on march thirty first")
            await trial.listens()
            await trial.says("yes that's right")
            await trial.listens()
        entries = [event for event in read_events(trial.log) if event["t"] in DIALOGUE]
        flow = load_flow("collections").bind(trial.line.key, {**ACCOUNT, "expected_zip": "00000"})
        turns = list(
            replay(
                flow, [(_time(each), parse_event({**each, "type": each["t"]})) for each in entries]
            )
        )
        assert turns[-1].state.outcome == trial.record()["outcome"] == "ptp_set"
        logged = [(turn["state"], turn["prompts"]) for turn in trial.events("turn")]
        replayed = [(turn.state.current, [prompt.id for prompt in turn.say]) for turn in turns]
        assert replayed[: len(logged)] == logged

    def _time(event):  # type: ignore[no-untyped-def]
        return datetime.fromisoformat(event["at"])

    run(call)


def test_action_that_cannot_be_stored_at_first_is_stored_at_the_end(
    place: Place, monkeypatch
) -> None:  # type: ignore[no-untyped-def]
    really_add = ActionStore.add
    failures = iter([True] * 3)

    def add(self: ActionStore, entry: Entry) -> bool:
        if next(failures, False):
            raise StoreError("disk full")
        return really_add(self, entry)

    monkeypatch.setattr(ActionStore, "add", add)
    monkeypatch.setattr("appliance.actions.host._WAIT_S", 0.0)

    async def call() -> None:
        async with place() as trial:
            await trial.listens()
            await trial.says("stop calling me")
            await trial.listens()
        assert "failed" in [action["outcome"] for action in trial.record()["actions"]]
        assert trial.actions() == ["mark_do_not_contact"]

    run(call)


def test_a_recognizer_that_hangs_is_one_that_failed(place: Place) -> None:
    async def call() -> None:
        async with place(deadline_s=0.05) as trial:
            await trial.listens()
            trial.services.scheduler.final = lambda *_: Future()
            await trial.says("yes")
            await asyncio.sleep(0.1)
            await trial.listens()
        assert trial.prompts()[:3] == ["greeting", "not_understood", "ask_for_person"]
        assert trial.events("error")[0]["stage"] == "stt"

    run(call)


def test_a_voice_that_hangs_is_one_that_failed(place: Place) -> None:
    async def call() -> None:
        async with place(deadline_s=0.05) as trial:
            await trial.listens()
            trial.services.speaking_workers.submit = lambda *_: Future()
            await trial.says("yes")
            await asyncio.sleep(0.1)
            await trial.listens()
        assert trial.events("error")[0]["stage"] == "tts"

    run(call)
