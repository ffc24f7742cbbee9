"""The summary of a call."""

import pytest

from appliance.dialogue.summary import parse_summary, sum_up
from appliance.dialogue.turn import HandoffNote

TO_ALICE = HandoffNote(
    by="bob",
    to="alice",
    summary="The plan: kitchen.",
    key_facts={"project": "kitchen", "planned": True},
    open_questions=("load_bearing", "timeline"),
    recommendations=("Ask an engineer.", "Get quotes."),
)
TO_BOB = HandoffNote(by="alice", to="bob")


def test_a_summary_counts_and_lists_in_order() -> None:
    summary = sum_up(7, [TO_ALICE, TO_BOB], ["Plan: kitchen."])
    assert summary.transfers == 2
    assert list(summary.lines()) == [
        "7 turns, 2 transfers",
        "1. Bob -> Alice: The plan: kitchen.",
        "   open: load bearing, timeline",
        "   recommended: Ask an engineer. Get quotes.",
        "2. Alice -> Bob: no summary",
        "takeaways:",
        "- Plan: kitchen.",
    ]


def test_a_call_without_anything_is_one_line() -> None:
    assert list(sum_up(1, [], []).lines()) == ["1 turn, 0 transfers"]


def test_what_is_stored_reads_back() -> None:
    summary = sum_up(7, [TO_ALICE, TO_BOB], ["Plan: kitchen."])
    stored = summary.to_json()
    assert stored["transfers"] == 2
    assert stored["handoffs"][0]["key_facts"] == {"project": "kitchen", "planned": "True"}
    assert parse_summary(stored) == summary


@pytest.mark.parametrize(
    "body", [{}, {"turns": 1, "handoffs": [{}], "takeaways": []}, {"turns": 1, "handoffs": None}]
)
def test_what_is_no_summary_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a summary of a call"):
        parse_summary(body)
