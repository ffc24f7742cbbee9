"""requirements.lock holds what `make test` needs: a machine of our own may have more installed."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
LOCKED = dict(re.findall(r"^([\w.-]+)==(\S+)", LOCK, re.MULTILINE))


@pytest.mark.parametrize(
    "wanted", [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
)
def test_every_requirement_is_locked(wanted: str) -> None:
    requirement = Requirement(wanted)
    version = LOCKED.get(canonicalize_name(requirement.name))
    assert version, f"run `make lock`: {requirement.name} is not in requirements.lock"
    assert requirement.specifier.contains(version)
