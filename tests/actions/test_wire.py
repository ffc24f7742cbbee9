import http.client
import smtplib
import socket
import ssl
import threading
from pathlib import Path

import pytest

from appliance.actions.endpoint import Endpoint
from appliance.actions.wire import Cutoff, peer_errors
from appliance.errors import ConfigError, PeerError


def _errors(module: object) -> list[type[Exception]]:
    public = [each for name, each in vars(module).items() if not name.startswith("_")]
    return [each for each in public if isinstance(each, type) and issubclass(each, Exception)]


@pytest.mark.parametrize(
    "kind",
    sorted({*_errors(smtplib), *_errors(http.client), *_errors(ssl), *_errors(socket)},
           key=lambda kind: kind.__qualname__),
)  # fmt: skip
def test_every_error_of_the_libraries_is_mapped(kind: type[Exception]) -> None:
    error = kind.__new__(kind)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        error.recipients = {"a@example.com": (550, b"unknown")}
    elif isinstance(error, smtplib.SMTPResponseException):
        error.smtp_code = 451
    elif isinstance(error, ssl.SSLCertVerificationError):
        error.verify_message = "expired"
    with Cutoff(5.0) as cutoff, pytest.raises(PeerError) as mapped, peer_errors(cutoff):
        raise error
    assert str(mapped.value)
    assert "example.com" not in str(mapped.value)


def test_bugs_are_not_mapped() -> None:
    with Cutoff(5.0) as cutoff, pytest.raises(KeyError), peer_errors(cutoff):
        raise KeyError("a bug")


def test_nothing_is_opened_after_the_time() -> None:
    with Cutoff(5.0) as cutoff:
        cutoff.cut()
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            pytest.raises(PeerError, match="timed out"),
            peer_errors(cutoff),
        ):
            cutoff.connect("127.0.0.1", listener.getsockname()[1])


def test_next_address_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name with two addresses, of which the first refuses."""
    with socket.create_server(("127.0.0.1", 0)) as listener, Cutoff(5.0) as cutoff:
        port = listener.getsockname()[1]
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("127.0.0.2", "127.0.0.1")
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        link = cutoff.connect("box", port)
        assert link.getpeername()[0] == "127.0.0.1"
        link.close()


def test_no_thread_is_left() -> None:
    before = set(threading.enumerate())
    for _ in range(20):
        with Cutoff(60.0):
            pass
    for each in set(threading.enumerate()) - before:
        each.join(5)  # a cancelled timer may take a moment
        assert not each.is_alive()


def test_certificates_that_cannot_be_read_are_named_by_their_section(tmp_path: Path) -> None:
    missing = tmp_path / "none.pem"
    with pytest.raises(ConfigError, match=r"^validation: ca_file: .*none\.pem: No such"):
        Endpoint("https://localhost/", missing, "validation.url")
