"""The section [edge] of the configuration: what stands between the PBX and the lines.

Its values go into configuration files of other programs (kamailio, rtpengine), whose languages
have quotes, variables and comments. So each is an address, a network, a number or a name of plain
characters; nothing else is ever filled in.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from appliance.sections import Port, Section

LOOPBACK = IPv4Address("127.0.0.1")
PORTS_PER_CALL = 8
"""RTP and RTCP on both sides, twice: a re-INVITE may ask for new ports before the old are free."""

HostPort = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(:[0-9]{1,5})?$")
]
"""A host's name or address, with or without a port."""


def _is_plain(path: Path) -> Path:
    if not all(char.isascii() and (char.isalnum() or char in "/._-+") for char in str(path)):
        raise ValueError("only letters, digits and / . _ - + in this path")
    return path


PlainPath = Annotated[Path, AfterValidator(_is_plain)]
"""A path that needs no quoting in any file."""


class EdgeTlsConfig(Section):
    """Certificates for SIP over TLS; `appliance edge certificate` makes the first two."""

    certificate: PlainPath = Field(
        Path("/etc/appliance/tls/edge.crt"), description="The edge's own certificate (PEM)"
    )
    key: PlainPath = Field(
        Path("/etc/appliance/secrets/edge/tls.key"), description="Its private key (PEM)"
    )
    ca_file: PlainPath | None = Field(
        None,
        description="Certificate of the PBX or of who signed it (PEM): the PBX is then checked; "
        "without it the connection is encrypted, and whose it is is not known",
    )
    client_certificate: bool = Field(
        False, description="Whether the PBX must show such a certificate when it connects to us too"
    )

    @model_validator(mode="after")
    def _can_check(self) -> Self:
        if self.client_certificate and self.ca_file is None:
            raise ValueError("client_certificate: to check it, give a ca_file")
        return self


class EdgeConfig(Section):
    """The SIP and media edge towards the PBX, in front of the lines (docs/edge.md)."""

    enabled: bool = Field(
        False, description="Whether an edge stands before the lines, which then bind 127.0.0.1"
    )
    address: IPv4Address = Field(
        LOOPBACK, description="Address of the box that the PBX reaches, for SIP and RTP"
    )
    transport: Literal["udp", "tcp", "tls"] = Field(
        "udp", description="How SIP is carried between the PBX and the edge"
    )
    port: Port = Field(5060, description="Port for SIP from the PBX; usual for tls is 5061")
    public_address: IPv4Address | None = Field(
        None, description="Address to show in SIP and SDP where the box is behind NAT"
    )
    pbx: HostPort | None = Field(
        None,
        description="HOST or HOST:PORT that registrations and calls of ours go to; without it, "
        "that of line.registrar",
    )
    peers: tuple[IPv4Network, ...] = Field(
        (IPv4Network("127.0.0.0/8"),),
        min_length=1,
        max_length=16,
        description="Networks that the PBX sends SIP from; all else is dropped unanswered",
    )
    media_peers: tuple[IPv4Network, ...] = Field(
        (),
        max_length=16,
        description="Networks that RTP comes from as well, where telephones send it past the PBX",
    )
    srtp: Literal["off", "offer", "require"] = Field(
        "off",
        description="off: RTP; offer: SRTP with a PBX that can; require: calls without SRTP get "
        "488",
    )
    invites_per_s: int = Field(
        20, ge=1, le=200, description="New calls a second; those above it get 503"
    )
    rtp_port: Port = Field(30000, description="First UDP port for RTP with the PBX")
    rtp_ports: int = Field(
        1000, ge=8, le=20000, description="How many ports from there on; 8 a call are wanted"
    )
    local_port: Port = Field(5059, description="UDP port of 127.0.0.1 where lines reach the edge")
    control_port: Port = Field(
        2223, description="UDP port of 127.0.0.1 where the SIP edge commands the media edge"
    )
    tls: EdgeTlsConfig = Field(EdgeTlsConfig(), description="Certificates: see [edge.tls]")

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.rtp_port + self.rtp_ports - 1 > 65535:
            raise ValueError(f"rtp_ports: from {self.rtp_port} on there are not so many")
        if self.address.is_unspecified:
            raise ValueError("address: give the one that the PBX reaches, not all")
        if self.srtp == "require" and self.transport != "tls":
            raise ValueError(
                'srtp: with require the keys must not be readable on the way: transport = "tls"'
            )
        return self

    @property
    def shown_address(self) -> IPv4Address:
        """The address that the PBX is told."""
        return self.public_address or self.address
