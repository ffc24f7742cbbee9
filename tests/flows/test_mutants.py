"""Planted faults: the collections flow with one thing broken at a time must be refused.

Each mutant is an edit that a tired author could make. Some do not even load; the others load, and
only exploring them shows what is wrong.
"""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from appliance.dialogue.checker import watch
from appliance.dialogue.checker.script import dialogue, scenario
from appliance.dialogue.checker.verdict import Verdict, check_flow
from appliance.dialogue.flow import Flow
from appliance.errors import ConfigError
from appliance.flows.registry import flow_folder, load_flow, read_flow
from appliance.flows.scenario import load_scenarios, play
from appliance.flows.suite import text_call
from appliance.flows.textcall import TextCall

SHIPPED = flow_folder("collections")

MUTANTS = yaml.safe_load((Path(__file__).parent / "mutants.yaml").read_text(encoding="utf-8"))


def _refused_by(stage: str, every: int = 1) -> list[Any]:
    """Those of a stage; all but one in `every` are for the slow run."""
    chosen = [each for each in MUTANTS if each["refused_by"] == stage]
    return [
        pytest.param(each, id=each["name"], marks=[pytest.mark.slow] if place % every else [])
        for place, each in enumerate(chosen)
    ]


def _mutant(folder: Path, mutant: dict[str, str]) -> Flow:
    shutil.copytree(SHIPPED, folder)
    path, old = folder / mutant["file"], mutant["old"]
    text = path.read_text(encoding="utf-8")
    assert old in text, old
    path.write_text(text.replace(old, mutant["new"]), encoding="utf-8")
    return read_flow(folder)


@pytest.fixture(scope="module")
def shipped() -> Verdict:
    return check_flow(read_flow("collections"))


def test_the_flow_as_shipped_is_proven(shipped: Verdict) -> None:
    assert shipped.failures == ()
    assert shipped.states > 5_000
    assert set(watch.BUILT_IN) < set(shipped.properties)


def test_there_are_enough_of_them() -> None:
    assert len(MUTANTS) >= 40
    assert len(_refused_by("exploring")) >= 25


@pytest.mark.parametrize("mutant", _refused_by("loading"))
def test_a_mutant_that_does_not_load(tmp_path: Path, mutant: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as error:
        _mutant(tmp_path / "flow", mutant)
    assert mutant["because"] in str(error.value)
    assert str(tmp_path / "flow") in str(error.value)


@pytest.mark.parametrize("mutant", _refused_by("exploring", every=7))
def test_a_mutant_that_is_not_proven(tmp_path: Path, mutant: dict[str, str]) -> None:
    flow = _mutant(tmp_path / "flow", mutant)
    verdict = check_flow(flow)
    said = [f"{each.title}: {each.detail}" for each in verdict.failures]
    assert any(mutant["because"] in each for each in said), said
    _assert_reproduces(flow, verdict, tmp_path)


def test_a_mutant_is_not_taken_into_use(tmp_path: Path) -> None:
    _mutant(tmp_path / "flow", next(each for each in MUTANTS if each["refused_by"] == "exploring"))
    with pytest.raises(ConfigError, match="is refused"):
        load_flow(tmp_path / "flow")


def _assert_reproduces(flow: Flow, verdict: Verdict, folder: Path) -> None:
    """Each failure has a dialogue to read, and a scenario that comes to the same."""
    written = [
        scenario(flow, failure, f"{number}")
        for number, failure in enumerate(verdict.failures)
        if failure.path is not None
    ]
    path = folder / "failures.yaml"
    path.write_text(yaml.safe_dump(written, allow_unicode=True), encoding="utf-8")
    scenarios = load_scenarios(path)
    account = yaml.safe_load((SHIPPED / "accounts.example.yaml").read_text(encoding="utf-8"))
    for name, each in scenarios.items():
        call = text_call(flow, each, account, _nobody_speaks)
        assert isinstance(call, TextCall)
        list(play(each, scenarios, call))
        assert dialogue(flow, verdict.failures[int(name)])


def _nobody_speaks(text: str, listen: object) -> object:
    raise AssertionError(f"the scenario needs no understanding, but heard {text}")
