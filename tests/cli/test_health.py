"""`appliance health`, as an operator or a script asks it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from appliance.config import load_config
from appliance.health.health import Health
from appliance.health.server import HealthServer

from .in_process import appliance


@pytest.fixture
def box() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "appliance.toml").write_text('[health]\nsocket = "h.sock"\n')
        yield folder


@contextmanager
def running(box: Path) -> Iterator[Health]:
    health = Health()
    health.box.lines.set(2)
    health.box.lines_up.set(1)
    health.box.open_calls.set(1)
    health.box.call_limit.set(6)
    health.box.disk_free.labels("records").set(3 << 20)
    with HealthServer(load_config(box / "appliance.toml").health, health):
        yield health


def test_a_box_that_is_ready(box: Path) -> None:
    with running(box) as health:
        health.readiness.release("loading")
        done = appliance("health", cwd=box)
    assert done.returncode == 0
    said = done.stdout.splitlines()
    assert said[0] == "ready: calls are taken"
    assert "calls: 1 of 6" in said
    assert "lines: 1 of 2" in said
    assert "disk of records: 3 MiB free" in said


def test_a_box_that_is_not_says_why_and_the_exit_code_is_1(box: Path) -> None:
    with running(box) as health:
        health.readiness.release("loading")
        health.readiness.hold("not_registered", "the PBX answered 403")
        health.box.registrar.set(1)
        done = appliance("health", cwd=box)
        told = json.loads(appliance("health", "--json", cwd=box).stdout)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [
        "not ready: no calls are taken",
        "  not_registered: the PBX answered 403",
    ]
    assert "not registered at the PBX" in done.stdout
    assert told["reasons"] == [{"reason": "not_registered", "detail": "the PBX answered 403"}]
    assert (told["ready"], told["alive"]) == (False, True)
    assert told["figures"]["open_calls"] == 1


def test_no_agent_is_not_ready_either(box: Path) -> None:
    done = appliance("health", cwd=box)
    assert done.returncode == 1
    assert "no_agent: health: " in done.stdout
    told = json.loads(appliance("health", "--json", cwd=box).stdout)
    assert (told["ready"], told["alive"]) == (False, False)


def test_a_box_without_health_says_which_key_is_missing(box: Path) -> None:
    (box / "appliance.toml").write_text("")
    done = appliance("health", cwd=box)
    assert done.returncode == 2
    assert "health.socket: neither it nor health.port is set" in done.stderr
