import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/bench_speech.py", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=290,
    )  # fmt: skip


def test_help_has_examples() -> None:
    assert "--sentences 500" in bench("--help").stdout


def test_wrong_usage() -> None:
    done = bench("--language", "fr")
    assert done.returncode == 2
    assert "en or es" in done.stderr


def test_a_flow_that_is_not_there() -> None:
    done = bench("--flow", "nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stdout


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_speech_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    few = ("--sentences", "40", "--spoken", "2", "--timed", "4")
    done = bench("--language", "en", *few, "--json", str(path))
    assert done.returncode in {0, 1}, done.stdout + done.stderr  # speed is for the benchmark
    found = json.loads(path.read_text())
    assert found["endurance"]["sentences"] == 40
    assert found["endurance"]["joined"] > 20
    assert found["endurance"]["clicks_at_joins"] == 0
    assert found["endurance"]["controls_found"] > 0
    assert found["realtime"]["free"]["failed"] == found["realtime"]["busy"]["failed"] == []
    assert 0 < found["voices"]["en default"]["real_time_factor"] < 1
