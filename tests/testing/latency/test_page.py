"""The report stands alone, and shows what was measured."""

import re
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from appliance.testing.latency.charts import marks
from appliance.testing.latency.document import Document, PlanFigures, holds, judge_levels, missed
from appliance.testing.latency.figuring import figure
from appliance.testing.latency.page import render_page
from appliance.testing.latency.sla import Sla

from .calls import material, report, utterance


def document(levels: tuple[int, ...] = (1, 3), gap_ms: float = 300, why: str = "") -> Document:
    """A run over some levels, held against a limit of 500 ms."""
    found = tuple(
        figure(
            material(
                level,
                [
                    report(n, [utterance(5, gap_ms + 10 * n), utterance(9, 400, "zip", pauses=1)])
                    for n in range(1, level + 3)
                ],
            )
        )
        for level in levels
    )
    sla = Sla.model_validate({"response_gap_ms": {"p50": 500}})
    verdicts = judge_levels(sla, found)
    made = Document(
        made=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        machine={"cpu": "made & up", "cores": 2, "load_1min": 1.5}, load_before=0.5,
        plan=PlanFigures(
            flows=("booking",), concurrency=levels, calls=3, warm_up=2, ramp=False, admit_all=False
        ),
        levels=found, barge_in=None, sla=sla, verdicts=verdicts, barge_in_verdicts=(),
        holds=holds(verdicts), failures=(why,) if why else (), missed=(),
    )  # fmt: skip
    return made.model_copy(update={"missed": missed(made)})


def test_needs_no_network() -> None:
    page = render_page(document())
    assert not re.search(r"https?:|<script|<link|url\(|@import", page)


@pytest.mark.parametrize("levels", [(1,), (1, 3), (1, 3, 6, 9, 12)])
def test_plots_are_well_formed(levels: tuple[int, ...]) -> None:
    plots = re.findall(r"<svg.*?</svg>", render_page(document(levels)), re.DOTALL)
    assert len(plots) == (4 if len(levels) == 1 else 7)
    for plot in plots:
        ElementTree.fromstring(plot)
        assert "nan" not in plot


def test_verdict_is_shown() -> None:
    assert "All limits kept" in render_page(document())
    late = document(gap_ms=900)
    assert "Limits missed" in render_page(late)
    assert late.missed[0].startswith("1 calls: response gap, ms, p50")


def test_what_calls_say_cannot_break_the_page() -> None:
    page = render_page(document(why="<script>alert(1)</script>"))
    assert "<script" not in page
    assert "made &amp; up" in page


def test_nothing_measured_is_still_a_page() -> None:
    empty = document().model_copy(update={"levels": (), "verdicts": {}})
    assert "Nothing was measured" in render_page(empty)


def test_json_holds_the_whole() -> None:
    whole = document()
    assert Document.model_validate_json(whole.model_dump_json()) == whole


@pytest.mark.parametrize("most", [0.3, 1.0, 7.0, 99.0, 1234.5])
def test_marks_are_few_and_round(most: float) -> None:
    found = marks(most)
    assert found[0] == 0
    assert found[-1] <= most
    assert 3 <= len(found) <= 8
