from __future__ import annotations

import json
from pathlib import Path

from appliance.stt.recognizer import Hint
from appliance.testing.hearing import lines
from appliance.testing.hearing.suite import Plan, measure
from appliance.testing.hearing.targets import verdicts
from tests.testing.hearing.conftest import Knowing

QUIET_MINUTES = 2.0


def test_a_perfect_recognizer_keeps_every_target(folder: Path, said: list[str]) -> None:
    perfect, told = Knowing(said), list[str]()
    plan = Plan(folder, quiet_minutes=QUIET_MINUTES)
    measured = measure(perfect, plan, Knowing(["wrong"] * len(said)), told.append)
    json.dumps(measured)
    for name in ("open", "flows-zip", "real-digits", "real-books"):
        for line in lines.LEVELS:
            row = measured["sets"][name]["lines"][line.name]
            assert row["wer"]["value"] == 0, (name, line.name)
    assert set(measured["sets"]["open"]["voices"]) == {"flite", "espeak"}
    assert measured["slots"]["zip"]["20 dB"]["value"] == 1
    assert measured["zip"]["5 dB"]["first"]["value"] == 1
    assert "GSM, 20 dB" in measured["sets"]["real-zip"]["lines"]
    assert "GSM, 20 dB" not in measured["sets"]["real-books"]["lines"]
    assert measured["yardstick"]["real-books"]["theirs"]["wer"]["value"] == 1
    assert Hint("zip", digits=5) in perfect.hints
    assert any("yardstick" in each for each in told)
    kept = {each.name: each.kept for each in verdicts(measured, "en")}
    assert kept["ZIP codes of real digits, 20 dB"]
    assert kept["read books, real speaker, 20 dB"]
    assert kept["unseen sentences, unseen voices, 20 dB"]


def test_a_bad_recognizer_misses(folder: Path, said: list[str]) -> None:
    measured = measure(Knowing(["nine"] * len(said)), Plan(folder, quiet_minutes=1), None, id)
    assert measured["yardstick"] is None
    kept = {each.name: each.kept for each in verdicts(measured, "en")}
    assert not kept["ZIP codes of real digits, 20 dB"]
    assert not kept["unseen sentences, unseen voices, 20 dB"]
    assert not any(name.startswith("read books") for name in kept)
    assert ("no", "nine", 1) in measured["confusions"]["flows"]


def test_spanish_may_be_worse() -> None:
    row = {"wer": {"value": 0.1, "low": 0.08, "high": 0.12}}
    measured = {"sets": {"open": {"lines": {"20 dB": row}}}}
    assert [each.kept for each in verdicts(measured, "en")] == [False]
    assert [each.kept for each in verdicts(measured, "es")] == [True]


def test_words_out_of_nothing_and_slowness_are_missed() -> None:
    share = {"value": 0.01, "low": 0.0, "high": 0.02}
    measured = {"quiet": {"all": {"share": share}}, "speed": {"cpu_ms_p95": 31.0}}
    assert [each.kept for each in verdicts(measured, "en")] == [False, False]
