import stat
from pathlib import Path

import pytest

from appliance.checkup.draft import Draft
from appliance.checkup.settingup import template_of, write
from appliance.config import load_config, parse_text
from appliance.errors import ConfigError

EXAMPLE = (Path(__file__).resolve().parents[2] / "appliance.example.toml").read_text()
ANSWERS = {
    "pbx": "192.0.2.10", "edge": "no", "address": "192.0.2.5", "peers": "192.0.2.10, 192.0.2.64/26",
    "extension": "200", "password": "correct horse", "time_zone": "America/Los_Angeles",
    "language": "en", "flow": "booking",
}  # fmt: skip


def draft(tmp_path: Path, text: str = EXAMPLE, **more: str) -> Draft:
    path = tmp_path / "appliance.toml"
    return Draft(path, parse_text(text, path), {**ANSWERS, **more})


def test_box_without_an_edge(tmp_path: Path) -> None:
    (tmp_path / "appliance.toml").write_text(EXAMPLE)
    config, _ = write(draft(tmp_path), EXAMPLE, own_machine=False)
    line = config.line
    assert (line.address, config.call.flow, config.edge.enabled) == ("192.0.2.5", "booking", False)
    assert list(map(str, line.peers)) == ["192.0.2.10/32", "192.0.2.64/26"]
    assert line.registrar is not None
    assert (line.registrar.server, line.registrar.user) == ("sip:192.0.2.10", "200")
    secret = line.registrar.password_file
    assert secret == tmp_path / "secrets" / "line" / "sip-password"
    assert secret.read_text() == "correct horse\n"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert "correct horse" not in (tmp_path / "appliance.toml").read_text()
    assert (tmp_path / "appliance.toml.bak").read_text() == EXAMPLE


def test_box_behind_its_edge_by_tls(tmp_path: Path) -> None:
    text = EXAMPLE + (
        f'\n[edge.tls]\ncertificate = "{tmp_path}/edge.crt"\nkey = "{tmp_path}/tls.key"\n'
        if "\n[edge.tls]" not in EXAMPLE else ""
    )  # fmt: skip
    text = text.replace("/etc/appliance/tls/edge.crt", f"{tmp_path}/edge.crt")
    text = text.replace("/etc/appliance/secrets/edge/tls.key", f"{tmp_path}/tls.key")
    wanted = draft(tmp_path, text, edge="yes", transport="tls", srtp="require")
    config, _ = write(wanted, text, own_machine=False)
    edge = config.edge
    assert (edge.enabled, str(edge.address), edge.transport, edge.port, edge.srtp) == (
        True, "192.0.2.5", "tls", 5061, "require",
    )  # fmt: skip
    assert config.line.address == "127.0.0.1"
    assert list(map(str, edge.peers)) == ["192.0.2.10/32", "192.0.2.64/26"]
    assert edge.tls.certificate.is_file(), "TLS works at once"


def test_answers_that_do_not_go_together_write_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="srtp"):
        write(draft(tmp_path, edge="yes", transport="udp", srtp="require"), EXAMPLE,
              own_machine=False)  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_can_be_put_back(tmp_path: Path) -> None:
    path = tmp_path / "appliance.toml"
    path.write_text(EXAMPLE)
    _, before = write(draft(tmp_path), EXAMPLE, own_machine=False)
    secret = load_config(path).line.registrar
    before.put_back(own_machine=False)
    assert path.read_text() == EXAMPLE
    assert secret is not None
    assert not secret.password_file.exists()


def test_second_setup_changes_only_what_was_answered_anew(tmp_path: Path) -> None:
    path = tmp_path / "appliance.toml"
    write(draft(tmp_path), EXAMPLE, own_machine=False)
    once = path.read_text()
    again = draft(tmp_path, once)
    assert again.kept_password == "correct horse"
    write(again, once, own_machine=False)
    assert path.read_text() == once
    write(draft(tmp_path, once, password="new"), once, own_machine=False)
    assert path.read_text() == once
    assert again.kept_password == "new"


def test_configuration_begins_with_the_shipped_one(tmp_path: Path) -> None:
    shipped = tmp_path / "shipped.toml"
    with pytest.raises(ConfigError, match=r"there is none"):
        template_of(tmp_path / "a.toml", shipped)
    shipped.write_text("# shipped\n")
    assert template_of(tmp_path / "a.toml", shipped) == "# shipped\n"
    (tmp_path / "a.toml").write_text("# own\n")
    assert template_of(tmp_path / "a.toml", shipped) == "# own\n"
