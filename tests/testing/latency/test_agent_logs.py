"""Event logs beside what the callers saw."""

import json
from pathlib import Path
from typing import Any

from appliance.testing.latency.agent_logs import find_logs, read_call

from .calls import S, report, utterance

TIMES = {"recognition_ms": 12, "understanding_ms": 1, "dialogue_ms": 1}
START_NS = 1_000_000_000


def answered(speech_end_s: float, **more: Any) -> dict[str, Any]:
    """A turn whose audio went out 210 ms after the end of the speech."""
    end_ns = round(speech_end_s * S)
    return {
        "t": "turn", "ms": (end_ns - START_NS) / 1e6 + 210, "speech_end_ns": end_ns,
        "endpoint_ms": 200, "decision_ms": 10, "first_audio_ms": 210, **TIMES, **more,
    }  # fmt: skip


def heard(at_s: float) -> dict[str, Any]:
    return {"t": "heard", "ms": (round(at_s * S) - START_NS) / 1e6}


def test_turns_are_assigned_by_time() -> None:
    call = report(1, [utterance(5, 300), utterance(20, 300, "zip")])
    log = read_call(call, [answered(7), answered(22.01), {"t": "turn", "ms": 1}])
    assert [each.kind for each in log.decisions] == ["yes_no", "zip"]
    assert log.decisions[0].parts_ms["decision_ms"] == 10


def test_turn_taken_within_an_utterance_cut_it_off() -> None:
    call = report(1, [utterance(5, 300), utterance(20, 300)])
    log = read_call(call, [heard(6.5), answered(6.3), heard(22.2), answered(22)])
    assert log.cut_off == {0}


def test_answer_of_a_late_tool_is_told_from_a_cut_off() -> None:
    call = report(1, [utterance(5, 300), utterance(20, None, cut=True)])
    tool = {**heard(21), "t": "tool_done"}
    log = read_call(call, [heard(7.2), answered(7), tool])
    assert (log.cut_off, log.collided) == (frozenset(), {1})


def test_outcome_and_dropped_frames() -> None:
    end = {"t": "end", "ms": 9, "outcome": "booked", "dropped_frames": 3}
    log = read_call(report(1, []), [end])
    assert (log.outcome, log.dropped_frames) == ("booked", 3)


def test_logs_are_found_by_call_id_and_old_ones_left(tmp_path: Path) -> None:
    folder = tmp_path / "2026-01-01"
    folder.mkdir()
    for name in ("old", "new"):
        first = {"t": "call", "ms": 0, "sip_call_id": f"id-{name}"}
        (folder / f"{name}.events.jsonl").write_text(json.dumps(first) + "\n")
    found = find_logs(tmp_path, {folder / "old.events.jsonl"})
    assert found.keys() == {"id-new"}
