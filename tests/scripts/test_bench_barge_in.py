"""Table and verdict of the barge-in benchmark; the trials themselves are in tests/call."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from types import ModuleType

import pytest
from rich.console import Console

from appliance.testing.turntaking.barge_in import Outcome, Trial, figures

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench_barge_in.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_barge_in", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcomes(**stops_ms: float | None) -> list[Outcome]:
    return [Outcome(Trial(kind, 0.5), stop_ms) for kind, stop_ms in stops_ms.items()]


def test_all_kept(script: ModuleType) -> None:
    assert script.verdict(figures(outcomes(speech=110.0, noise=None)), 120.0) == []


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (outcomes(speech=130.0), "speech: stopped within 130 ms at p95, the limit is 120"),
        (outcomes(speech=None), "speech: 1 of 1 did not stop the prompt"),
        (outcomes(acknowledgement=90.0), "acknowledgement: 1 of 1 stopped the prompt"),
        ([Outcome(Trial("noise", 0.5), failure="no call")], "noise: 1 of 1 calls failed"),
    ],
)
def test_what_is_missed(script: ModuleType, found: list[Outcome], said: str) -> None:
    assert said in script.verdict(figures(found), 120.0)


def test_table_has_every_kind_and_what_went_wrong(script: ModuleType) -> None:
    text = io.StringIO()
    found = outcomes(speech=110.0, acknowledgement=90.0)
    script.show(Console(file=text, width=100), figures(found), found)
    assert "110.0" in text.getvalue()
    assert '"kind": "acknowledgement"' in text.getvalue()
