"""The scenario runner itself: what differs is told, and where."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from appliance.errors import ConfigError
from appliance.flows.registry import load_flow
from appliance.flows.scenario import load_scenarios, play
from appliance.flows.textcall import TextCall
from appliance.types import Understanding

ACCOUNTS = yaml.safe_load(
    (Path(__file__).parents[2] / "appliance/flows/collections/accounts.example.yaml").read_text()
)


def _run(tmp_path: Path, text: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    scenarios = load_scenarios(path)
    call = TextCall(
        load_flow("collections").bind("c", ACCOUNTS["default"]),
        lambda text, listen: Understanding(text),
        lambda: datetime(2026, 11, 11, tzinfo=UTC),
    )
    list(play(scenarios["x"], scenarios, call))


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ("say: goodbye", r"step 1: say is \('greeting',\), not \('goodbye',\)"),
        ("asks: goodbye", "asks is 'greeting', not 'goodbye'"),
        ("state: verification", "state is 'greeting'"),
        ("actions: {end_call: {}}", r"actions is \{\}"),
        ("never: [recorded line]", "says 'recorded line'"),
        ("state: greeting", "outcome None"),
    ],
)
def test_a_difference_is_told(tmp_path: Path, expect: str, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        _run(
            tmp_path,
            f"- {{name: x, steps: [{{starts: true, expect: {{{expect}}}}}], outcome: busy}}",
        )


def test_a_scenario_goes_on_from_another(tmp_path: Path) -> None:
    _run(
        tmp_path,
        "- {name: y, steps: [{starts: true}]}\n"
        "- {name: x, after: y, steps: [{hangs_up: true}], outcome: user_ended}\n",
    )


def test_a_scenario_does_not_go_on_from_itself(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="goes on from itself"):
        _run(
            tmp_path,
            "- {name: x, after: y, steps: [{starts: true}]}\n"
            "- {name: y, after: x, steps: [{starts: true}]}\n",
        )


@pytest.mark.parametrize("text", ["x", "- {name: x}", "- {name: x, steps: [{sings: la}]}", "{"])
def test_what_is_no_scenario_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"s\.yaml"):
        _run(tmp_path, text)
