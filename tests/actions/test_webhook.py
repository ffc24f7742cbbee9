import hashlib
import hmac
import json
import ssl
from pathlib import Path

import pytest

from appliance.actions.webhook import Webhook
from appliance.actions.wire import Cutoff
from appliance.config import WebhookConfig
from appliance.errors import ConfigError, PeerError
from tests.actions.servers import Server, inside, serving, web
from tests.actions.test_notices import notice

TOLD = notice(name="José", problem="no heat")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("0123456789abcdef\n")
    return path


def deliver(server: Server, secret: Path, path: str = "/hook?box=1", seconds: float = 5.0) -> None:
    config = WebhookConfig(url=f"http://127.0.0.1:{server.port}{path}", secret_file=secret)
    with Cutoff(seconds) as cutoff:
        Webhook(config).deliver(TOLD, cutoff)


def test_it_arrives_signed_and_with_its_key(secret: Path) -> None:
    with serving(web) as server:
        deliver(server, secret)
    (post,) = server.posts
    assert post.path == "/hook?box=1"
    assert json.loads(post.body)["details"] == {"name": "José", "problem": "no heat"}
    assert post.headers["Idempotency-Key"] == TOLD.key
    expected = hmac.new(b"0123456789abcdef", post.body, hashlib.sha256).hexdigest()
    assert post.headers["X-Signature-256"] == f"sha256={expected}"


def test_over_tls(secret: Path, certificate: Path, server_tls: ssl.SSLContext) -> None:
    with serving(inside(web, server_tls)) as server:
        url = f"https://localhost:{server.port}"
        known = Webhook(WebhookConfig(url=url, secret_file=secret, ca_file=certificate))
        with Cutoff(5.0) as cutoff:
            known.deliver(TOLD, cutoff)
        with (
            Cutoff(5.0) as cutoff,
            pytest.raises(PeerError, match="certificate refused: self-signed"),
        ):
            Webhook(WebhookConfig(url=url, secret_file=secret)).deliver(TOLD, cutoff)
    assert [post.path for post in server.posts] == ["/"]


@pytest.mark.parametrize(
    ("trick", "said"),
    [("busy", "HTTP 500"), ("refuse", "HTTP 404"), ("drop", "RemoteDisconnected")],
)
def test_refused(secret: Path, trick: str, said: str) -> None:
    with serving(web, trick) as server, pytest.raises(PeerError, match=said):
        deliver(server, secret)


def test_redirection_is_not_followed(secret: Path) -> None:
    with serving(web, "move", "ok") as server, pytest.raises(PeerError, match="HTTP 302"):
        deliver(server, secret)
    assert server.connections == 1


def test_what_the_server_says_beside_its_status_is_not_waited_for(secret: Path) -> None:
    with serving(web, "endless") as server:
        deliver(server, secret, seconds=2.0)
    assert len(server.posts) == 1


@pytest.mark.parametrize("trick", ["hang", "drip"])
def test_server_that_never_answers_is_cut_off(secret: Path, trick: str) -> None:
    with serving(web, trick) as server, pytest.raises(PeerError, match="timed out"):
        deliver(server, secret, seconds=0.2)


@pytest.mark.parametrize(
    "url", ["http://host:port/", "https://user:secret@host/", "http://:80/", "http://host:99999"]
)
def test_address_that_cannot_be_used(secret: Path, url: str) -> None:
    with pytest.raises(ConfigError, match=r"notify\.webhook\.url"):
        Webhook(WebhookConfig(url=url, secret_file=secret))
