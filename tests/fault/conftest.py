"""The fixtures of tests/call also serve here; pytest does not share a conftest sideways."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.clock import SystemClock
from appliance.config import Config
from appliance.sections import SourcesConfig
from appliance.session.samples import with_samples
from tests.fault.company import People, write_company
from tests.fault.status_box import StatusBox

_PATH = Path(__file__).parents[1] / "call" / "conftest.py"
_SPEC = importlib.util.spec_from_file_location("line_fixtures", _PATH)
assert _SPEC is not None
assert _SPEC.loader is not None
_MODULE = importlib.util.module_from_spec(_SPEC)
sys.modules["line_fixtures"] = _MODULE  # dataclasses look their module up
_SPEC.loader.exec_module(_MODULE)

rig = _MODULE.rig
play = _MODULE.play


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """A configuration with the index of the sample documents."""
    return with_samples(Config(), tmp_path_factory.mktemp("guides"), SystemClock())


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_company(tmp_path_factory.mktemp("company") / "company.json")


@pytest.fixture
def people(company: Path, tmp_path: Path) -> People:
    found = People(company, tmp_path / "people.json")
    found.plays()
    return found


@pytest.fixture
def config(samples: Config, people: People) -> Config:
    """The samples, with the rogue in place of their server."""
    sources = SourcesConfig(mcp={"people": people.config()}, wait_s=0.5)
    return samples.model_copy(update={"sources": sources})


@pytest.fixture
def start(tmp_path: Path, config: Config) -> Iterator[Callable[..., StatusBox]]:
    """Starts a box on the test's store; what is still up at the end is closed."""
    started: list[StatusBox] = []

    def begin(changed: Config | None = None, **more: Any) -> StatusBox:
        box = StatusBox(tmp_path / "box" / "x.sqlite", changed or config, **more)
        started.append(box)
        return box

    yield begin
    for each in started:
        each.close()
