"""A source on the network: refusing, hanging, dripping, lying; wrong tokens and certificates."""

import ssl
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from appliance.sections import SourceConfig
from appliance.sources.hub import Hub
from tests.sources.rig import eventually, look, running
from tests.sources.web_rogue import WebRogue, web_rogue


def at(port: int, scheme: str = "http", **settings: Any) -> SourceConfig:
    host = "localhost" if scheme == "https" else "127.0.0.1"
    short = {"deadline_s": 1.0, "start_s": 5.0}
    return SourceConfig(url=f"{scheme}://{host}:{port}/mcp", **(short | settings))


@pytest.fixture
def server() -> Iterator[WebRogue]:
    with web_rogue() as server:
        yield server


@pytest.fixture
def hub(server: WebRogue) -> Iterator[Hub]:
    with running(web=at(server.port)) as hub:
        yield hub


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost with its key in one file; it signs itself."""
    both = tmp_path_factory.mktemp("tls") / "both.pem"
    key, cert = both.with_name("key.pem"), both.with_name("cert.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)],
        check=True, capture_output=True,
    )  # fmt: skip
    both.write_bytes(key.read_bytes() + cert.read_bytes())
    return both


@pytest.fixture
def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.mark.parametrize(
    ("trick", "said"),
    [
        ("400", "the call is refused: HTTP 400"),
        ("html", "the call is refused"),
        ("garbage", "the answer is not MCP"),
        ("mojibake", "the answer is not MCP"),
        ("redirect", "the call is refused"),
    ],
)
def test_what_another_try_cannot_help_is_said_at_once(
    server: WebRogue, hub: Hub, trick: str, said: str
) -> None:
    server.trick = trick
    asked = len(server.bodies)
    finding = look(hub, "echo", text="x")
    assert said in finding.error
    assert len(server.bodies) == asked + 1
    server.trick = "ok"
    assert look(hub, "echo", text="alive").ok


@pytest.mark.parametrize(
    ("trick", "said"),
    [
        ("500", "HTTP 500"),
        ("503", "HTTP 503"),
        ("401", "the token is refused (HTTP 401)"),
        ("404", "no MCP at that path (HTTP 404)"),
        ("drop", "the connection was lost"),
        ("truncate", "the connection was lost"),
        ("sse_drop", "the connection was lost"),
    ],
)
def test_what_another_try_may_help_is_tried_again(
    server: WebRogue, hub: Hub, trick: str, said: str
) -> None:
    server.trick = trick
    assert said in look(hub, "echo", text="x").error
    calls = [each for each in server.bodies if b"tools/call" in each]
    assert len(calls) == 2
    server.trick = "ok"
    assert look(hub, "echo", text="alive").ok


@pytest.mark.parametrize("trick", ["500", "drop", "truncate", "garbage"])
def test_one_that_fails_costs_no_other_its_answer(trick: str) -> None:
    with web_rogue() as server, running(web=at(server.port, tries=1)) as hub:
        server.only["echo"] = trick
        server.only["slow"] = "late"
        with ThreadPoolExecutor(1) as thread:
            waiting = thread.submit(look, hub, "slow", text="alive")
            for _ in range(3):
                assert not look(hub, "echo", text="x").ok
            server.closing.set()
            assert waiting.result().data == {"text": "alive"}


@pytest.mark.parametrize("trick", ["hang", "drip"])
def test_silence_ends_with_the_deadline(server: WebRogue, hub: Hub, trick: str) -> None:
    server.trick = trick
    began = time.monotonic()
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda _: look(hub, "echo", text="x"), range(3)))
    assert all("no answer within its deadline" in each.error for each in found)
    assert 0.9 < time.monotonic() - began < 2
    server.trick = "ok"
    assert look(hub, "echo", text="alive").ok


def test_answers_in_an_event_stream_are_read(server: WebRogue, hub: Hub) -> None:
    server.trick = "sse"
    assert look(hub, "echo", text="x").data == {"text": "x"}


@pytest.mark.parametrize("trick", ["ok", "sse"])
def test_too_long_an_answer_is_not_read(server: WebRogue, hub: Hub, trick: str) -> None:
    server.trick = trick
    assert "longer than 512 KiB" in look(hub, "huge").error
    server.trick = "ok"
    assert look(hub, "echo", text="alive").ok


@pytest.mark.parametrize("trick", ["bomb", "bomb_sse"])
def test_a_compressed_answer_is_not_unpacked(server: WebRogue, hub: Hub, trick: str) -> None:
    server.trick = trick
    assert "the answer is compressed" in look(hub, "echo", text="x").error
    server.trick = "ok"
    assert look(hub, "echo", text="alive").ok


def test_lies_are_found_here_too(hub: Hub) -> None:
    assert "outputSchema: status: enum" in look(hub, "lie").error


@pytest.mark.parametrize(
    ("trick", "why", "remedy"),
    [
        ("401", "the token is refused (HTTP 401)", "token_file"),
        ("404", "no MCP at that path (HTTP 404)", "correct the url"),
        ("500", "HTTP 500", "log"),
        ("html", "it refused the connection", "log"),
        ("garbage", "it refused the connection", "log"),
        ("hang", "not ready within 0.5 s", "start_s"),
        ("drop", "", ""),
    ],
)
def test_why_there_is_no_connection_is_said(
    server: WebRogue, trick: str, why: str, remedy: str
) -> None:
    server.always = trick
    with running(web=at(server.port, start_s=0.5)) as hub:
        status = hub.status()["web"]
        error = look(hub, "echo", text="x").error
    assert status.state == "down"
    assert why in status.why
    assert remedy in status.remedy
    assert "90210" not in f"{status}{error}"


def test_a_token_is_sent_and_told_to_nobody_else(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("t0ken\n")
    with web_rogue(token="t0ken") as server, capture_logs() as logs:
        with running(web=at(server.port, token_file=token)) as hub:
            assert look(hub, "echo", text="x").ok
            server.trick = "redirect"
            assert not look(hub, "echo", text="x").ok
        assert server.stolen == []
    assert "t0ken" not in str(logs)


def test_a_wrong_token_is_named_and_a_new_one_is_taken(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    with web_rogue(token="new") as server, running(web=at(server.port, token_file=token)) as hub:
        assert hub.status()["web"].why == "the token is refused (HTTP 401)"
        token.write_text("new")
        eventually(lambda: hub.status()["web"].state == "up")
        assert look(hub, "echo", text="x").ok


def test_nobody_listens_and_later_somebody_does() -> None:
    with web_rogue() as taken:
        port = taken.port
    with running(web=at(port, deadline_s=3)) as hub:
        assert hub.status()["web"].why == "connection refused"
        assert not look(hub, "echo", text="x").ok
        with web_rogue(port=port):
            eventually(lambda: hub.status()["web"].state == "up")
            assert look(hub, "echo", text="x").ok


def test_a_server_that_is_restarted_is_found_again() -> None:
    with web_rogue() as first, running(web=at(first.port, deadline_s=4)) as hub:
        port = first.port
        assert look(hub, "echo", text="x").ok
        first.shutdown()
        first.server_close()
        with web_rogue(port=port):
            assert look(hub, "echo", text="x").ok


def test_tls_with_its_own_authority(certificate: Path, server_tls: ssl.SSLContext) -> None:
    with (
        web_rogue(server_tls) as server,
        running(web=at(server.port, "https", ca_file=certificate)) as hub,
    ):
        assert look(hub, "echo", text="x").ok


def test_a_certificate_that_nobody_vouches_for(server_tls: ssl.SSLContext) -> None:
    with web_rogue(server_tls) as server, running(web=at(server.port, "https")) as hub:
        status = hub.status()["web"]
    assert "its certificate is refused: self-signed certificate" in status.why
    assert "ca_file" in status.remedy


def test_a_certificate_for_another_name(certificate: Path, server_tls: ssl.SSLContext) -> None:
    with web_rogue(server_tls) as server:
        config = SourceConfig(url=f"https://127.0.0.1:{server.port}/mcp", ca_file=certificate)
        with running(web=config) as hub:
            assert "its certificate is refused: IP address mismatch" in hub.status()["web"].why


def test_no_tls_where_tls_is_expected(server: WebRogue) -> None:
    with running(web=at(server.port, "https")) as hub:
        status = hub.status()["web"]
    assert "TLS failed" in status.why


def test_no_proxy_of_the_environment_is_used(
    server: WebRogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with running(web=at(server.port)) as hub:
        assert look(hub, "echo", text="x").ok


def test_closing_does_not_wait_for_a_server_that_hangs(server: WebRogue, hub: Hub) -> None:
    server.trick = "hang"
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(look, hub, "echo", text="x")
        eventually(lambda: any(b"tools/call" in each for each in server.bodies))
        began = time.monotonic()
        hub.close()
        assert time.monotonic() - began < 2
        assert not waiting.result().ok
