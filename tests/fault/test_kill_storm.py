"""A small storm: processes die under real calls, and all that was confirmed is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("lines", [(), ("--own-lines",)], ids=["as_installed", "own_lines"])
def test_nothing_that_was_confirmed_is_lost(tmp_path: Path, lines: tuple[str, ...]) -> None:
    report = tmp_path / "storm.json"
    done = subprocess.run(
        [sys.executable, "scripts/kill_storm.py", "--kills", "6", "--seed", "3", "--flow",
         "collections", "--calls", "2", "--json", str(report), *lines],
        cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (box,) = json.loads(report.read_text())["boxes"]
    assert sum(box["kills"].values()) == 6
    assert box["confirmed"] > 0
    assert box["violations"] == []
