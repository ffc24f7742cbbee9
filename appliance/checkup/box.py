"""The box that is looked at: its configuration, and what of it runs at this moment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from appliance.checkup.exchange import Peer, peer_of
from appliance.checkup.ports import Holder, udp_holders
from appliance.config import Config, RegistrarConfig
from appliance.errors import ConfigError
from appliance.secret_files import secret_path
from appliance.testing.digest import Credentials

EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - recognised, not bound


@dataclass(frozen=True, slots=True)
class Box:
    """An appliance as configured.

    Attributes:
        path: the configuration's file.
        config: what it says, checked.
    """

    path: Path
    config: Config

    @property
    def pbx(self) -> Peer:
        """The PBX, and how SIP is carried to it.

        Raises:
            ConfigError: none is configured, or its address is none.
        """
        if self.registrar is None:
            raise ConfigError("line.registrar: no PBX is configured: appliance setup")
        edge = self.config.edge
        if not edge.enabled:
            return peer_of(self.registrar.server)
        host = edge.pbx or self.registrar.server.partition(";")[0]
        uri = host if host.startswith(("sip:", "sips:")) else f"sip:{host}"
        return peer_of(f"{uri};transport={edge.transport}", edge.tls.ca_file)

    @property
    def address(self) -> str:
        """The address of this machine that the PBX reaches; as configured, maybe all of them."""
        edge = self.config.edge
        return str(edge.address) if edge.enabled else self.config.line.address

    @property
    def shown(self) -> str:
        """What is registered at the PBX: "address:port"."""
        edge, line = self.config.edge, self.config.line
        if edge.enabled:
            return f"{edge.shown_address}:{edge.port}"
        return f"{line.public_address or line.address}:{line.port}"

    @property
    def registrar(self) -> RegistrarConfig | None:
        """The extension at the PBX, if it is one."""
        return self.config.line.registrar

    def line_holders(self) -> dict[int, Holder | None]:
        """Who holds each line's SIP port; None where nobody does."""
        line = self.config.line
        held = udp_holders()
        return {port: held.get((line.address, port), held.get((EVERY_ADDRESS, port)))
                for port in line.ports}  # fmt: skip

    @property
    def lines_up(self) -> bool:
        """Whether line processes of an appliance hold the SIP ports."""
        return any(each is not None and each.ours for each in self.line_holders().values())

    def credentials(self) -> Credentials:
        """The extension's account at the PBX.

        Raises:
            ConfigError: there is none, or its password cannot be read.
        """
        if self.registrar is None:
            raise ConfigError("line.registrar: no PBX is configured: appliance setup")
        return Credentials(
            user=self.registrar.user, password=read_secret(self.registrar.password_file)
        )


def read_secret(path: Path) -> str:
    """The one line of a secret's file.

    Raises:
        ConfigError: it cannot be read or is empty; the text never holds it.
    """
    place = secret_path(path)
    try:
        said = place.read_text(encoding="utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{place}: is no text") from error
    except OSError as error:
        raise ConfigError(f"{place}: cannot be read: {error.strerror}") from error
    if not said:
        raise ConfigError(f"{place}: is empty")
    return said
