"""A service level as an operator writes it (TOML), and what a measurement says to it.

    sla.toml -> Sla.limits(calls) -> judge(figures) -> Verdict…

A limit of something that was not measured is missed: nothing measured keeps no promise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.errors import ConfigError
from appliance.testing.latency.estimates import Estimate, Percentiles
from appliance.testing.latency.levels import KindFigures, LevelFigures

Ms = Annotated[float, Field(gt=0)]
Percent = Annotated[float, Field(ge=0, le=100)]
Judged = Literal["value", "high"]


class _Terms(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PercentileLimits(_Terms):
    """At most so much, by percentile."""

    p50: Ms | None = None
    p95: Ms | None = None
    p99: Ms | None = None


class KindLimits(_Terms):
    """Limits for one kind of question."""

    response_gap_ms: PercentileLimits = PercentileLimits()
    decision_ms: PercentileLimits = PercentileLimits()
    false_cut_offs_pct: Percent | None = None
    paused_cut_offs_pct: Percent | None = None


class Limits(KindLimits):
    """Limits for all turns together, and for the calls."""

    refused_calls_pct: Percent | None = 0.0
    failed_calls_pct: Percent | None = 0.0
    diverged_calls_pct: Percent | None = None
    missing_frames_pct: Percent | None = None
    late_frames_pct: Percent | None = None
    cores_per_call: Annotated[float, Field(gt=0)] | None = None
    kinds: dict[str, KindLimits] = {}


class BargeInLimits(_Terms):
    """Limits for the trials of barge-in; false stops for all kinds alike, or by kind."""

    stop_ms: PercentileLimits = PercentileLimits()
    false_stops_pct: Percent | dict[str, Percent] | None = None


class Sla(Limits):
    """The whole. `at` replaces limits from so many simultaneous calls on.

    `judge`: "value" holds the measured figure against its limit, "high" the upper end of its 95%
    interval. `capacity`: a ramp must keep the limits up to so many calls.
    """

    judge: Judged = "value"
    capacity: Annotated[int, Field(ge=1)] | None = None
    barge_in: BargeInLimits = BargeInLimits()
    at: dict[Annotated[int, Field(ge=1)], Limits] = {}

    def limits(self, calls: int) -> Limits:
        """What holds at so many simultaneous calls."""
        merged: Limits = self
        for least in sorted(self.at):
            if least <= calls:
                given = self.at[least]
                update = {name: getattr(given, name) for name in given.model_fields_set}
                merged = merged.model_copy(update=update)
        return merged


class Verdict(_Terms):
    """One limit and what was reached; `reached` is None where nothing was measured."""

    what: str
    limit: float
    reached: float | None
    kept: bool

    def __str__(self) -> str:
        """In words."""
        found = "not measured" if self.reached is None else f"{self.reached:g}"
        return f"{self.what}: {found}, the limit is {self.limit:g}"


def load_sla(path: Path) -> Sla:
    """Read an SLA.

    Raises:
        ConfigError: names the file, the key and what is wrong.
    """
    try:
        return Sla.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as TOML: {error}") from error
    except ValidationError as error:
        found = "; ".join(
            f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}"
            for each in error.errors()
        )
        raise ConfigError(f"{path}: {found}") from error


def judge(sla: Sla, level: LevelFigures) -> list[Verdict]:
    """One level against the limits for so many calls."""
    limits = sla.limits(level.concurrency)
    return [
        *_judge_kind(limits, level.all, "", sla.judge),
        *(
            verdict
            for name, each in limits.kinds.items()
            for verdict in _judge_kind(each, level.kinds.get(name), f"{name}: ", sla.judge)
        ),
        *_judge_calls(limits, level),
    ]


def judge_percentiles(
    what: str, limits: PercentileLimits, found: Percentiles | None, by: Judged
) -> Iterator[Verdict]:
    """Each percentile that has a limit."""
    for name in ("p50", "p95", "p99"):
        limit = getattr(limits, name)
        if limit is not None:
            estimate = getattr(found, name) if found is not None else Estimate()
            yield verdict_of(f"{what} {name}", limit, reached_by(estimate, by))


def verdict_of(what: str, limit: float, reached: float | None) -> Verdict:
    """Kept where something was measured and it is not above the limit."""
    return Verdict(
        what=what, limit=limit, reached=reached, kept=reached is not None and reached <= limit
    )  # fmt: skip


def reached_by(estimate: Estimate, by: Judged) -> float | None:
    """The figure to judge; without an interval (one call) its upper end is unknown."""
    return estimate.value if by == "value" else estimate.high


def _judge_kind(
    limits: KindLimits, found: KindFigures | None, prefix: str, by: Judged
) -> Iterator[Verdict]:
    gaps = found.response_gap_ms if found is not None else None
    decisions = found.decision_ms if found is not None else None
    yield from judge_percentiles(f"{prefix}response gap, ms,", limits.response_gap_ms, gaps, by)
    yield from judge_percentiles(f"{prefix}decision, ms,", limits.decision_ms, decisions, by)
    shares = {
        "false cut-offs, %": (limits.false_cut_offs_pct, found and found.false_cut_offs_pct),
        "cut off at a pause, %": (limits.paused_cut_offs_pct, found and found.paused_cut_offs_pct),
    }
    for what, (limit, share) in shares.items():
        if limit is not None:
            yield verdict_of(f"{prefix}{what}", limit, reached_by(share or Estimate(), by))


def _judge_calls(limits: Limits, level: LevelFigures) -> Iterator[Verdict]:
    placed = level.calls.placed
    refused = round(100 * level.calls.refused / placed, 2) if placed else None
    failed = round(100 * level.calls.failed / placed, 2) if placed else None
    diverged = round(100 * level.calls.diverged / placed, 2) if placed else None
    reached = {
        "refused calls, %": (limits.refused_calls_pct, refused),
        "failed calls, %": (limits.failed_calls_pct, failed),
        "diverged calls, %": (limits.diverged_calls_pct, diverged),
        "missing frames, %": (limits.missing_frames_pct, level.frames.missing_pct),
        "late frames, %": (limits.late_frames_pct, level.frames.late_pct),
        "cores a call": (limits.cores_per_call, level.cores_per_call),
    }
    for what, (limit, found) in reached.items():
        if limit is not None:
            yield verdict_of(what, limit, found)
    if limits.decision_ms != PercentileLimits() and level.calls.without_log is not None:
        yield verdict_of("calls without a log", 0, level.calls.without_log)
