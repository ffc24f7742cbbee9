import ssl
from pathlib import Path

import pytest

from appliance.actions.email import Email
from appliance.actions.wire import Cutoff
from appliance.config import EmailConfig
from appliance.errors import ConfigError, PeerError
from tests.actions.servers import Server, inside, mail, mail_with, serving
from tests.actions.test_notices import notice

TOLD = notice(name="José Núñez", problem="no heat", callback_type="service")


def config(server: Server | None, **keys: object) -> EmailConfig:
    given = {"host": "127.0.0.1", "port": server.port if server else 25, "tls": "none",
             "sender": "box@example.com", "to": ("a@example.com", "b@example.com")}  # fmt: skip
    return EmailConfig.model_validate(given | keys)


def deliver(given: EmailConfig, seconds: float = 5.0) -> None:
    with Cutoff(seconds) as cutoff:
        Email(given).deliver(TOLD, cutoff)


def test_it_arrives_whole() -> None:
    with serving(mail) as server:
        deliver(config(server))
    (message,) = server.mails
    assert message["Subject"] == "Please call back: service"
    assert "Name: José Núñez" in message.get_content().splitlines()
    assert [each.split("<")[1][:-1] for each in server.recipients] == [
        "a@example.com", "b@example.com",
    ]  # fmt: skip


def test_starttls_and_login(tmp_path: Path, certificate: Path, server_tls: ssl.SSLContext) -> None:
    password = tmp_path / "password"
    password.write_text("open sesame\n")
    with serving(mail_with(server_tls)) as server:
        deliver(
            config(
                server, host="localhost", tls="starttls", ca_file=certificate, user="box",
                password_file=password,
            )
        )  # fmt: skip
    assert len(server.mails) == 1
    assert server.logins == ["AGJveABvcGVuIHNlc2FtZQ=="]  # \0box\0open sesame


def test_tls_from_the_first_byte(certificate: Path, server_tls: ssl.SSLContext) -> None:
    with serving(inside(mail, server_tls)) as server:
        deliver(config(server, host="localhost", tls="tls", ca_file=certificate))
    assert len(server.mails) == 1


def test_certificate_of_a_stranger_is_refused(server_tls: ssl.SSLContext) -> None:
    with (
        serving(mail_with(server_tls)) as server,
        pytest.raises(PeerError, match="certificate refused: self-signed"),
    ):
        deliver(config(server, host="localhost", tls="starttls"))
    assert not server.mails


def test_server_without_starttls_gets_nothing() -> None:
    with serving(mail) as server, pytest.raises(PeerError, match="SMTPNotSupportedError"):
        deliver(config(server, tls="starttls"))
    assert not server.mails


@pytest.mark.parametrize(
    ("trick", "said"),
    [("refuse", "SMTP 550: recipients refused"), ("busy", "SMTP 451"),
     ("drop", "SMTPServerDisconnected")],
)  # fmt: skip
def test_refused(trick: str, said: str) -> None:
    with serving(mail, trick) as server, pytest.raises(PeerError, match=said) as error:
        deliver(config(server))
    assert "example.com" not in str(error.value)


@pytest.mark.parametrize("trick", ["hang", "drip"])
def test_server_that_never_answers_is_cut_off(trick: str) -> None:
    with serving(mail, trick) as server, pytest.raises(PeerError, match="timed out"):
        deliver(config(server), seconds=0.2)


def test_nobody_there() -> None:
    with serving(mail) as server:
        pass
    with pytest.raises(PeerError, match="Connection refused"):
        deliver(config(server))


def test_password_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"notify\.email\.password_file: .*cannot be read"):
        Email(config(None, user="box", password_file=tmp_path / "none"))
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(ConfigError, match="is empty"):
        Email(config(None, user="box", password_file=tmp_path / "empty"))


def test_certificates_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="ca_file"):
        Email(config(None, ca_file=tmp_path / "none"))
