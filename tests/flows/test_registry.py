"""Flows by name and by path; accounts."""

import shutil
from pathlib import Path

import pytest

from appliance.dialogue.checks import Check
from appliance.errors import ConfigError
from appliance.flows.collections.checks import CHECKS
from appliance.flows.registry import load_flow, read_flow, shipped_flows

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


def _installed(site: Path, code: str) -> None:
    """A package with checks, installed as pip would leave it."""
    (site / "acme_checks.py").write_text(code, encoding="utf-8")
    info = site / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[appliance.checks]\nacme = acme_checks\n")


def test_checks_come_from_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(SHIPPED / "collections", folder)
    site = tmp_path / "site"
    site.mkdir()
    (folder / "checks.py").rename(site / "code.py")
    _installed(site, (site / "code.py").read_text(encoding="utf-8"))
    flow = folder / "flow.yaml"
    text = flow.read_text(encoding="utf-8")
    with pytest.raises(ConfigError, match="no check verify_zip; there are: none"):
        read_flow(folder)
    flow.write_text(f"checks: acme\n{text}", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"no entry point acme in the group appliance\.checks"):
        read_flow(folder)
    monkeypatch.syspath_prepend(str(site))
    assert "verify_zip" in load_flow(folder).checks


def test_the_version_of_a_flow_covers_the_code_of_its_checks(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(SHIPPED / "collections", folder)
    before = read_flow(folder)
    code = folder / "checks.py"
    code.write_text(f"{code.read_text(encoding='utf-8')}\nMORE = 1\n", encoding="utf-8")
    assert read_flow(folder).hash != before.hash


@pytest.mark.parametrize(
    ("code", "said"),
    [("import nothing_of_that_name", "ModuleNotFoundError"), ("CHECKS = (", "SyntaxError")],
)
def test_code_that_breaks_is_named(tmp_path: Path, code: str, said: str) -> None:
    (tmp_path / "flow.yaml").write_text("flow: x")
    (tmp_path / "checks.py").write_text(code)
    with pytest.raises(ConfigError, match=rf"checks\.py: {said}"):
        load_flow(tmp_path)
