"""The figures of one level of load, as the JSON document, the table, the page and the SLA see them.

`figuring` computes them.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from appliance.testing.latency.estimates import Estimate, Percentiles
from appliance.testing.latency.processor import Busy


class Figures(BaseModel):
    """Frozen, and strict about keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class KindFigures(Figures):
    """What callers of one kind of question met. Decisions are known only with the logs.

    `gaps_left_out`: answers to what was cut off. They came early because they came too early, and
    would make the response gap look better.
    """

    response_gap_ms: Percentiles
    decision_ms: Percentiles | None
    false_cut_offs_pct: Estimate
    paused_cut_offs_pct: Estimate
    utterances: int
    with_pauses: int
    unanswered: int
    gaps_left_out: int


class CallCounts(Figures):
    """`placed` calls; `as_expected`: those whose dialogue came to the outcome of the script.

    `without_log`: answered calls whose decisions are not known, though logs are at hand.
    """

    placed: int
    done: int
    diverged: int
    refused: int
    failed: int
    as_expected: int | None
    judged: int | None
    without_log: int | None


class FrameFigures(Figures):
    """Shares of the 20 ms frames that the appliance should have sent, in percent; None of none.

    `dropped`: audio of callers that the agent took too late, frames in all (from the logs).
    """

    received: int
    missing_pct: float | None
    late_pct: float | None
    worst_late_ms: float
    dropped: int | None
    own_late_pct: float | None
    own_worst_late_ms: float


class LevelFigures(Figures):
    """One level. `kinds` by what was asked, `flows` by script; `all` is everything together."""

    concurrency: int
    calls: CallCounts
    all: KindFigures
    kinds: dict[str, KindFigures]
    flows: dict[str, KindFigures]
    parts_ms: dict[str, Percentiles] | None
    gaps_ms: list[float]
    frames: FrameFigures
    answered_ms: Percentiles
    set_aside: int
    busy: Busy | None
    cores_per_call: float | None
    calls_up: float | None
