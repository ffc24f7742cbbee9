"""Whether what was found is enough to answer: a score from 0 to 100, and what is missing.

    needs of the question ──> met, open or idle ──> score, gaps ──> enough?

The score is the share of needs that are met. On the last hop less is enough, for what is there to
be told and what is not to be named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from appliance.flows.status.evidence import Case
from appliance.flows.status.needs import NeedsFile
from appliance.flows.status.planning import Standing, needs_of, standing

FULL = 100


@dataclass(frozen=True, slots=True)
class Coverage:
    """How well a question is covered.

    Attributes:
        score: from 0 to 100.
        gaps: what is missing, as it is said.
        sufficient: whether it can be answered now.
    """

    score: int
    gaps: tuple[str, ...]
    sufficient: bool


def cover(case: Case, file: NeedsFile, statuses: Mapping[str, str]) -> Coverage:
    """Judge whether there is enough.

    Args:
        case: the question and what was found.
        file: the needs, and from which score on there is enough.
        statuses: the names of statuses as they are searched for, by status.

    Raises:
        UnreadableError: what was found cannot be read.
    """
    needs = needs_of(case, file)
    stands = [(need, standing(need, case, statuses)) for need in needs]
    called_for = [(need, how) for need, how in stands if how is not Standing.IDLE]
    if needs and not called_for:
        return Coverage(0, (needs[0].gap,), sufficient=False)
    gaps = tuple(dict.fromkeys(need.gap for need, how in called_for if how is Standing.OPEN))
    met = sum(how is Standing.MET for _, how in called_for)
    score = FULL * met // len(called_for) if called_for else FULL
    enough = file.coverage.partial if case.last_hop else file.coverage.sufficient
    return Coverage(score, gaps, score >= enough)
