"""Trials of barge-in: what is drawn, and what their outcomes come to. The calls: tests/call."""

from __future__ import annotations

from collections import Counter

import numpy as np

from appliance.testing.echoes import EchoPath
from appliance.testing.turntaking.barge_in import Outcome, Trial, figures, plan
from appliance.testing.turntaking.interjections import KINDS, Interjection

SOUNDS = [
    Interjection(kind, f"{kind} {number}", np.ones(160, np.int16))
    for kind in KINDS
    for number in range(3)
]
COUNTS = {"speech": 4, "acknowledgement": 3, "noise": 2, "key": 1, "echo": 5, "speech over echo": 2}


def test_plan_has_what_was_asked_for() -> None:
    trials = plan(SOUNDS, COUNTS, (10, 20), 1)
    assert Counter(trial.kind for trial in trials) == {
        "speech": 4, "acknowledgement": 3, "noise": 2, "key": 1, "echo -10 dB": 5,
        "echo -20 dB": 5, "speech over echo": 2,
    }  # fmt: skip
    for trial in trials:
        wanted = "speech" if trial.kind == "speech over echo" else trial.kind
        assert trial.interjection is None or trial.interjection.kind == wanted
        assert (trial.echo is not None) == ("echo" in trial.kind)
        assert 0 <= trial.share < 1


def test_plan_is_the_same_for_the_same_seed() -> None:
    first, second, other = (plan(SOUNDS, COUNTS, (20,), seed) for seed in (1, 1, 2))
    assert [each.share for each in first] == [each.share for each in second]
    assert [each.share for each in first] != [each.share for each in other]


def test_as_many_trials_as_sounds_have_all_of_them() -> None:
    """Seven hums were drawn from once, and two of them were ever heard."""
    hums = [
        Interjection("acknowledgement", f"{number}", np.ones(160, np.int16)) for number in range(7)
    ]
    drawn = plan(hums, {"acknowledgement": 14}, (20,), 1)
    names = Counter(each.interjection.name for each in drawn if each.interjection)
    assert names == {f"{number}": 2 for number in range(7)}


def outcome(kind: str, stop_ms: float | None = None, failure: str = "") -> Outcome:
    return Outcome(Trial(kind, 0.5, echo=EchoPath(100, 20)), stop_ms, failure)


def test_what_is_faulty() -> None:
    assert not outcome("speech", 90.0).faulty
    assert outcome("speech").faulty
    assert not outcome("acknowledgement").faulty
    assert outcome("acknowledgement", 90.0).faulty
    assert not outcome("speech over echo", 90.0).faulty
    assert outcome("noise", failure="refused").faulty


def test_figures() -> None:
    found = figures(
        [outcome("speech", 80.0), outcome("speech", 120.0), outcome("speech", failure="refused"),
         outcome("noise"), outcome("noise", 60.0)]
    )  # fmt: skip
    assert found["speech"]["trials"] == 3
    assert found["speech"]["stopped"] == 2
    assert found["speech"]["failed"] == 1
    assert found["speech"]["stop_ms"]["p50"] == 100.0
    assert found["noise"] == {"trials": 2, "stopped": 1, "failed": 0}
