"""The command around the benchmark; what it computes is tested in tests/testing/latency."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def bench(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/bench_latency.py", *args],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=110,
    )  # fmt: skip


def test_help_has_examples() -> None:
    assert "--ramp 24 --admit-all" in bench("--help").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("--calls", "0"),
        ("--ramp", "3", "--concurrency", "2"),
        ("--target", "sip:x@127.0.0.1"),  # which flow answers there?
        ("--user", "300"),
        ("--target", "sip:x@127.0.0.1", "--flow", "booking", "--password-file", "none"),
        ("--language", "fr"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    assert bench(*arguments).returncode == 2


def test_wrong_set_up_is_told(tmp_path: Path) -> None:
    sla = tmp_path / "sla.toml"
    sla.write_text("[response_gap_ms]\np90 = 1\n")
    done = bench("--sla", str(sla))
    assert done.returncode == 2
    assert "response_gap_ms.p90" in done.stderr
    assert bench("--flow", "nothing").returncode == 2
