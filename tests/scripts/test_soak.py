"""The soak: what is kept of it when a process dies under it."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from appliance.testing.soak.short_calls import Tally
from scripts import soak

pytestmark = pytest.mark.anyio


class NoCalls:
    """Callers that are answered at once, and nothing else."""

    def __init__(self) -> None:
        self.tally = Tally()

    async def place(self, count: int) -> None:
        self.tally.answered += count


def gone() -> int:
    """The number of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", "pass"])
    done.wait()
    return done.pid


async def soaked(folder: Path, calls: Any, pids: dict[str, int]) -> Any:
    trial: Any = SimpleNamespace(calls=folder)
    return await soak.soak(trial, pids, soak.Plan(100, 6, 25), calls, Console(quiet=True))


async def test_a_line_that_dies_is_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak, "_SETTLE_S", 0.0)
    (tmp_path / "day").mkdir()
    for number in range(100):
        (tmp_path / "day" / f"{number}.record.json").touch()
    calls: Any = NoCalls()
    samples, ended = await soaked(tmp_path, calls, {"agent": os.getpid(), "line 1": gone()})
    assert ended == "after 25 calls: line 1 has died"
    assert len(samples["agent"]) == 1
    said = soak.document(calls, samples, soak.judged(samples, 4.0), [], ended)
    assert said["ended_early"] == ended
    assert said["growth"] == {}


async def test_records_that_do_not_come_are_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak, "_RECORDS_S", 0.1)
    _, ended = await soaked(tmp_path, NoCalls(), {"agent": os.getpid()})
    assert "not all have a record" in ended
