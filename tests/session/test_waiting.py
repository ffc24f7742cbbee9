"""No dead air, in whole calls without SIP: tools, readings and transfers that take long."""

import asyncio
from concurrent.futures import Executor, Future
from typing import Any

from tests.session.conftest import Place, Trial
from tests.session.test_edges import verify

HUMAN = "sip:100@127.0.0.1"


class Slow(Executor):
    """Does what it is given when the test says so."""

    def __init__(self) -> None:
        self._due: list[tuple[Future[Any], Any]] = []
        self.slow = False

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future: Future[Any] = Future()
        self._due.append((future, lambda: fn(*args, **kwargs)))
        if not self.slow:
            self.finish()
        return future

    def finish(self) -> None:
        due, self._due = self._due, []
        for future, work in due:
            if future.set_running_or_notify_cancel():
                future.set_result(work())


def _waits(trial: Trial) -> list[str]:
    return [event["wait"] for event in trial.events("held_up")]


def _asides(trial: Trial) -> list[str]:
    names = {"one_moment", "still_at_it", "still_connecting"}
    return [each["prompt"] for each in trial.events("said") if each["prompt"] in names]


def test_who_waits_for_a_tool_is_told_so(place: Place) -> None:
    storing = Slow()

    async def call() -> None:
        async with place(storing=storing, hold_ms=1000, hold_again_s=3) as trial:
            await verify(trial)
            await trial.listens()
            storing.slow = True
            await trial.says("i can pay two hundred dollars on march thirty first")
            await trial.listens()
            await trial.says("yes that's right")
            await trial.line.quiet(8000)
            assert _waits(trial) == ["tool", "tool"]
            assert _asides(trial) == ["one_moment", "still_at_it"]
            storing.slow = False
            storing.finish()
            await trial.line.settle()
            await trial.listens()
        assert trial.record()["outcome"] == "ptp_set"
        assert trial.events("no_input") == []

    asyncio.run(call())


def test_what_the_flow_has_just_said_is_not_said_again(place: Place) -> None:
    storing = Slow()

    async def call() -> None:
        async with place(flow="campaign", storing=storing, hold_ms=500, hold_again_s=3) as trial:
            await trial.listens()
            for _ in range(2):
                await trial.says("yes")
                await trial.listens()
            storing.slow = True
            await trial.says("yes")
            await trial.line.quiet(2500)
            assert _asides(trial) == ["one_moment"]  # the flow's own
            storing.slow = False
            storing.finish()
            await trial.line.settle()

    asyncio.run(call())


def test_who_waits_for_a_slow_decode_is_told_so_and_then_answered(place: Place) -> None:
    recognizing = Slow()

    async def call() -> None:
        async with place(recognizing=recognizing, hold_ms=1000, hold_again_s=3) as trial:
            await trial.listens()
            recognizing.slow = True
            await trial.says("yes")
            await trial.line.quiet(600)
            assert _waits(trial) == ["reading"]
            recognizing.slow = False
            recognizing.finish()
            await trial.line.quiet(200)
            await trial.listens()
        [held_up] = [each for each in trial.events("said") if each["prompt"] == "one_moment"]
        assert held_up["interrupted"] is False  # the answer comes after it, not into it
        assert trial.prompts()[-1:] == ["ask_zip"]
        answer = next(turn for turn in trial.events("turn") if "ask_zip" in turn["prompts"])
        assert answer["decision_ms"] > 1000  # it was late, and the log says so

    asyncio.run(call())


def test_a_slow_transfer_is_kept_alive_and_given_up_politely(place: Place) -> None:
    async def call() -> None:
        async with place(human=HUMAN, hold_again_s=3) as trial:
            await trial.listens()
            await trial.says("let me speak to a person")
            await trial.listens()
            assert trial.line.transferred_to == [HUMAN]
            await trial.line.quiet(9000)
            await trial.listens()
        assert set(_waits(trial)) == {"transfer"}
        assert 1 <= len(_asides(trial)) <= 3
        assert set(_asides(trial)) == {"still_connecting"}
        assert trial.prompts()[-1] == "nobody_free"
        assert "schedule_callback" in trial.actions()

    asyncio.run(call())


def test_a_transfer_takes_no_longer_because_the_caller_is_on_hold(place: Place) -> None:
    async def call() -> None:
        async with place(human=HUMAN) as trial:
            await trial.listens()
            await trial.says("let me speak to a person")
            await trial.listens()
            await trial.line.hold(True)
            await trial.line.quiet(11_000)
            outcomes = {each["name"]: each["outcome"] for each in trial.events("action")}
            assert outcomes["escalate_to_human"] == "failed"

    asyncio.run(call())


def test_a_caller_of_whom_nothing_comes_has_hung_up(place: Place) -> None:
    async def call() -> None:
        async with place(no_media_s=3) as trial:
            await trial.listens()
            trial.line.receiving = False
            await trial.line.quiet(2980)
            assert trial.events("lost") == []
            await trial.line.quiet(100)
            assert trial.line.is_down
        assert len(trial.events("lost")) == 1
        assert trial.record()["outcome"] == "user_ended"

    asyncio.run(call())


def test_a_silent_caller_is_asked_and_not_hung_up_on_for_his_silence(place: Place) -> None:
    async def call() -> None:
        async with place(no_media_s=3) as trial:
            await trial.listens()
            await trial.line.quiet(7000)
            assert "are_you_there" in trial.prompts()
            assert not trial.line.is_down
            assert trial.events("lost") == []

    asyncio.run(call())
