"""No engine reports to its maker; onnxruntime would, and keeps in ~/.cache what it means to say."""

import subprocess
import sys
from pathlib import Path

from appliance.stt import silero

LOADING = f"import {silero.__name__} as silero; silero.SileroModel(); print('loaded')"


def test_onnxruntime_collects_nothing(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", LOADING],
        env=environment, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "loaded\n", done.stderr
    assert not list(tmp_path.rglob("*")), "it wrote a file of its reports"
