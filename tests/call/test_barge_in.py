"""Barge-in on real calls: words stop a prompt at once, an echo and a hum do not stop it at all.

Few trials; scripts/bench_barge_in.py has the figures. How fast a busy machine is, is no matter of
these tests: they ask that the prompt stops while the caller still speaks.
"""

from collections.abc import Iterator

import pytest

from appliance.cli.chat import example_accounts
from appliance.store.events import EVENTS_SUFFIX, read_events
from appliance.testing.echoes import EchoPath
from appliance.testing.served import Served, Trial, write_trial_config
from appliance.testing.turntaking import barge_in
from appliance.testing.turntaking.interjections import Interjection, Kind, synthesized

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
NUMBER = "+13105550100"


HUMS = ("pau m hh m pau", "[[VhV]]")
"""Not all of the engines' hums: flite's "hm" begins with an h as sharp as an s, which is a word's
to the judge of onsets (models/turns/MODEL_CARD.md has how often that happens)."""


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    folder = tmp_path_factory.mktemp("barge")
    return write_trial_config(folder, example_accounts("collections"))


@pytest.fixture(scope="module")
def served(trial: Trial) -> Iterator[Served]:
    with Served(trial.config) as running:
        yield running


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> list[Interjection]:
    return synthesized(tmp_path_factory.mktemp("sounds"))


def of(sounds: list[Interjection], kind: Kind, count: int) -> list[Interjection]:
    return [each for each in sounds if each.kind == kind][:count]


async def test_words_stop_the_greeting(
    trial: Trial, served: Served, sounds: list[Interjection]
) -> None:
    echo = EchoPath(180, 20)
    trials = [
        *(barge_in.Trial("speech", 0.5, each) for each in of(sounds, "speech", 2)),
        barge_in.Trial("speech over echo", 0.5, of(sounds, "speech", 1)[0], echo=echo),
    ]
    outcomes = await barge_in.run_trials(trial.target, NUMBER, trials, at_once=3)
    assert [outcome.failure for outcome in outcomes] == [""] * 3
    for outcome in outcomes:
        assert outcome.stop_ms is not None
        assert outcome.stop_ms < 1000


async def test_echo_hums_and_keys_do_not_stop_it(
    trial: Trial, served: Served, sounds: list[Interjection]
) -> None:
    echoes = (EchoPath(60, 10), EchoPath(340, 20, change_s=4.0))
    trials = [
        *(barge_in.Trial("echo", 0.0, echo=path) for path in echoes),
        *(barge_in.Trial("acknowledgement", 0.4, each) for each in sounds if each.name in HUMS),
        barge_in.Trial("noise", 0.3, of(sounds, "noise", 1)[0]),
        barge_in.Trial("key", 0.6, key="5"),
    ]
    outcomes = await barge_in.run_trials(trial.target, NUMBER, trials, at_once=3)
    assert [(each.trial.kind, each.stop_ms, each.failure) for each in outcomes] == [
        (each.kind, None, "") for each in trials
    ]
    ends = [event for log in trial.calls.glob(f"*/*{EVENTS_SUFFIX}") for event in read_events(log)]
    assert sum("echo_db" in event for event in ends) >= len(echoes)
