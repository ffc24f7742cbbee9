"""The fixtures of tests/call also serve here; pytest does not share a conftest sideways."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.net.hosts import Hosts, can_make_hosts

_PATH = Path(__file__).parents[1] / "call" / "conftest.py"
_SPEC = importlib.util.spec_from_file_location("line_fixtures", _PATH)
assert _SPEC is not None
assert _SPEC.loader is not None
_MODULE = importlib.util.module_from_spec(_SPEC)
sys.modules["line_fixtures"] = _MODULE  # dataclasses look their module up
_SPEC.loader.exec_module(_MODULE)

rig = _MODULE.rig
play = _MODULE.play


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """Three hosts; the test runs as the box."""
    if not can_make_hosts():
        pytest.skip("network namespaces need root and iproute2")
    with Hosts() as made, made.inside("box"):
        yield made
