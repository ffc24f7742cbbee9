from __future__ import annotations

import copy
from typing import Any

import pytest

from appliance.testing.speaking.targets import verdicts

AT_THE_LIMIT: dict[str, Any] = {
    "voices": {"en default": {"real_time_factor": 0.02}},
    "realtime": {
        "free": {"fixed_first_ms": {"p95": 5.0}, "head_first_ms": {"p95": 5.0}, "failed": []},
        "busy": {"longest_gap_ms": 100, "failed": []},
    },
    "endurance": {
        "sentences": 10_000, "joined": 9000, "clicks_at_joins": 0, "memory_growth_mb": 5.0,
        "controls": 100, "controls_found": 90,
    },
}  # fmt: skip


def test_at_the_limit_all_is_kept() -> None:
    found = verdicts(AT_THE_LIMIT)
    assert len(found) == 8
    assert all(each.kept for each in found)
    assert found[0].times == 1.0


@pytest.mark.parametrize(
    ("place", "value", "name"),
    [
        (("voices", "en default", "real_time_factor"), 0.0201, "real-time factor, en default"),
        (("realtime", "free", "fixed_first_ms", "p95"), 5.1, "decision to first frame of a cached"),
        (("realtime", "free", "head_first_ms", "p95"), 5.1, "decision to first frame of a cached"),
        (("realtime", "busy", "longest_gap_ms"), 120, "longest silence"),
        (("realtime", "busy", "failed"), ["why"], "sentences that failed"),
        (("endurance", "clicks_at_joins"), 1, "clicks at 9,000 joins"),
        (("endurance", "controls_found"), 89, "cuts without a seam"),
        (("endurance", "memory_growth_mb"), 5.1, "growth of memory over 10,000"),
    ],
)
def test_beyond_it_is_missed(place: tuple[str, ...], value: Any, name: str) -> None:
    measured = copy.deepcopy(AT_THE_LIMIT)
    row = measured
    for key in place[:-1]:
        row = row[key]
    row[place[-1]] = value
    missed = [each.name for each in verdicts(measured) if not each.kept]
    assert len(missed) == 1
    assert missed[0].startswith(name)


def test_what_was_not_there_has_no_verdict() -> None:
    measured = copy.deepcopy(AT_THE_LIMIT)
    measured["realtime"]["free"]["head_first_ms"]["p95"] = None
    measured["realtime"]["busy"]["longest_gap_ms"] = None
    measured["endurance"]["sentences"] = 0
    assert [each.name for each in verdicts(measured)] == [
        "real-time factor, en default",
        "decision to first frame of a cached sentence, 95th percentile",
        "sentences that failed",
    ]


def test_a_short_run_says_nothing_of_memory() -> None:
    measured = copy.deepcopy(AT_THE_LIMIT)
    measured["endurance"] |= {"sentences": 999, "memory_growth_mb": 50.0}
    assert all(each.kept for each in verdicts(measured))
