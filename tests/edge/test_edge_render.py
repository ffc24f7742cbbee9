"""What is rendered: checked values only, and files that kamailio reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appliance.cli.edge import edge_app
from appliance.config import Config, load_config, parse_config
from appliance.edge.certificate import assert_pair, certificate_end, make_certificate, make_request
from appliance.edge.render import MEDIA_FILES, SIP_FILES, render_media, render_sip
from appliance.edge.writing import check_edge, write_files
from appliance.errors import ConfigError

BASE = """
[line]
processes = 3
[edge]
enabled = true
address = "192.0.2.5"
peers = ["192.0.2.10/32", "198.51.100.0/28"]
"""
TLS = """
[edge.tls]
certificate = "edge.crt"
key = "edge.key"
"""


def config_of(folder: Path, more: str = "", line: str = "") -> Config:
    path = folder / "appliance.toml"
    path.write_text(BASE.replace("[edge]", line + "\n[edge]") + more)
    return load_config(path)


def test_every_name_is_filled_in(tmp_path: Path) -> None:
    rendered = render_sip(config_of(tmp_path), tmp_path) | render_media(config_of(tmp_path))
    assert set(rendered) == {*SIP_FILES, *MEDIA_FILES}
    for name, text in rendered.items():
        assert not re.search(r"@[A-Z_]+@", text), name
    assert rendered["lines.list"].split() == [
        *("1", "sip:127.0.0.1:5060"),
        *("1", "sip:127.0.0.1:5062"),
        *("1", "sip:127.0.0.1:5064"),
    ]
    assert "192.0.2.10/32,198.51.100.0/28" in rendered["from_pbx.cfg"]
    assert "external/192.0.2.5\n" in rendered["rtpengine.conf"]


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("", ""),
        ('public_address = "203.0.113.7"\nsrtp = "offer"', ""),
        ('transport = "tcp"\npbx = "pbx.example.net"', 'overflow = "sip:q$x@192.0.2.10;a=b"'),
        ('transport = "tls"\nport = 5061\nsrtp = "require"', ""),
    ],
)
def test_kamailio_reads_it(tmp_path: Path, more: str, line: str) -> None:
    secure = "tls" in more
    config = config_of(tmp_path, more + (TLS if secure else ""), line)
    if secure:
        make_certificate(config.edge)
    check_edge(config)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('pbx = "192.0.2.10\\";drop;#"', "edge.pbx"),
        ("peers = ['192.0.2.10/32 || true']", "edge.peers"),
        ("peers = []", "edge.peers"),
        ('address = "0.0.0.0"', "address: give the one"),
        ('address = "127.0.0.1"', "port 5060 is another one's too"),
        ("local_port = 5064", "port 5064"),
        ("rtp_port = 16390", "port 16390"),
        ("rtp_ports = 70\n", "9 calls want 72"),
        ('srtp = "require"', 'transport = "tls"'),
        ("[edge.tls]\nkey = '/etc/\"); exec(\"x'", "edge.tls.key"),
        ("[edge.tls]\nclient_certificate = true", "give a ca_file"),
    ],
)
def test_bad_values_are_named(tmp_path: Path, more: str, said: str) -> None:
    key = more.partition(" =")[0]
    base = (
        BASE
        if not re.search(rf"^{key} =", BASE, re.MULTILINE)
        else re.sub(rf"{key} = .*\n", "", BASE)
    )
    path = tmp_path / "appliance.toml"
    path.write_text(base + more)
    with pytest.raises(ConfigError, match=re.escape(said)):
        load_config(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('address = "192.0.2.5"', "line.address"),
        ('peers = ["192.0.2.10/32"]', "line.peers"),
        ('spread = "redirect"', "line.spread"),
        ('public_address = "203.0.113.7"', "line.public_address"),
    ],
)
def test_the_lines_are_behind_the_edge(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        config_of(tmp_path, line=line)
    assert config_of(tmp_path).line.edge_port == 5059
    assert parse_config({}, tmp_path / "x").line.edge_port is None


def test_the_pbx_is_the_registrar_unless_said(tmp_path: Path) -> None:
    registrar = '[line.registrar]\nserver = "{}"\nuser = "200"\npassword_file = "p"\n'

    def target(server: str, more: str = "") -> list[str]:
        config = config_of(tmp_path, more, registrar.format(server))
        return re.findall(r'\$du = "(.*?)"', render_sip(config, tmp_path)["from_lines.cfg"])

    assert target("sip:192.0.2.10") == ["sip:192.0.2.10:5060;transport=udp"]
    assert target("sip:pbx:5080;transport=tcp") == ["sip:pbx:5080;transport=udp"]
    assert target("sip:192.0.2.10", 'pbx = "192.0.2.11:5066"') == [
        "sip:192.0.2.11:5066;transport=udp"
    ]
    with pytest.raises(ConfigError, match=r"give edge\.pbx"):
        target("sip:[2001:db8::1]")


def test_a_registrar_that_never_calls_may_answer(tmp_path: Path) -> None:
    def answering(pbx: str) -> str:
        text = render_sip(config_of(tmp_path, f'pbx = "{pbx}"'), tmp_path)["kamailio.cfg"]
        return re.findall(r'is_in_subnet\("\$si", "(.*?)"\)', text)[0]

    assert answering("192.0.2.77:5062") == "192.0.2.10/32,198.51.100.0/28,192.0.2.77/32"
    assert answering("pbx.example.net") == "192.0.2.10/32,198.51.100.0/28"


def test_the_secret_key_is_the_services_own_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = 'transport = "tls"\n[edge.tls]\nkey = "/etc/appliance/secrets/edge/tls.key"\n'
    (tmp_path / "edge_tls.key").touch()
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    rendered = render_sip(config_of(tmp_path, more), tmp_path)["kamailio.cfg"]
    assert f'"private_key", "{tmp_path}/edge_tls.key"' in rendered


def test_render_writes_what_differs(tmp_path: Path) -> None:
    config_of(tmp_path)
    out = tmp_path / "out"
    arguments = ["render", "--config", str(tmp_path / "appliance.toml"), "--out", str(out)]
    first = CliRunner().invoke(edge_app, arguments)
    assert len(first.output.splitlines()) == len(SIP_FILES)
    assert CliRunner().invoke(edge_app, arguments).output == ""
    config_of(tmp_path, "invites_per_s = 7")
    assert CliRunner().invoke(edge_app, arguments).output.splitlines() == [
        f"{out}/kamailio.cfg: written",
        f"{out}/from_pbx.cfg: written",
    ]
    media = CliRunner().invoke(edge_app, [*arguments, "--media"])
    assert media.output == f"{out}/rtpengine.conf: written\n"
    assert {path.stat().st_mode & 0o777 for path in out.iterdir()} == {0o600}


def test_without_an_edge_nothing_is_rendered(tmp_path: Path) -> None:
    config = parse_config({}, tmp_path / "x")
    with pytest.raises(ConfigError, match=r"edge\.enabled"):
        render_sip(config, tmp_path)
    with pytest.raises(ConfigError, match="cannot write"):
        write_files(Path("/proc/edge"), {"a": "b"})


def test_certificate_for_the_address_and_names(tmp_path: Path) -> None:
    edge = config_of(tmp_path, 'public_address = "203.0.113.7"' + TLS).edge
    make_certificate(edge, ["box.example.net"], days=10)
    assert edge.tls.key.stat().st_mode & 0o777 == 0o600
    assert_pair(edge.tls.certificate, edge.tls.key)
    made = certificate_end(edge.tls.certificate)
    assert made.tzinfo is not None
    with pytest.raises(ConfigError, match="is there already"):
        make_certificate(edge)
    with pytest.raises(ConfigError, match="no host name"):
        make_request(edge, tmp_path / "csr", ["box/CN=other"])
    make_request(edge, tmp_path / "csr", ["box.example.net"])
    assert "BEGIN CERTIFICATE REQUEST" in (tmp_path / "csr").read_text()
    edge.tls.key.unlink()
    make_request(edge, tmp_path / "csr")
    with pytest.raises(ConfigError, match="is not the key of"):
        assert_pair(edge.tls.certificate, edge.tls.key)


def test_status_of_an_edge_that_does_not_run(tmp_path: Path) -> None:
    result = CliRunner().invoke(edge_app, ["status", "--socket", str(tmp_path / "rpc.sock")])
    assert isinstance(result.exception, ConfigError)
    assert "does not answer" in str(result.exception)
