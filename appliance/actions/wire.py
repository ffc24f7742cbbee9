"""TCP and TLS to servers of the operator's that may be slow, silent or gone.

    with Cutoff(seconds) as cutoff, peer_errors(cutoff): … cutoff.connect(host, port) …

A timeout of a socket counts from each byte to the next, so a server that sends a byte now and then
holds its client for ever. The cutoff ends the connection itself when the time is over. Looking a
name up cannot be ended; that takes as long as the box's resolver is set to wait.
"""

from __future__ import annotations

import http.client
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from appliance.errors import ConfigError, PeerError
from appliance.secret_files import secret_path


class Cutoff:
    """A time by which everything that was opened through it has ended. A context manager."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self.cut)
        self._timer.daemon = True
        self._was_cut = False

    @property
    def over(self) -> bool:
        """Whether the time is; a socket may notice that before the timer does."""
        return self._was_cut or time.monotonic() >= self._ends

    def __enter__(self) -> Self:
        """The time begins."""
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is left to be cut off."""
        self._timer.cancel()
        with self._lock:
            for each in self._open:
                each.close()
            self._open.clear()

    def cut(self) -> None:
        """End all connections now; whoever reads or writes them gets an error."""
        with self._lock:
            self._was_cut = True
            for each in self._open:
                with suppress(OSError):  # it has ended already
                    each.shutdown(socket.SHUT_RDWR)

    def connect(self, host: str, port: int) -> socket.socket:
        """Connect to the first address of a host that answers.

        Raises:
            OSError: none does, or the time is over.
        """
        failed: OSError = ConnectionRefusedError(f"{host} has no address")
        for family, kind, protocol, _, address in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        ):
            link = socket.socket(family, kind, protocol)
            try:
                self._watch(link)
                link.connect(address)
            except OSError as error:
                link.close()
                failed = error
            else:
                return link
        raise failed

    def _watch(self, link: socket.socket) -> None:
        with self._lock:
            if self.over:
                raise TimeoutError
            link.settimeout(max(self._ends - time.monotonic(), 0.001))  # 0 would not block
            # A descriptor of its own: TLS takes the socket over and leaves an empty one behind.
            self._open.append(link.dup())


@contextmanager
def peer_errors(cutoff: Cutoff) -> Iterator[None]:
    """Map what smtplib, http.client, ssl and sockets raise; the text names no caller.

    Raises:
        PeerError: with the status of the server, or how the connection failed.
    """
    try:
        yield
    except (OSError, smtplib.SMTPException, http.client.HTTPException, ValueError) as error:
        raise PeerError("timed out" if cutoff.over else _said(error)) from error


def _said(error: Exception) -> str:
    match error:
        case smtplib.SMTPRecipientsRefused():
            codes = sorted({code for code, _ in error.recipients.values()})
            return f"SMTP {', '.join(map(str, codes))}: recipients refused"
        case smtplib.SMTPResponseException():
            return f"SMTP {error.smtp_code}"
        case TimeoutError():
            return "timed out"
        case ssl.SSLCertVerificationError():
            return f"certificate refused: {error.verify_message}"
        case OSError(strerror=str(strerror)) if strerror:
            return strerror
    return type(error).__name__


def tls_context(ca_file: Path | None, section: str = "notify") -> ssl.SSLContext:
    """Checks certificates against the system's authorities, or those of the file.

    Args:
        ca_file: certificates, in PEM.
        section: the configuration's, for messages.

    Raises:
        ConfigError: the file cannot be used.
    """
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # ssl.SSLError is one
        raise ConfigError(f"{section}: ca_file: {ca_file}: {error.strerror or error}") from error


def read_secret(path: Path, key: str) -> str:
    """The one line of a secret's file, or of the copy that systemd made of it.

    Raises:
        ConfigError: it cannot be read or is empty; names the key, never the content.
    """
    try:
        secret = secret_path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{key}: {path}: cannot be read") from error
    if not secret:
        raise ConfigError(f"{key}: {path}: is empty")
    return secret
