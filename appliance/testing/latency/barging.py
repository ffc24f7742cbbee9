"""The trials of barge-in as a part of this benchmark: `turntaking.barge_in`, summed up.

trials on real calls -> Outcome… -> BargeInFigures
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from appliance.errors import PeerError
from appliance.testing.latency.document import BargeInFigures
from appliance.testing.latency.estimates import percentiles, share_pct
from appliance.testing.latency.sitting import CALLS_A_LINE, Box
from appliance.testing.turntaking.barge_in import MUST_STOP, Outcome, plan, run_trials
from appliance.testing.turntaking.interjections import synthesized

FLOW, NUMBER = "collections", "+13105550100"
"""Whose greeting is interrupted, and by whom."""
_LOSSES_DB = (10.0, 20.0, 30.0, 40.0)
_SHARES = {"speech": 0.25, "speech over echo": 0.1, "acknowledgement": 0.25, "noise": 0.15,
           "key": 0.05, "echo": 0.05}  # fmt: skip
"""Of all trials; `echo` for each loss."""
_SEED = 9


def measure_barge_in(
    box: Box, trials: int, voices: Path, on_trial: Callable[[], None]
) -> tuple[BargeInFigures, list[str]]:
    """About so many trials; returns the figures and what failed.

    Raises:
        PeerError: not even an undisturbed call came about.
        ConfigError: a synthesizer is not installed.
    """
    counts = {kind: max(1, round(share * trials)) for kind, share in _SHARES.items()}
    drawn = plan(synthesized(voices), counts, _LOSSES_DB, _SEED)
    targets = box.far.targets
    at_once = min(CALLS_A_LINE, len(drawn))
    outcomes = asyncio.run(run_trials(targets[0], NUMBER, drawn, at_once, lambda _: on_trial()))
    failures = [f"barge-in, {each.trial.kind}: {each.failure}" for each in outcomes if each.failure]
    return sum_up(outcomes), failures


def sum_up(outcomes: Sequence[Outcome]) -> BargeInFigures:
    """Stop times of those who wanted the floor, stops by those who did not; each is a call.

    Raises:
        PeerError: every trial failed.
    """
    valid = [each for each in outcomes if not each.failure]
    if not valid:
        raise PeerError(f"no trial of barge-in came about: {outcomes[0].failure}")
    meant = [each for each in valid if each.trial.kind in MUST_STOP]
    kinds = sorted({each.trial.kind for each in outcomes} - set(MUST_STOP))
    by_kind = {kind: [each for each in valid if each.trial.kind == kind] for kind in kinds}
    return BargeInFigures(
        trials=len(valid),
        failed=len(outcomes) - len(valid),
        stop_ms=percentiles([[each.stop_ms] for each in meant if each.stop_ms is not None]),
        not_stopped=sum(1 for each in meant if each.stop_ms is None),
        false_stops_pct={
            kind: share_pct([(int(each.stop_ms is not None), 1) for each in found])
            for kind, found in by_kind.items()
        },
        by_kind={kind: len(found) for kind, found in by_kind.items()},
    )
