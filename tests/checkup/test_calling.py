"""What is made of a call; the call itself is in test_doctor.py."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from appliance.checkup import calling
from appliance.checkup.calling import Limits, limits_of, share_of_words
from appliance.checkup.finding import Status
from appliance.checkup.testcall import Heard
from appliance.config import parse_config

LIMITS = Limits(gap_ms=700, decision_ms=200, source="sla")


def heard(gap_ms: float | None = 400, level: float = -20, problem: str = "") -> Heard:
    return Heard(np.zeros(80, np.int16), level, 10, gap_ms, problem)


def turn(decision_ms: float) -> dict[str, Any]:
    return {"t": "turn", "ms": 1, "first_audio_ms": 300, "decision_ms": decision_ms}


@pytest.mark.parametrize(
    ("said", "words", "share"),
    [
        ("Hello. This is [agency].", "hello this is northfield", 1.0),
        ("Who's there? Who?", "whos there", 2 / 3),
        ("¿Quién llamó?", "quién llamó", 1.0),
        ("Hello", "goodbye", 0.0),
        ("[name]", "maria", 0.0),
    ],
)
def test_share_of_words(said: str, words: str, share: float) -> None:
    assert share_of_words(said, words) == pytest.approx(share)


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([{"t": "heard", "ms": 1, "intent": "repeat_request"}], Status.OK),
        ([{"t": "heard", "ms": 1, "intent": "negation"}], Status.WARN),
        ([{"t": "noise", "ms": 1}], Status.WARN),
        ([], Status.FAIL),
    ],
)
def test_what_the_box_made_of_the_phrase(events: list[dict[str, Any]], status: Status) -> None:
    assert calling._to_box(heard(), events).status is status


def test_a_call_that_broke_off_says_nothing_of_the_box() -> None:
    assert calling._to_box(heard(problem="ended"), []).status is Status.SKIPPED


@pytest.mark.parametrize(
    ("gap_ms", "decision_ms", "status"),
    [(400, 20, Status.OK), (701, 20, Status.WARN), (400, 201, Status.WARN)],
)
def test_latency_is_held_against_both_limits(
    gap_ms: float, decision_ms: float, status: Status
) -> None:
    assert calling._latency(heard(gap_ms), [turn(decision_ms)], LIMITS).status is status


def test_latency_without_an_answer_is_not_judged() -> None:
    assert calling._latency(heard(None), [turn(1)], LIMITS).status is Status.SKIPPED
    assert calling._latency(heard(), [], LIMITS).status is Status.SKIPPED


def test_silence_is_no_greeting(tmp_path: Path) -> None:
    found = calling._to_caller(parse_config({}, tmp_path / "a.toml"), heard(level=-70), [])
    assert (found.status, "nothing" in found.seen) == (Status.FAIL, True)


def test_limits_come_from_the_sla(tmp_path: Path) -> None:
    (tmp_path / "sla.toml").write_text("[response_gap_ms]\np50 = 300\np95 = 650\n")
    config = parse_config({"checkup": {"sla": "sla.toml"}}, tmp_path / "a.toml")
    assert limits_of(config) == Limits(650, 200, str(tmp_path / "sla.toml"))
    assert limits_of(parse_config({}, tmp_path / "a.toml")).gap_ms == calling.GAP_MS


def test_a_customers_number_is_not_told(tmp_path: Path) -> None:
    events = [{"t": "call", "ms": 0, "number": "+13105550100"}]
    (found,) = calling._shown_as_expected(events, tmp_path)
    assert found.status is Status.WARN
    assert "3105550100" not in found.seen + found.remedy
    assert calling._shown_as_expected([{**events[0], "test": True}], tmp_path) == []
