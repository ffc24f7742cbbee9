"""Secrets are read where systemd put them, and else where the configuration says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from appliance.actions.wire import read_secret
from appliance.config import RegistrarConfig
from appliance.desks.rest2 import _token
from appliance.secret_files import secret_path
from appliance.sections import SourceConfig
from appliance.sources.access import environment, headers
from appliance.telephony.account import _read_password


@pytest.fixture
def credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a unit with LoadCredential=line:… and LoadCredential=agent:… finds."""
    folder = tmp_path / "credentials"
    folder.mkdir()
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    return folder


def test_the_copy_of_the_service_comes_first(credentials: Path, tmp_path: Path) -> None:
    (credentials / "line_sip-password").write_text("from systemd")
    named = tmp_path / "line" / "sip-password"
    assert secret_path(named) == credentials / "line_sip-password"


def test_a_file_that_systemd_does_not_have_is_itself(credentials: Path, tmp_path: Path) -> None:
    (credentials / "agent_sip-password").write_text("another folder's")
    (credentials / "line_other").write_text("another file")
    named = tmp_path / "line" / "sip-password"
    assert secret_path(named) == named


def test_without_systemd_a_file_is_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    named = tmp_path / "line" / "sip-password"
    assert secret_path(named) == named


READERS: dict[str, Callable[[Path], str]] = {
    "line.registrar.password_file": lambda path: _read_password(
        RegistrarConfig(server="sip:192.0.2.10", user="200", password_file=path)
    ),
    "notify, validation, desk": lambda path: read_secret(path, "desk.token_file"),
    "desk.request_tracker.token_file": _token,
    "sources.mcp.*.token_file": lambda path: headers(
        "shop", SourceConfig(url="http://192.0.2.20/mcp", token_file=path)
    )["Authorization"].removeprefix("Bearer "),
    "sources.mcp.*.secrets": lambda path: environment(
        "shop", SourceConfig(command=("true",), secrets={"TOKEN": path})
    )["TOKEN"],
}


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_takes_the_copy_of_the_service(
    reader: str, credentials: Path, tmp_path: Path
) -> None:
    (credentials / "agent_token").write_text("from-systemd\n")
    only_root_reads_it = tmp_path / "agent" / "token"
    assert READERS[reader](only_root_reads_it) == "from-systemd"
