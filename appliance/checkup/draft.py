"""What an operator has answered so far, and what the configuration becomes of it.

answers ── Draft ──┬─ pbx, address: to test with
                   └─ changes() ──> toml_text.set_values ──> appliance.toml
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network
from pathlib import Path

from appliance.checkup.exchange import Peer, local_address, peer_of
from appliance.checkup.toml_text import Changes, Value
from appliance.config import Config
from appliance.errors import ConfigError, PeerError
from appliance.testing.digest import Credentials

YES, NO = "yes", "no"
_HOST_PORT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(?::[0-9]{1,5})?")
_TLS_PORT, _SIP_PORT = 5061, 5060
_LOOPBACK = "127.0.0.0/8"


@dataclass(frozen=True, slots=True)
class Draft:
    """Answers by the key of their question, over a configuration that is there."""

    path: Path
    config: Config
    answers: Mapping[str, str] = field(default_factory=dict)

    def having(self, key: str, answer: str) -> Draft:
        """With one more answer."""
        return replace(self, answers={**self.answers, key: answer})

    def get(self, key: str) -> str:
        """An answer; empty where there is none."""
        return self.answers.get(key, "")

    @property
    def edge(self) -> bool:
        """Whether the edge is to stand before the lines."""
        return self.get("edge") == YES

    @property
    def transport(self) -> str:
        """How SIP goes to the PBX; anything but UDP needs the edge."""
        return self.get("transport") or "udp"

    @property
    def pbx(self) -> Peer:
        """The PBX.

        Raises:
            ConfigError: what was answered is no host.
        """
        if not _HOST_PORT.fullmatch(self.get("pbx")):
            raise ConfigError(f"{self.get('pbx')!r} is no address of a host, nor HOST:PORT")
        authority = self.config.edge.tls.ca_file
        return peer_of(f"sip:{self.get('pbx')};transport={self.transport}", authority)

    @property
    def here(self) -> str:
        """The address of this machine that reaches the PBX.

        Raises:
            ConfigError, PeerError: there is none.
        """
        return local_address(self.pbx.host)

    @property
    def credentials(self) -> Credentials:
        """The extension's account."""
        return Credentials(user=self.get("extension"), password=self.get("password"))

    @property
    def password_file(self) -> Path:
        """Where the password is kept: where it was, else beside the configuration."""
        registrar = self.config.line.registrar
        if registrar is not None:
            return registrar.password_file
        return self.path.resolve().parent / "secrets" / "line" / "sip-password"

    @property
    def kept_password(self) -> str:
        """The one that is there; empty where there is none."""
        path = self.password_file
        try:
            return path.read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            return ""

    def peers(self) -> list[str]:
        """The networks that calls come from.

        Raises:
            ConfigError: one is none.
        """
        given = [each.strip() for each in self.get("peers").split(",") if each.strip()]
        try:
            return [str(IPv4Network(each)) for each in given]
        except ValueError as error:
            raise ConfigError(f"{error}: give 192.0.2.10 or 192.0.2.0/24") from error

    def pbx_networks(self) -> str:
        """The PBX's own addresses, as an answer to "who may call".

        Raises:
            ConfigError: its name has no address here.
        """
        try:
            found = socket.getaddrinfo(self.pbx.host, None, socket.AF_INET, socket.SOCK_DGRAM)
        except OSError as error:
            raise ConfigError(f"{self.pbx.host}: {error.strerror}") from error
        return ", ".join(sorted({f"{each[4][0]}/32" for each in found}))

    def changes(self) -> Changes:
        """What the configuration is to say.

        Raises:
            ConfigError: an answer cannot be used.
        """
        line: dict[str, Value | None] = {"address": self.get("address"), "peers": self.peers()}
        edge: dict[str, Value | None] = {"enabled": False}
        if self.edge:
            line = {"address": "127.0.0.1", "peers": [_LOOPBACK]}
            edge = {
                "enabled": True,
                "address": self.get("address"),
                "transport": self.transport,
                "port": _TLS_PORT if self.transport == "tls" else _SIP_PORT,
                "peers": self.peers(),
                "srtp": self.get("srtp") or "off",
            }
        return {
            "line": line,
            "line.registrar": {
                "server": f"sip:{self.get('pbx')}",
                "user": self.get("extension"),
                "password_file": str(self.password_file),
            },
            "edge": edge,
            "call": {
                "flow": self.get("flow"),
                "language": self.get("language"),
                "accounts": self.get("accounts") or None,
                "human": self.get("human") or None,
            },
        }


def reachable_or_empty(draft: Draft) -> str:
    """This machine's address towards the PBX, to be proposed."""
    try:
        return draft.here
    except (ConfigError, PeerError):
        return ""
