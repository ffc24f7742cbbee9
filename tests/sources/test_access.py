from pathlib import Path

import pytest

from appliance.clock import SystemClock
from appliance.errors import ConfigError
from appliance.sections import SourceConfig, SourcesConfig
from appliance.sources.access import environment, headers
from appliance.sources.hub import Hub
from tests.sources.rig import look, rogue, running

URL = "https://127.0.0.1:1/mcp"


def test_a_program_gets_a_minimal_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("s3cret\n")
    monkeypatch.setenv("BOX_PASSWORD", "not for them")
    monkeypatch.setenv("LC_TIME", "de_DE.UTF-8")
    config = rogue(environment={"LEVEL": "debug"}, secrets={"API_KEY": tmp_path / "key"})
    with running(people=config) as hub:
        given = look(hub, "environment").data
    assert given["LEVEL"] == "debug"
    assert given["API_KEY"] == "s3cret"
    assert given["LC_TIME"] == "de_DE.UTF-8"
    assert "BOX_PASSWORD" not in given
    kept = {"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "LEVEL", "API_KEY"}
    assert {each for each in given if not each.startswith("LC_")} <= kept


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"", "one line of text"),
        (b"a\nb", "one line"),
        (b"\xff", "no text"),
    ],
)
def test_a_secret_that_cannot_be_read_is_named(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
    config = rogue(secrets={"API_KEY": path})
    with pytest.raises(ConfigError, match=rf"sources\.mcp\.people\.secrets\.API_KEY: .*{said}"):
        Hub(SourcesConfig(mcp={"people": config}), SystemClock())


def test_a_token_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    config = SourceConfig(url=URL, token_file=tmp_path / "no")
    with pytest.raises(
        ConfigError, match=r"sources\.mcp\.web\.token_file: .*write the secret there"
    ):
        Hub(SourcesConfig(mcp={"web": config}), SystemClock())


def test_a_token_that_no_header_can_hold(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("gehöim")
    config = SourceConfig(url=URL, token_file=tmp_path / "token")
    with pytest.raises(ConfigError, match=r"token_file: .* ASCII"):
        headers("web", config)


def test_certificates_that_are_none_are_named(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    config = SourceConfig(url=URL, ca_file=tmp_path / "ca.pem")
    with pytest.raises(ConfigError, match=r"sources\.mcp\.web\.ca_file: .*certificates in PEM"):
        Hub(SourcesConfig(mcp={"web": config}), SystemClock())


def test_secrets_are_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "key"
    config = rogue(secrets={"API_KEY": path})
    for secret in ("old", "new"):
        path.write_text(secret)
        assert environment("people", config)["API_KEY"] == secret
