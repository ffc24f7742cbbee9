"""The wrap-up `call_summary`: keeps the summary of every call, for the operator.

    CallOver ──> turns, transfers, handoff trail, takeaways, open questions ──> store

Running it again for the same call writes the same again. After a crash the notes are gone with the
call: the summary then says how many turns there were, and that it was interrupted. One that was
written before the crash stands.
"""

from __future__ import annotations

from typing import Any

from appliance.actions.wrapup import CallOver, PaperBook
from appliance.dialogue.summary import sum_up


class KeepSummary:
    """See the module."""

    def __init__(self, summaries: PaperBook) -> None:
        self._summaries = summaries

    def __call__(self, over: CallOver) -> None:
        """See `WrapUp`."""
        if over.recovered and self._summaries.find(over.call) is not None:
            return
        self._summaries.put(over.call, over.started, summary_of(over))


def summary_of(over: CallOver) -> dict[str, Any]:
    """All that is kept, as values for JSON."""
    return sum_up(over.turns, over.notes, over.takeaways).to_json() | {
        "flow": over.flow,
        "outcome": over.outcome,
        "ended_by": over.ended_by,
        "number": over.number,
        "unanswered": over.facts.get("unanswered", ""),
    }
