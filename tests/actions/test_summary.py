"""The wrap-up that keeps the summary of a call."""

from dataclasses import replace

import pytest

from appliance.actions.summary import KeepSummary
from appliance.actions.wrapup import CallOver
from appliance.dialogue.summary import parse_summary
from appliance.dialogue.turn import HandoffNote
from appliance.store.database import Database
from appliance.store.papers import SUMMARY, Papers
from tests.store.asking import MONDAY

OVER = CallOver(
    call="c1", number="+13105550100", flow="renovation", outcome="completed",
    ended_by="appliance", started=MONDAY, language="en", turns=9,
    facts={"project": "kitchen", "unanswered": "who won the game"},
    notes=(HandoffNote(by="bob", to="alice", summary="The plan: kitchen."),),
    takeaways=("Plan: kitchen.",),
)  # fmt: skip


@pytest.fixture
def summaries(database: Database) -> Papers:
    return Papers(database, SUMMARY)


def test_a_summary_is_kept_by_call(summaries: Papers) -> None:
    KeepSummary(summaries)(OVER)
    kept = summaries.find("c1")
    assert kept is not None
    assert (kept["turns"], kept["transfers"], kept["outcome"]) == (9, 1, "completed")
    assert kept["unanswered"] == "who won the game"
    assert [each.to for each in parse_summary(kept).handoffs] == ["alice"]
    assert summaries.find("c2") is None


def test_running_it_again_writes_the_same_again(summaries: Papers) -> None:
    keep = KeepSummary(summaries)
    keep(OVER)
    once = summaries.find("c1")
    keep(OVER)
    assert summaries.find("c1") == once


def test_after_a_crash_it_says_what_is_left(summaries: Papers) -> None:
    cut = replace(OVER, outcome="interrupted", facts={}, notes=(), takeaways=())
    KeepSummary(summaries)(cut)
    kept = summaries.find("c1")
    assert kept is not None
    assert list(parse_summary(kept).lines()) == ["9 turns, 0 transfers"]
    assert (kept["outcome"], kept["unanswered"]) == ("interrupted", "")


def test_what_was_written_before_a_crash_stands(summaries: Papers) -> None:
    keep = KeepSummary(summaries)
    keep(OVER)
    keep(replace(OVER, outcome="interrupted", facts={}, notes=(), takeaways=(), recovered=True))
    kept = summaries.find("c1")
    assert kept is not None
    assert (kept["outcome"], kept["transfers"]) == ("completed", 1)
