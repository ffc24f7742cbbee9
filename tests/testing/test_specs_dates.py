"""How cases of the external suites for dates and times are judged; the cases here are our own."""

from typing import Any

import pytest

from appliance.testing.specs.dates import judge_date, judge_model, judge_time, suites
from appliance.testing.specs.suites import Case, Verdict
from appliance.types import Language


def case_of(said: str, kind: str, future: str, past: str = "") -> Case:
    """A case as the parsers' files have it, said on Wednesday, 11 November 2026."""
    value = {"FutureResolution": {kind: future}, "PastResolution": {kind: past or future}}
    return {
        "Input": said,
        "Context": {"ReferenceDateTime": "2026-11-11T10:00:00"},
        "Results": [{"Text": said, "Type": kind, "Value": value}],
    }


@pytest.mark.parametrize(
    ("language", "said", "future", "past", "right"),
    [
        ("en", "see you on friday", "2026-11-13", "2026-11-06", True),
        ("en", "see you on friday", "2026-11-14", "2026-11-07", False),
        ("en", "see you some day", "2026-11-14", "", False),
        ("es", "nos vemos el viernes", "2026-11-13", "2026-11-06", True),
        ("en", "it was 12/25/2016", "2016-12-25", "", True),
    ],
)
def test_days(language: Language, said: str, future: str, past: str, right: bool) -> None:
    verdict = judge_date(case_of(said, "date", future, past), language)
    assert verdict is not None
    assert verdict.right == right


@pytest.mark.parametrize(
    "case",
    [
        case_of("he came last friday", "date", "2026-11-06"),
        case_of("the fifth friday", "date", "0001-01-01"),
        {**case_of("friday", "date", "2026-11-13"), "Results": []},
    ],
)
def test_what_no_caller_answers_with_is_left_out(case: Case) -> None:
    assert judge_date(case, "en") is None


@pytest.mark.parametrize(
    ("language", "said", "time", "right"),
    [
        ("en", "come at half past eight pm", "20:30:00", True),
        ("en", "come at half past eight pm", "08:30:00", False),
        ("en", "come at three", "03:00:00", True),  # no half of the day is named
        ("en", "come at three", "04:00:00", False),
        ("en", "come at 7:56:30 pm", "19:56:30", True),
        ("en", "come mid-morning", "10:00:00", True),
        ("es", "venga a las tres de la tarde", "15:00:00", True),
        ("es", "venga a las tres de la tarde", "03:00:00", False),
        ("es", "venga", "03:00:00", False),
    ],
)
def test_times(language: Language, said: str, time: str, right: bool) -> None:
    verdict = judge_time(case_of(said, "time", time), language)
    assert verdict is not None
    assert verdict.right == right


def _of_model(said: str, kind: str, *values: str) -> Case:
    resolution: dict[str, Any] = {"values": [{"type": kind, "value": each} for each in values]}
    return {
        "Input": said,
        "Context": {"ReferenceDateTime": "2026-11-11T10:00:00"},
        "Results": [{"TypeName": f"datetimeV2.{kind}", "Resolution": resolution}],
    }


def test_the_model_is_judged_by_one_day_or_one_time() -> None:
    day = judge_model(_of_model("on friday", "date", "2026-11-06", "2026-11-13"), "en")
    assert day == Verdict(True, "weekday:4: 2026-11-13")
    time = judge_model(_of_model("at 3 pm", "time", "15:00:00"), "en")
    assert time == Verdict(True, "15:00")
    assert judge_model(_of_model("for two days", "duration", "172800"), "en") is None
    both = _of_model("on friday at 3 pm", "datetime", "2026-11-13 15:00:00")
    assert judge_model(both, "en") == Verdict(True, "weekday:4: 2026-11-13, 15:00")
    assert judge_model(_of_model("in an hour", "datetime", "2026-11-11 11:00:00"), "en") is None


def test_where_nothing_is_expected_no_day_may_be_found() -> None:
    assert judge_model({"Input": "it may take long", "Results": []}, "en") == Verdict(True, "")
    assert judge_model({"Input": "on may 5", "Results": []}, "en") == Verdict(False, "date:5-5")


def test_every_suite_is_of_dates_and_times() -> None:
    assert all(name.startswith("DateTime/") for name in suites())
