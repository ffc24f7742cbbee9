"""The HTTP server on its real socket and port, asked as a monitoring system would."""

import http.client
import json
import shutil
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from appliance.errors import ConfigError, PeerError
from appliance.health.client import ask, asked_figures
from appliance.health.health import Health
from appliance.health.pulse import Pulse
from appliance.health.server import HealthServer
from appliance.sections import HealthConfig


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short one: the path of a socket has at most 107 bytes."""
    with TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture
def config(folder: Path) -> HealthConfig:
    return HealthConfig(socket=folder / "health.sock")


@contextmanager
def served(config: HealthConfig, health: Health | None = None) -> Iterator[Health]:
    told = health or Health()
    with HealthServer(config, told):
        yield told


def test_it_answers_while_the_agent_loads_and_when_it_is_ready(config: HealthConfig) -> None:
    with served(config) as health:
        answer = ask(config, "/readyz")
        assert (answer.status, answer.body["ready"]) == (503, False)
        assert [each["reason"] for each in answer.body["reasons"]] == ["loading"]
        assert ask(config, "/healthz").status == 200
        health.readiness.release("loading")
        assert ask(config, "/readyz").status == 200
        assert ask(config, "/readyz").body == {"ready": True, "reasons": []}
        health.readiness.hold("not_registered", "the PBX answered 403")
        refused = ask(config, "/readyz")
        assert refused.status == 503
        assert refused.body["reasons"] == [
            {"reason": "not_registered", "detail": "the PBX answered 403"}
        ]


def test_a_loop_that_stands_still_is_not_alive(config: HealthConfig) -> None:
    now_s = 0.0
    health = Health()
    health.pulse = Pulse(lambda: now_s)
    health.pulse.beat()
    with served(config, health):
        assert ask(config, "/healthz").status == 200
        now_s = 7.5
        answer = ask(config, "/healthz")
        assert (answer.status, answer.body["alive"]) == (503, False)
        assert answer.body["loop_age_s"] == 7.5


def test_metrics_are_what_prometheus_reads(config: HealthConfig) -> None:
    with served(config) as health:
        health.calls.tally()("call", 0.0, {"flow": 'a "strange"\nname\\'})
        text = ask(config, "/metrics").text
    assert 'appliance_calls_total{flow="a \\"strange\\"\\nname\\\\"} 1.0' in text
    assert "_created" not in text
    promtool = shutil.which("promtool")
    assert promtool, "promtool is missing: apt-get install prometheus"
    done = subprocess.run([promtool, "check", "metrics"], input=text, text=True, check=False,
                          capture_output=True)  # fmt: skip
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_socket_is_for_its_user_and_group_and_goes_with_the_agent(config: HealthConfig) -> None:
    assert config.socket is not None
    with served(config):
        assert stat.S_IMODE(config.socket.stat().st_mode) == 0o660
    assert not config.socket.exists()
    with pytest.raises(PeerError, match=r"health\.sock: No such file"):
        ask(config, "/healthz")


def test_the_port_is_of_the_box_alone() -> None:
    config = HealthConfig(port=_free_port())
    with served(config):
        assert ask(config, "/healthz").status == 200
        with socket.create_connection(("127.0.0.1", config.port or 0)) as there:
            assert there.getpeername()[0] == "127.0.0.1"
        with pytest.raises(ConnectionRefusedError):  # what listens on all addresses is there too
            socket.create_connection(("127.0.0.2", config.port or 0), 2).close()


def test_it_only_reads(config: HealthConfig) -> None:
    with served(HealthConfig(port=_free_port())):
        pass
    config = HealthConfig(port=_free_port())
    with served(config):
        for method, path, status in (
            ("POST", "/metrics", 405), ("DELETE", "/readyz", 405), ("GET", "/", 404),
            ("GET", "/metrics/../healthz", 404),
        ):  # fmt: skip
            connection = http.client.HTTPConnection("127.0.0.1", config.port or 0)
            connection.request(method, path)
            assert connection.getresponse().status == status
            connection.close()


def test_what_a_killed_agent_left_is_taken_over(config: HealthConfig) -> None:
    assert config.socket is not None
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(config.socket))
        dead.listen()
    with served(config):
        assert ask(config, "/healthz").status == 200


def test_a_second_agent_is_told_so(config: HealthConfig) -> None:
    with served(config):
        with pytest.raises(ConfigError, match=r"health\.socket: .*does another agent run\?"):
            HealthServer(config, Health())
        assert ask(config, "/healthz").status == 200
    port = HealthConfig(port=_free_port())
    with served(port), pytest.raises(ConfigError, match=r"health\.port: .*choose another"):
        HealthServer(port, Health())


@pytest.mark.parametrize(
    ("path", "said"),
    [("nowhere/health.sock", "is its folder there"), ("x" * 120, "longer than 107 bytes")],
)
def test_a_place_that_cannot_be_is_named_with_its_remedy(
    folder: Path, path: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=rf"health\.socket: .*{said}"):
        HealthServer(HealthConfig(socket=folder / path, port=_free_port()), Health())


def test_a_file_that_is_no_socket_is_left_alone(folder: Path) -> None:
    (folder / "health.sock").write_text("mine")
    with pytest.raises(ConfigError):
        HealthServer(HealthConfig(socket=folder / "health.sock"), Health())
    assert (folder / "health.sock").read_text() == "mine"


def test_without_socket_and_port_nothing_is_served() -> None:
    with served(HealthConfig()), pytest.raises(ConfigError, match=r"health\.socket: neither"):
        ask(HealthConfig(), "/healthz")


def test_figures_by_name(config: HealthConfig) -> None:
    with served(config) as health:
        health.box.open_calls.set(2)
        health.box.disk_free.labels("records").set(1e9)
        figures = asked_figures(config)
    assert figures["open_calls"] == 2
    assert figures["disk_free_bytes records"] == 1e9
    assert "backup_age_seconds" not in figures  # it is not known yet
    assert json.dumps(figures, allow_nan=False)


def test_who_answers_with_something_else_is_no_agent(folder: Path) -> None:
    config = HealthConfig(socket=folder / "x.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(config.socket))
        other.listen()
        answered: Any = None
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(config.socket))
            answered, _ = other.accept()
            answered.sendall(b"SSH-2.0-x\r\n")
        answered.close()
        other.close()
    with pytest.raises(PeerError):
        ask(config, "/healthz")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
