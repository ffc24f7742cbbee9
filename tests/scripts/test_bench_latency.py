import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.bench_latency import Load, Measured, figures, read_turns, summarize, verdict

ROOT = Path(__file__).resolve().parents[2]


def turn(decision_ms: float) -> dict[str, Any]:
    return {
        "t": "turn", "ms": 1, "decision_ms": decision_ms, "endpoint_ms": 400,
        "recognition_ms": 20, "understanding_ms": 1, "dialogue_ms": 1, "first_audio_ms": 420,
    }  # fmt: skip


def test_percentiles() -> None:
    assert summarize(range(1, 101)) == {"n": 100, "p50": 50.5, "p95": 95.0, "p99": 99.0}  # type: ignore[arg-type]
    assert summarize([7.0]) == {"n": 1, "p50": 7.0, "p95": 7.0, "p99": 7.0}
    assert summarize([]) == {"n": 0, "p50": None, "p95": None, "p99": None}


def test_only_turns_with_speech_are_measured() -> None:
    typed = {"t": "turn", "ms": 1, "decision_ms": 500.0}
    greeting = {"t": "turn", "ms": 1}
    found = figures(Measured([700.0], [turn(10.0), typed, greeting]), Load(1, 1))
    assert found["decision_ms"] == {"n": 1, "p50": 10.0, "p95": 10.0, "p99": 10.0}
    assert found["parts"]["endpoint_ms"]["p50"] == 400


@pytest.mark.parametrize(
    ("limits", "missed"),
    [
        ({"response_gap_ms": None, "decision_ms": None}, 0),
        ({"response_gap_ms": 700, "decision_ms": 20}, 0),
        ({"response_gap_ms": 699, "decision_ms": 20}, 1),
        ({"response_gap_ms": 1, "decision_ms": 1}, 2),
    ],
)
def test_verdict(limits: dict[str, float | None], missed: int) -> None:
    found = figures(Measured([700.0], [turn(20.0)]), Load(1, 1))
    assert len(verdict(found, limits)) == missed


def test_nothing_measured_keeps_no_sla() -> None:
    found = figures(Measured(), Load(1, 1))
    assert verdict(found, {"response_gap_ms": 1000.0, "decision_ms": None})


def test_failed_calls_are_a_miss() -> None:
    found = figures(Measured(failures=["call 1: refused"]), Load(2, 1))
    assert verdict(found, {}) == ["1 of 2 calls failed"]


def test_only_new_logs_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "2026-01-01"
    folder.mkdir()
    for name in ("old", "new"):
        (folder / f"{name}.events.jsonl").write_text(json.dumps(turn(1.0)) + "\n")
    assert len(read_turns(tmp_path, {folder / "old.events.jsonl"})) == 1


def bench(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/bench_latency.py", *args],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=110,
    )  # fmt: skip


def test_help_has_examples() -> None:
    assert "--sla-gap-ms 900" in bench("--help").stdout


def test_wrong_usage() -> None:
    assert bench("--calls", "0").returncode == 2
    assert bench("--target", "sip:x@127.0.0.1").returncode == 2


@pytest.mark.slow
def test_a_real_call_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    done = bench("--calls", "1", "--json", str(path), "--sla-decision-ms", "60000")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(path.read_text())
    for name in ("decision_ms", "response_gap_ms"):
        assert found[name]["n"] >= 2
        assert 0 <= found[name]["p50"] <= found[name]["p95"] <= found[name]["p99"]
    assert found["failed_calls"] == 0
