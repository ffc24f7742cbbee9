from pathlib import Path
from typing import Any

import pytest

from appliance.checkup.credentials import check_secrets, secret_files
from appliance.checkup.finding import Status
from appliance.config import Config, parse_config

SECTIONS: dict[str, Any] = {
    "line": {"registrar": {"server": "sip:p", "user": "200", "password_file": "sip"}},
    "notify": {"webhook": {"url": "https://x", "secret_file": "hook", "ca_file": "ca.pem"}},
    "sources": {"mcp": {
        "people": {"command": ["people"], "secrets": {"API_KEY": "api"}},
        "papers": {"url": "https://x", "token_file": "token"},
    }},
}  # fmt: skip


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return parse_config(SECTIONS, tmp_path / "a.toml")


def test_every_secret_of_the_configuration_is_known(config: Config) -> None:
    assert {key: path.name for key, path in secret_files(config)} == {
        "line.registrar.password_file": "sip",
        "notify.webhook.secret_file": "hook",
        "sources.mcp.people.secrets.API_KEY": "api",
        "sources.mcp.papers.token_file": "token",
    }


def test_what_is_wrong_is_said_and_the_secret_is_not(config: Config, tmp_path: Path) -> None:
    for name, text, mode in (("sip", "correct horse\n", 0o600), ("hook", "hunter2\n", 0o644),
                             ("api", "\n", 0o600)):  # fmt: skip
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    found = {each.seen.partition(":")[0]: each for each in check_secrets(config)}
    assert found["notify.webhook.secret_file"].status is Status.WARN
    assert found["sources.mcp.people.secrets.API_KEY"].status is Status.FAIL
    assert found["sources.mcp.papers.token_file"].status is Status.FAIL
    (good,) = [each for each in found.values() if each.status is Status.OK]
    assert good.seen.endswith(": line.registrar.password_file")
    told = "".join(each.seen + each.remedy for each in found.values())
    assert "horse" not in told
    assert "hunter2" not in told


def test_none_is_good(tmp_path: Path) -> None:
    (found,) = check_secrets(parse_config({}, tmp_path / "a.toml"))
    assert found.status is Status.OK
