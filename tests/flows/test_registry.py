"""Flows by name and by path; accounts."""

from pathlib import Path

import pytest

from appliance.dialogue.checks import Check
from appliance.errors import ConfigError
from appliance.flows.collections.checks import CHECKS
from appliance.flows.registry import load_flow, shipped_flows

SHIPPED = Path(__file__).parents[2] / "appliance/flows"


def test_shipped_flows_load_by_name_and_by_path() -> None:
    assert "collections" in shipped_flows()
    for name in shipped_flows():
        flow = load_flow(name)
        assert load_flow(SHIPPED / name).hash == flow.hash
        assert load_flow(SHIPPED / name / "flow.yaml").hash == flow.hash


def test_an_unknown_flow_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"neither a shipped flow .*collections"):
        load_flow("collection")
    with pytest.raises(ConfigError, match="neither a shipped flow"):
        load_flow(tmp_path)


@pytest.mark.parametrize("code", ["", "CHECKS = [1]", "CHECKS = (1,)"])
def test_checks_must_be_checks(tmp_path: Path, code: str) -> None:
    (tmp_path / "flow.yaml").write_text("flow: x")
    (tmp_path / "checks.py").write_text(code)
    with pytest.raises(ConfigError, match="needs CHECKS, a tuple of Check"):
        load_flow(tmp_path)


def test_each_check_declares_only_its_own_outcomes() -> None:
    for check in CHECKS:
        assert isinstance(check, Check)
        assert set(check.produces) <= set(check.outcomes), check.name
