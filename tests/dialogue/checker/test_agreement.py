"""The checker against brute force: on flows made at random, both must come to the same verdict."""

from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from appliance.dialogue.checker import watch
from appliance.dialogue.checker.script import play
from appliance.dialogue.checker.verdict import check_flow
from appliance.dialogue.prompt_names import written_prompts
from appliance.testing.brute_force import judge
from appliance.testing.random_flow import random_flow

LARGEST = 200  # states; the engine plays all of them, some tens of microseconds an event
seeds = st.integers(0, 2**48)
profile = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def _assert_agreement(seed: int, *, newest: bool = True) -> None:
    flow = random_flow(Random(seed), newest=newest)
    assume(flow is not None)
    assert flow is not None
    judged = judge(flow, LARGEST)
    assume(judged is not None)
    assert judged is not None
    verdict = check_flow(flow)
    failed = {each.title for each in verdict.failures} - {watch.USED}
    unused = {each.detail for each in verdict.failures if each.title == watch.USED}

    assert bool(failed) == bool(judged.failed)
    assert judged.failed <= failed
    for failure in verdict.failures:  # each comes with a dialogue that the engine plays
        if failure.path is not None:
            played = list(play(flow, failure.path))
            assert played[-1].refusal or len(played) == len(failure.path.steps)
    if not judged.broke:  # the engine played on, so it saw everything that the checker saw
        assert failed == judged.failed
        written = {name for _, name in written_prompts(flow.spec)}  # which it does not tell
        every = {f"prompts.{name} is never said" for name in flow.templates["en"]}
        unused -= {f"prompts.{name} is never said" for name in written}
        every -= {f"prompts.{name} is never said" for name in written}
        said = {f"prompts.{name} is never said" for name in judged.said}
        assert {each for each in unused if each.startswith("prompts")} == every - said
        never_taken = {each.removesuffix(" is never taken") for each in unused}
        assert not never_taken & judged.taken
        ended = {f"outcomes: no call ends as {name}" for name in judged.outcomes}
        assert not unused & ended


@settings(profile, max_examples=60)
@given(seeds)
def test_the_verdict_is_that_of_brute_force(seed: int) -> None:
    _assert_agreement(seed)


@pytest.mark.parametrize(
    "seed",
    [
        21602396943138,  # a prompt that applies only after a check in the middle of the turn
        120433604813598,  # out_of_turns, from a tool of a terminal state, reads a fact
    ],
)
@pytest.mark.filterwarnings("ignore:Using `assume` outside")
def test_the_verdict_is_that_of_brute_force_where_it_was_not(seed: int) -> None:
    _assert_agreement(seed, newest=False)


@pytest.mark.slow
@pytest.mark.timeout(900)
@settings(profile, max_examples=2500)
@given(seeds)
def test_the_verdict_is_that_of_brute_force_on_thousands(seed: int) -> None:
    _assert_agreement(seed)
