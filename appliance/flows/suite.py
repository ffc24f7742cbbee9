"""Runs a flow's written scenarios, and counts what of the flow they cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from appliance.dialogue.flow import Flow
from appliance.errors import ConfigError
from appliance.flows.coverage import Coverage
from appliance.flows.scenario import Scenario, bind_scenario, load_scenarios, play
from appliance.flows.textcall import TextCall, Understand


@dataclass(frozen=True, slots=True)
class Result:
    """One scenario: how many turns it had, and what was wrong (nothing if it passed)."""

    name: str
    turns: int
    wrong: str


def scenario_files(flow: Flow) -> list[Path]:
    """The files of scenarios beside a flow: scenarios.yaml, scenarios.es.yaml and so on."""
    return sorted(flow.folder.glob("scenarios*.yaml")) if flow.folder else []


def run_scenarios(
    flow: Flow, path: Path, accounts: Mapping[str, Any], understand: Understand, coverage: Coverage
) -> Iterator[Result]:
    """Run every scenario of a file, in its order; what their turns pass is added to `coverage`.

    `accounts` holds account data by number: a scenario names the number.

    Raises:
        ConfigError: the file cannot be read, or names an account or entry that there is not.
    """
    scenarios = load_scenarios(path)
    for scenario in scenarios.values():
        call = text_call(flow, scenario, accounts, understand)
        wrong = ""
        try:
            for turn in play(scenario, scenarios, call):
                coverage.add(turn)
        except AssertionError as error:
            wrong = str(error)
        yield Result(scenario.name, len(call.turns), wrong)


def text_call(
    flow: Flow, scenario: Scenario, accounts: Mapping[str, Any], understand: Understand
) -> TextCall:
    """A fresh call as a scenario wants it."""
    account = accounts.get(scenario.number)
    if account is None:
        raise ConfigError(f"scenario {scenario.name}: no account {scenario.number}")
    return TextCall(bind_scenario(scenario, flow, account), understand, lambda: scenario.now)
