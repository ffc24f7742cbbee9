import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from click.testing import Result
from typer.testing import CliRunner

from appliance.cli.sources import sources_app
from appliance.errors import ConfigError
from tests.sources.rig import ROGUE, lives, pids_in

ROOT = Path(__file__).resolve().parents[2]


def sources(*args: str) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(sources_app, args)


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "a.toml"
    command = json.dumps([sys.executable, "-S", "-E", str(ROGUE)])
    path.write_text(
        f"[sources.mcp.people]\ncommand = {command}\n"
        f"environment = {{ PIDS = '{tmp_path / 'pids'}' }}\n"
        "tools = ['echo', 'slow', 'fails']\ndeadline_s = 2\n"
    )
    return path


@pytest.fixture
def broken(config: Path) -> Path:
    with config.open("a") as file:
        file.write("[sources.mcp.gone]\ncommand = ['/nonexistent/x']\n")
    return config


@pytest.mark.parametrize("command", ["list", "check", "call"])
def test_help_has_an_example(command: str) -> None:
    assert f"Example: appliance sources {command}" in sources(command, "--help").stdout


def test_it_is_a_command_of_the_box(broken: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "appliance", "sources", "check", "--config", str(broken)],
        capture_output=True, text=True, cwd=ROOT, timeout=60, check=False, env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 1
    assert "people: good; 3 tools" in done.stdout
    assert "gone: down; /nonexistent/x is no program that can be started (correct" in done.stdout
    assert done.stderr == ""


def test_list_shows_servers_tools_and_arguments(broken: Path) -> None:
    done = sources("list", "--config", str(broken))
    assert done.exit_code == 0, done.stderr
    assert "people: up" in done.stdout
    assert any(each.split()[:2] == ["echo", "text*"] for each in done.stdout.splitlines())
    assert "gone: down; /nonexistent/x is no program that can be started" in done.stdout


def test_check_of_good_ones(config: Path, tmp_path: Path) -> None:
    done = sources("check", "--config", str(config))
    assert (done.exit_code, done.stdout) == (0, "people: good; 3 tools\n")
    assert pids_in(tmp_path / "pids")
    assert not any(map(lives, pids_in(tmp_path / "pids")))


def test_check_names_tools_that_are_not_there(config: Path) -> None:
    config.write_text(config.read_text().replace("'slow'", "'unheard_of'"))
    done = sources("check", "--config", str(config))
    assert done.exit_code == 1
    assert "tools that it lacks: unheard_of" in done.stdout


def test_check_of_a_secret_that_is_not_there(config: Path) -> None:
    with config.open("a") as file:
        file.write("secrets = { KEY = 'none' }\n")
    done = sources("check", "--config", str(config))
    assert isinstance(done.exception, ConfigError)
    assert "sources.mcp.people.secrets.KEY:" in str(done.exception)


def test_call_prints_json(config: Path) -> None:
    done = sources("call", "echo", "text=1 = José", "--config", str(config))
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout) == {"text": "1 = José"}


def test_call_reads_values_as_the_tool_wants_them(config: Path) -> None:
    done = sources("call", "slow", "s=0.01", "text=7", "--config", str(config))
    assert json.loads(done.stdout) == {"text": "7"}


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["fails"], 1, "people: the tool reports an error"),
        (["unheard_of"], 1, "no source has the tool unheard_of"),
        (["echo"], 1, "inputSchema: text missing"),
    ],
)
def test_call_says_what_is_wrong(config: Path, args: list[str], code: int, said: str) -> None:
    done = sources("call", *args, "--config", str(config))
    assert done.exit_code == code
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["echo", "text"], "write arguments as name=value, not 'text'"),
        (["slow", "s=soon"], "s: 'soon' is no JSON value"),
    ],
)
def test_call_does_not_guess(config: Path, args: list[str], said: str) -> None:
    done = sources("call", *args, "--config", str(config))
    assert isinstance(done.exception, ConfigError)
    assert said in str(done.exception)


def test_no_source_is_configured(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("")
    for command in ("list", "check"):
        done = sources(command, "--config", str(tmp_path / "a.toml"))
        assert done.exit_code == 0
        assert "No source is configured" in done.stdout
