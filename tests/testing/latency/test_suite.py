"""The order of flows and levels, with sittings whose calls are made up."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest

from appliance.errors import ConfigError
from appliance.testing.latency import suite
from appliance.testing.latency.figuring import Material
from appliance.testing.latency.sitting import OnReport, with_reasons
from appliance.testing.latency.sla import Sla

from .calls import material, report, utterance


@dataclass
class MadeUp:
    """A box that answers after 100 ms for each call at once; `breaks_at` so many it refuses one."""

    first: int
    breaks_at: int = 99
    measured: list[int] = field(default_factory=list)

    def warm_up(self, calls: int, on_report: OnReport) -> None:
        for number in range(calls):
            on_report(report(number, []))

    def measure(self, concurrency: int, calls: int, on_report: OnReport) -> Material:
        self.measured.append(concurrency)
        reports = [
            report(self.first + at, [utterance(5, 100.0 * concurrency)]) for at in range(calls)
        ]
        if concurrency >= self.breaks_at:
            reports[0] = report(self.first, [], "refused")
        for each in reports:
            on_report(each)
        return material(concurrency, reports)


def go(
    boxes: list[MadeUp], levels: tuple[int, ...], *, ramp: bool, sla: Sla | None = None
) -> suite.Found:
    """A round for each."""

    @contextmanager
    def sit(box: MadeUp, first: int) -> Iterator[MadeUp]:
        box.first = first
        yield box

    rounds = [suite.Round(f"flow{at}", partial(sit, box)) for at, box in enumerate(boxes)]
    return suite.run(rounds, suite.Course(levels, 2, 1, ramp, sla or Sla()), suite.Progress())


def test_levels_are_of_all_flows_together() -> None:
    found = go([MadeUp(0), MadeUp(0)], (1, 3), ramp=False)
    assert [level.concurrency for level in found.levels] == [1, 3]
    assert [level.calls.placed for level in found.levels] == [4, 6]
    assert found.levels[1].all.response_gap_ms.p50.value == 300
    assert found.failures == []


def test_ramp_ends_where_the_first_flow_breaks() -> None:
    boxes = [MadeUp(0), MadeUp(0, breaks_at=3), MadeUp(0)]
    found = go(boxes, (1, 2, 3, 6, 9), ramp=True)
    assert [box.measured for box in boxes] == [[1, 2, 3, 6, 9], [1, 2, 3], [1, 2, 3]]
    assert [level.concurrency for level in found.levels] == [1, 2, 3]
    assert found.levels[-1].calls.refused == 1
    assert len(found.failures) == 1
    assert found.failures[0].startswith("3 at once")


def test_what_ended_a_ramp_is_told() -> None:
    found = go([MadeUp(0), MadeUp(0, breaks_at=3), MadeUp(0)], (1, 2, 3, 6), ramp=True)
    assert found.ended.startswith("flow1 at 3 at once: refused calls, %: ")
    assert go([MadeUp(0)], (1, 2), ramp=True).ended == ""


def test_a_ramp_ends_by_what_its_levels_are_judged_by() -> None:
    """One refused call in six is more than allowed; in the twelve of two flows it is not."""
    sla = Sla(refused_calls_pct=10)
    found = go([MadeUp(0), MadeUp(0, breaks_at=6)], (1, 3, 6), ramp=True, sla=sla)
    assert [level.concurrency for level in found.levels] == [1, 3, 6]
    assert found.ended == ""


def test_without_a_ramp_every_level_is_measured() -> None:
    found = go([MadeUp(0, breaks_at=1)], (1, 2), ramp=False)
    assert [level.calls.refused for level in found.levels] == [1, 1]


def test_ramp_goes_line_by_line() -> None:
    assert suite.ramp_levels(24) == (1, 2, 3, 6, 9, 12, 15, 18, 21, 24)
    assert suite.ramp_levels(8) == (1, 2, 3, 6, 8)
    assert suite.ramp_levels(1) == (1,)


def test_every_flow_has_scripts_and_others_are_named() -> None:
    for flow in suite.FLOWS:
        assert suite.scripts_of(flow)
    assert [path.name for path in suite.scripts_of("collections", "es")] == ["collections.es.yaml"]
    with pytest.raises(ConfigError, match="'booking' in 'es'"):
        suite.scripts_of("booking", "es")


def test_a_refused_call_has_the_reason_of_the_agent() -> None:
    calls = [report(1, []), report(2, [], "refused")]
    log = [{"event": "ready"}] + 2 * [{"event": "call refused: no CPU left: box"}]
    assert [each.why for each in with_reasons(calls, log)] == ["", " (the agent: no CPU left: box)"]
    assert with_reasons(calls, []) == calls
