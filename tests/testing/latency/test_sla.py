"""What an operator may write, and what a measurement says to it."""

from pathlib import Path

import pytest

from appliance.errors import ConfigError
from appliance.testing.latency.document import holds
from appliance.testing.latency.figuring import Material, figure
from appliance.testing.latency.observed import Frames
from appliance.testing.latency.sla import Sla, Verdict, judge, load_sla

from .calls import material, report, utterance

ROOT = Path(__file__).resolve().parents[3]


def write(folder: Path, text: str) -> Path:
    path = folder / "sla.toml"
    path.write_text(text)
    return path


def missed(sla: Sla, concurrency: int = 1, gap_ms: float = 300) -> list[str]:
    calls = [report(n, [utterance(5, gap_ms), utterance(9, gap_ms)]) for n in (1, 2)]
    return [v.what for v in judge(sla, figure(material(concurrency, calls))) if not v.kept]


def test_example_is_an_sla() -> None:
    sla = load_sla(ROOT / "scripts/sla.example.toml")
    assert sla.capacity == 24
    assert sla.limits(8).decision_ms.p95 == 50
    assert sla.limits(24).decision_ms.p95 == 200
    assert sla.limits(24).response_gap_ms.p50 == 350


def test_limits_are_kept_up_to_themselves(tmp_path: Path) -> None:
    sla = load_sla(write(tmp_path, "[response_gap_ms]\np50 = 300\np95 = 299\n"))
    assert missed(sla) == ["response gap, ms, p95"]


def test_nothing_measured_keeps_nothing(tmp_path: Path) -> None:
    sla = load_sla(write(tmp_path, "[kinds.amount.response_gap_ms]\np50 = 10000\n"))
    assert missed(sla) == ["amount: response gap, ms, p50"]


def test_no_frames_keep_no_limit_on_frames() -> None:
    sla = Sla(missing_frames_pct=0.1, late_frames_pct=1, refused_calls_pct=100)
    refused = report(1, [], "refused").model_copy(update={"frames": Frames()})
    found = [v.what for v in judge(sla, figure(material(1, [refused]))) if not v.kept]
    assert found == ["missing frames, %", "late frames, %"]


def test_limits_on_decisions_want_all_logs() -> None:
    level = material(1, [report(1, [utterance(5, 300)]), report(2, [utterance(5, 300)])])
    assert level.logs is not None
    partly = figure(Material(1, level.reports, {1: level.logs[1]}))
    sla = Sla.model_validate({"decision_ms": {"p95": 50}})
    assert [v.what for v in judge(sla, figure(level)) if not v.kept] == []
    assert [v.what for v in judge(sla, partly) if not v.kept] == ["calls without a log"]
    assert all(v.kept for v in judge(Sla(), partly))


def test_cut_offs_at_pauses_have_a_limit_of_their_own() -> None:
    said = [utterance(5, 300, cut=True, pauses=1), *(utterance(9 + n, 300) for n in range(9))]
    level = figure(material(1, [report(1, said)]))
    sla = Sla(false_cut_offs_pct=10, paused_cut_offs_pct=10)
    assert [v.what for v in judge(sla, level) if not v.kept] == ["cut off at a pause, %"]


def test_more_calls_may_have_their_own_limits(tmp_path: Path) -> None:
    text = "[decision_ms]\np95 = 5\n[at.2.decision_ms]\np95 = 50\n"
    sla = load_sla(write(tmp_path, text))
    assert missed(sla, 1) == ["decision, ms, p95"]
    assert missed(sla, 2) == []


def test_the_interval_may_have_to_keep_it_too(tmp_path: Path) -> None:
    text = "{}\n[response_gap_ms]\np50 = 400\n"
    calls = [report(n, [utterance(5, gap_ms)]) for n, gap_ms in enumerate((300, 350, 500), 1)]
    level = figure(material(3, calls))
    by_value = load_sla(write(tmp_path, text.format("")))
    by_high = load_sla(write(tmp_path, text.format('judge = "high"')))
    assert all(each.kept for each in judge(by_value, level))
    assert not all(each.kept for each in judge(by_high, level))


def test_failed_and_refused_calls_are_misses_by_default() -> None:
    calls = [report(1, [utterance(5, 300)]), report(2, [], "failed"), report(3, [], "refused")]
    found = [v for v in judge(Sla(), figure(material(1, calls))) if not v.kept]
    assert [v.what for v in found] == ["refused calls, %", "failed calls, %"]
    assert found[0].reached == 33.33


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[response_gap_ms]\np90 = 5\n", r"response_gap_ms\.p90"),
        ("[response_gap_ms]\np50 = -5\n", r"response_gap_ms\.p50"),
        ('judge = "mood"\n', "judge"),
        ("p50 = \n", "cannot be read as TOML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"sla\.toml: .*{said}"):
        load_sla(write(tmp_path, text))


def test_a_ramp_holds_as_far_as_all_below_it_do() -> None:
    def verdict(kept: bool) -> tuple[Verdict, ...]:
        return (Verdict(what="x", limit=1, reached=1, kept=kept),)

    assert holds({1: verdict(True), 3: verdict(True), 6: verdict(False), 9: verdict(True)}) == 3
    assert holds({1: verdict(False), 3: verdict(True)}) == 0
