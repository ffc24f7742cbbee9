"""The channel `email`: one notification, one message, through the operator's mail server.

A server that takes the message and then breaks off before it says so is tried again with the same
Message-ID: most readers show such a pair once. RFC 5321 section 6.1 leaves no better way.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
from contextlib import suppress
from email.message import EmailMessage

import structlog

from appliance.actions.notices import Notice, write_email
from appliance.actions.wire import Cutoff, peer_errors, read_secret, tls_context
from appliance.config import EmailConfig

_log = structlog.get_logger()


class _Link(smtplib.SMTP):
    """An SMTP client whose connection ends at the cutoff."""

    def __init__(self, config: EmailConfig, tls: ssl.SSLContext, cutoff: Cutoff) -> None:
        self._config, self._context, self._cutoff = config, tls, cutoff
        # Its own default asks the resolver for a full name, which may hang where there is no DNS.
        super().__init__(config.host, config.port, local_hostname=socket.gethostname())

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:  # noqa: ARG002
        """As `smtplib.SMTP_SSL` does it; the time is the cutoff's."""
        link = self._cutoff.connect(host, port)
        if self._config.tls != "tls":
            return link
        return self._context.wrap_socket(link, server_hostname=host)


class Email:
    """Delivers through SMTP; see `delivery.Channel`."""

    name = "email"

    def __init__(self, config: EmailConfig) -> None:
        """Raises ConfigError where the password or the certificates cannot be read."""
        self._config = config
        self._password = (
            read_secret(config.password_file, "notify.email.password_file")
            if config.password_file
            else ""
        )
        self._tls = tls_context(config.ca_file)

    def deliver(self, notice: Notice, cutoff: Cutoff) -> None:
        """Hand it to the server.

        Raises:
            PeerError: the server cannot be reached or refuses; the text holds its status.
        """
        message = write_email(notice, self._config)
        with peer_errors(cutoff):
            server = _Link(self._config, self._tls, cutoff)
            try:
                refused = self._send(server, message)
            finally:
                server.close()
        if refused:  # the others have it, and must not get it twice
            _log.warning("e-mail refused for some", key=notice.key, refused=len(refused))

    def _send(self, server: smtplib.SMTP, message: EmailMessage) -> dict[str, tuple[int, bytes]]:
        server.ehlo_or_helo_if_needed()
        if self._config.tls == "starttls":
            server.starttls(context=self._tls)
        if self._config.user is not None:
            server.login(self._config.user, self._password)
        refused = server.send_message(message)
        with suppress(smtplib.SMTPException, OSError):  # it has been taken: that is what counts
            server.quit()
        return refused
