"""What the events of a call's log come to in the metrics."""

from typing import Any

import pytest

from appliance.health.calls import NOTED, STAGES
from appliance.health.health import Health

CALL = {"flow": "collections", "number": "15550101", "peer": "sip:15550101@127.0.0.1"}
TURN = {
    "turn": 1, "state": "confirm", "phase": "one", "prompts": ["ask_zip"],
    "decision_ms": 40.0, "recognition_ms": 90.0, "understanding_ms": 2.0, "dialogue_ms": 1.0,
    "voice_ms": 20.0, "asked": "zip", "endpoint_ms": 300.0, "first_audio_ms": 340.0,
}  # fmt: skip


def value(health: Health, name: str, **labels: str) -> float | None:
    return health.registry.get_sample_value(f"appliance_{name}", labels)


def told(health: Health, *events: tuple[str, dict[str, Any]]) -> None:
    tally = health.calls.tally()
    for kind, fields in events:
        tally(kind, 61_000.0, fields)


def test_a_call_is_counted_with_its_outcome_length_and_tools() -> None:
    health = Health()
    told(
        health, ("call", CALL), ("up", {"codec": "PCMU"}),
        ("action", {"name": "create_promise_to_pay", "key": "k", "outcome": "done"}),
        ("end", {"outcome": "ptp_set", "by": "agent", "prepared": 5, "void": 2}),
    )  # fmt: skip
    assert value(health, "calls_total", flow="collections") == 1
    assert value(health, "calls_ended_total", flow="collections", outcome="ptp_set") == 1
    assert value(health, "calls_ended_by_total", by="agent") == 1
    assert value(health, "call_seconds_sum", flow="collections") == 61
    assert value(health, "actions_total", action="create_promise_to_pay", outcome="done") == 1
    assert value(health, "turns_prepared_total", used="yes") == 3
    assert value(health, "turns_prepared_total", used="no") == 2
    assert value(health, "call_events_total", event="up") == 1


def test_a_call_handed_over_ends_in_the_last_flow() -> None:
    health = Health()
    told(health, ("call", CALL), ("handover", {"flow": "booking"}), ("end", {"by": "peer"}))
    assert value(health, "calls_total", flow="collections") == 1
    assert value(health, "calls_ended_total", flow="booking", outcome="interrupted") == 1


def test_a_call_by_which_the_box_tests_itself_is_no_caller() -> None:
    health = Health()
    told(health, ("call", {**CALL, "test": True}), ("handover", {"flow": "booking"}),
         ("end", {"outcome": "user_ended", "by": "peer"}))  # fmt: skip
    assert value(health, "calls_total", flow="collections") is None
    assert value(health, "calls_ended_total", flow="test", outcome="user_ended") == 1


def test_the_stages_of_a_turn_are_told_apart_by_what_was_asked() -> None:
    health = Health()
    told(health, ("call", CALL), ("turn", TURN), ("turn", {**TURN, "asked": "yes_no"}))
    sums = {name: value(health, f"{name}_seconds_sum", kind="zip") for name in STAGES}
    assert sums == pytest.approx(
        {"gap": 0.34, "endpoint": 0.3, "decision": 0.04, "recognition": 0.09,
         "understanding": 0.002, "dialogue": 0.001, "voice": 0.02}
    )  # fmt: skip
    assert value(health, "gap_seconds_count", kind="yes_no") == 1


def test_a_turn_without_its_time_is_no_measure() -> None:
    health = Health()
    told(health, ("call", CALL), ("turn", {"turn": 1, "state": "hello", "prompts": ["hello"]}))
    assert value(health, "decision_seconds_count", kind="open") is None


@pytest.mark.parametrize(("stage", "ms"), [("gap", 350), ("gap", 700), ("decision", 50),
                                           ("decision", 200)])  # fmt: skip
def test_buckets_end_where_the_promises_do(stage: str, ms: int) -> None:
    assert ms / 1000 in STAGES[stage][1]


def test_engines_that_fail_show_until_something_is_heard() -> None:
    health = Health()
    told(health, *[("error", {"stage": "stt"})] * 3)
    assert health.engines.broken == "the recognizer fails"
    told(health, ("heard", {"text": "yes"}))
    assert health.engines.broken == ""
    assert value(health, "failures_total", stage="stt") == 3


def test_events_that_are_only_counted_have_their_series_from_the_start() -> None:
    health = Health()
    assert {value(health, "call_events_total", event=event) for event in NOTED} == {0.0}
