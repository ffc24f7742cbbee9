"""The air-gap proof as its user runs it: the bundle of this commit, a call with each flow.

Needs root (it boots a system); a quarter of an hour on two cores.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.conftest import ROOT, Bundles

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(2700),
    pytest.mark.skipif(os.geteuid() != 0, reason="boots a system: needs root"),
    pytest.mark.skipif(not shutil.which("systemd-nspawn"), reason="needs systemd-container"),
]


def test_an_installed_box_talks_to_its_pbx_only(bundles: Bundles, tmp_path: Path) -> None:
    out = tmp_path / "proof"
    done = subprocess.run(
        [ROOT / "scripts" / "prove_airgap.sh", "--bundle", bundles.archive, "--out", out],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads((out / "report.json").read_text())
    assert told["proven"] is True
    assert told["traffic"]["outside"] == {}
    assert told["traffic"]["look_ups"] == {}
    assert {each["flow"] for each in told["calls"]} == {
        "collections", "booking", "campaign", "renovation", "status",
    }  # fmt: skip
    assert not (out / "box").exists()  # a system's worth of disk


def test_without_a_bundle_nothing_is_tried(tmp_path: Path) -> None:
    done = subprocess.run(
        [ROOT / "scripts" / "prove_airgap.sh", "--bundle", tmp_path / "none.tar.gz"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "make package" in done.stderr
