import asyncio
from collections.abc import Awaitable, Callable

import pytest

from appliance.sources.faults import Fault
from appliance.sources.retry import first_answer, pause_s, reconnect_pause_s

pytestmark = pytest.mark.anyio

Attempt = Callable[[], Awaitable[str]]


class Script:
    """Attempts that go as they are written: a value, a fault, or seconds until a value."""

    def __init__(self, *steps: str | Fault | float) -> None:
        self._steps = list(steps)
        self.begun = 0

    async def __call__(self) -> str:
        step = self._steps[self.begun]
        self.begun += 1
        if isinstance(step, Fault):
            raise step
        if isinstance(step, float):
            await asyncio.sleep(step)
            return f"attempt {self.begun}" if step else "at once"
        return step


def until(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


async def test_first_try_suffices() -> None:
    script = Script("good")
    assert await first_answer(script, 3, until(5)) == "good"
    assert script.begun == 1


async def test_a_failure_that_another_try_may_help_is_tried_again() -> None:
    script = Script(Fault("lost", again=True), Fault("lost", again=True), "good")
    assert await first_answer(script, 3, until(5)) == "good"


async def test_any_other_failure_is_not() -> None:
    script = Script(Fault("misfit"), "good")
    with pytest.raises(Fault, match="misfit"):
        await first_answer(script, 3, until(5))
    assert script.begun == 1


async def test_tries_are_limited() -> None:
    script = Script(*[Fault(f"lost {n}", again=True) for n in range(3)])
    with pytest.raises(Fault, match="lost 2"):
        await first_answer(script, 3, until(5))


async def test_a_silent_try_is_joined_by_another() -> None:
    script = Script(60.0, "good")
    assert await first_answer(script, 2, until(0.2)) == "good"


async def test_a_slow_try_still_counts_when_another_has_begun() -> None:
    script = Script(0.15, 60.0)
    assert await first_answer(script, 2, until(0.25)) == "attempt 2"
    assert script.begun == 2


async def test_silence_ends_with_the_deadline() -> None:
    script = Script(60.0, 60.0)
    began = until(0)
    with pytest.raises(Fault, match="no answer") as fault:
        await first_answer(script, 2, until(0.2))
    assert fault.value.again
    assert 0.19 < until(0) - began < 2


async def test_what_is_left_over_is_cancelled() -> None:
    script = Script(60.0, "good")
    await first_answer(script, 2, until(0.1))
    await asyncio.sleep(0)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert all(each.cancelling() or "runner" in repr(each).lower() for each in others)


async def test_a_bug_is_no_failure() -> None:
    async def broken() -> str:
        raise KeyError

    with pytest.raises(KeyError):
        await first_answer(broken, 3, until(5))


async def test_pauses_double_and_differ() -> None:
    firsts = {pause_s(1) for _ in range(20)}
    assert len(firsts) > 1
    assert all(0.05 <= each <= 0.1 for each in firsts)
    assert all(0.1 <= pause_s(2) <= 0.2 for _ in range(20))


async def test_pauses_between_connections() -> None:
    assert [reconnect_pause_s(n) for n in (0, 1, 2, 3)] == [0, 0.1, 0.2, 0.4]
    assert reconnect_pause_s(1000) == 30
