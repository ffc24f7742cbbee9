"""Outcomes of trials, summed up."""

import pytest

from appliance.errors import PeerError
from appliance.testing.latency.barging import sum_up
from appliance.testing.latency.document import judge_barge_in
from appliance.testing.latency.sla import Sla
from appliance.testing.turntaking.barge_in import Outcome, Trial


def outcome(kind: str, stop_ms: float | None, failure: str = "") -> Outcome:
    return Outcome(Trial(kind, 0.5), stop_ms, failure)


OUTCOMES = [
    outcome("speech", 80.0),
    outcome("speech over echo", 100.0),
    outcome("speech", None),
    outcome("acknowledgement", None),
    outcome("acknowledgement", 300.0),
    outcome("echo -20 dB", None),
    outcome("echo -20 dB", None, "refused"),
]


def test_who_wanted_the_floor_and_who_did_not() -> None:
    found = sum_up(OUTCOMES)
    assert (found.trials, found.not_stopped, found.stop_ms.n) == (6, 1, 2)
    assert found.stop_ms.p50.value == 90.0
    assert found.false_stops_pct["acknowledgement"].value == 50.0
    assert found.failed == 1
    assert found.by_kind == {"acknowledgement": 2, "echo -20 dB": 1}


def test_limits_on_them() -> None:
    sla = Sla.model_validate({"barge_in": {"stop_ms": {"p95": 120}, "false_stops_pct": 0}})
    found = {each.what: each.kept for each in judge_barge_in(sla, sum_up(OUTCOMES))}
    assert found == {
        "trials of barge-in that failed": False,
        "barge-in stop, ms, p95": True,
        "prompts not stopped by words": False,
        "stopped by acknowledgement, %": False,
        "stopped by echo -20 dB, %": True,
    }
    assert judge_barge_in(sla, None) == ()


def test_limits_by_kind_and_of_what_was_not_tried() -> None:
    limits = {"echo -20 dB": 0, "cough": 0}
    sla = Sla.model_validate({"barge_in": {"false_stops_pct": limits}})
    found = {each.what: each.kept for each in judge_barge_in(sla, sum_up(OUTCOMES))}
    assert found == {
        "trials of barge-in that failed": False,
        "stopped by echo -20 dB, %": True,
        "stopped by cough, %": False,
    }


def test_trials_that_failed_keep_no_limit() -> None:
    """One trial came about; a hundred did not, those of acknowledgements among them."""
    failed = [outcome("speech", None, "timeout"), outcome("acknowledgement", None, "timeout")]
    found = sum_up([outcome("speech", 80.0), *50 * failed])
    sla = Sla.model_validate({"barge_in": {"stop_ms": {"p95": 120}, "false_stops_pct": 0}})
    kept = {each.what: each.kept for each in judge_barge_in(sla, found)}
    assert not kept["trials of barge-in that failed"]
    assert not kept["stopped by acknowledgement, %"]
    assert judge_barge_in(Sla(), found) == ()


def test_nothing_but_failures() -> None:
    with pytest.raises(PeerError, match="refused"):
        sum_up([outcome("speech", None, "refused")])
