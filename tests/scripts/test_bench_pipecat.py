import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from appliance.testing.latency.observed import CallReport, Utterance
from scripts.bench_pipecat import System, ratio_of_medians, verdict

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = (ROOT / ".venv-pipecat/bin/python").exists()


def test_ratio_of_medians() -> None:
    ours, theirs = [[100, 120], [110]], [[300.0], [330.0, 360.0]]
    found = ratio_of_medians(ours, theirs)
    assert found.value == round(110 / 330, 3)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


def test_the_interval_narrows_with_more_calls() -> None:
    calls = [[90.0 + 10 * (n % 5)] for n in range(200)]
    few, many = ratio_of_medians(calls[:5], calls[:5]), ratio_of_medians(calls, calls)
    assert few.high is not None and few.low is not None  # noqa: PT018
    assert many.high is not None and many.low is not None  # noqa: PT018
    assert many.high - many.low < few.high - few.low


@pytest.mark.parametrize(("ours", "theirs"), [([], [[1.0]]), ([[1.0]], []), ([[]], [[1.0]])])
def test_nothing_measured_has_no_ratio(ours: list[list[float]], theirs: list[list[float]]) -> None:
    assert ratio_of_medians(ours, theirs).value is None


def test_an_answer_to_what_was_cut_off_is_no_gap() -> None:
    said = [
        Utterance(kind="zip", pauses=0, first_ns=1, last_ns=2, gap_ms=gap_ms, cut_off=cut_off)
        for gap_ms, cut_off in ((40.0, True), (500.0, False), (None, False))
    ]
    served: Any = None
    made = CallReport(number=1, script="x", outcome="done", utterances=tuple(said))
    assert System("appliance", "sip:x", served, [made]).gaps_ms == [[500.0]]


def test_one_call_has_no_interval() -> None:
    found = ratio_of_medians([[1.0]], [[2.0], [3.0]])
    assert (found.value, found.low, found.high) == (0.4, None, None)


def said(ratio: float | None, failures: list[str]) -> dict[str, Any]:
    return {
        "systems": {
            "appliance": {"ratio_of_medians": None, "failures": []},
            "plain": {"ratio_of_medians": {"value": ratio}, "failures": failures},
        }
    }


@pytest.mark.parametrize(
    ("ratio", "failures", "at_most", "missed"),
    [
        (0.3, [], None, 0),
        (0.3, [], 0.333, 0),
        (0.34, [], 0.333, 1),
        (None, [], 0.333, 1),
        (0.34, ["no answer"], 0.333, 2),
        (0.3, ["no answer"], None, 1),
    ],
)
def test_verdict(ratio: float | None, failures: list[str], at_most: float, missed: int) -> None:
    assert len(verdict(said(ratio, failures), "plain", at_most)) == missed


def bench(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/bench_pipecat.py", *args],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip


def test_wrong_usage() -> None:
    assert bench("--rounds", "0").returncode == 2
    wrong = bench("--variant", "fast")
    assert wrong.returncode == 2
    assert "plain, judged" in wrong.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(not INSTALLED, reason="scripts/install pipecat")
def test_both_are_called_and_compared(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    done = bench("--rounds", "1", "--variant", "tuned", "--json", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
    systems = json.loads(path.read_text())["systems"]
    for name in ("appliance", "tuned"):
        assert systems[name]["figures"]["all"]["response_gap_ms"]["n"] >= 2
    assert systems["tuned"]["ratio_of_medians"]["value"] > 0
    assert systems["tuned"]["laps_ms"]["first_audio"]["n"] >= 2
