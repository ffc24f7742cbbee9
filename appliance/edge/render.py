"""The configuration files of the edge, made from the appliance's own.

    [edge], [line], [call]  ──>  kamailio.cfg  from_pbx.cfg  from_lines.cfg  dialogs.cfg  media.cfg
                                 lines.list    rtpengine.conf

The routing is in the templates beside, as files of their own languages; a template has names in
capitals between two `@`, and the switches `#!define WITH_…`. This module only says what they
stand for. It must not fill in anything that is not an address, a number or a checked name: the
section's types see to that, and `_filled` refuses characters that would end a string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from ipaddress import IPv4Network
from pathlib import Path

from appliance.config import Config
from appliance.edge.masking import mask_key
from appliance.edge_section import EdgeConfig
from appliance.errors import ConfigError
from appliance.secret_files import secret_path

SIP_FILES = (
    "kamailio.cfg",
    "from_pbx.cfg",
    "from_lines.cfg",
    "dialogs.cfg",
    "media.cfg",
    "lines.list",
)
MEDIA_FILES = ("rtpengine.conf",)

MAX_BYTES = 3400
"""pjsip reads 4000 bytes of a packet; the edge adds its Via, routes and masked headers."""

_MODULE_FOLDERS = ("/usr/lib/x86_64-linux-gnu/kamailio/modules", "/usr/lib64/kamailio/modules")
_NAME = re.compile(r"@([A-Z_]+)@")
_BREAKS_OUT = re.compile(r'[\x00-\x1f\x7f"\\`]')
_AFTER_LONGEST_CALL_S = 120
_UNUSED_SUITES = (
    *("NULL_HMAC_SHA1_80", "NULL_HMAC_SHA1_32", "F8_128_HMAC_SHA1_80", "F8_128_HMAC_SHA1_32"),
    *("AES_192_CM_HMAC_SHA1_80", "AES_192_CM_HMAC_SHA1_32", "AES_256_CM_HMAC_SHA1_32"),
    *("AES_CM_128_HMAC_SHA1_32", "AEAD_AES_256_GCM", "AEAD_AES_128_GCM"),
)
"""Of what rtpengine knows: left are AES_CM_128_HMAC_SHA1_80, which RFC 4568 wants of everybody, and
AES_256_CM_HMAC_SHA1_80. With GCM baresip 1.0.0 hears nothing of what rtpengine 10.5 sends."""
_PORT_AT_END = re.compile(r":\d{1,5}$")


def render_sip(config: Config, folder: Path) -> dict[str, str]:
    """The files of kamailio by name, to be written into `folder`.

    Raises:
        ConfigError: there is no edge in this configuration, or it has a value that no file takes.
    """
    values = _values(config, folder) | {"MASK_KEY": mask_key()[0]}
    rendered = {name: _filled(name, values) for name in SIP_FILES if name != "lines.list"}
    lines = (f"1 sip:127.0.0.1:{port}\n" for port in config.line.ports)
    return rendered | {"lines.list": "".join(lines)}


def render_media(config: Config) -> dict[str, str]:
    """The file of rtpengine by name.

    Raises:
        ConfigError: as `render_sip`.
    """
    values = _values(config, Path("/"))
    if config.edge.public_address is not None:
        values["ADVERTISE"] = f"!{config.edge.public_address}"
    return {name: _filled(name, values) for name in MEDIA_FILES}


def _enabled(config: Config) -> EdgeConfig:
    if not config.edge.enabled:
        raise ConfigError("edge.enabled: there is no edge in this configuration; set it to true")
    return config.edge


def _values(config: Config, folder: Path) -> dict[str, str]:
    """What the names in the templates stand for."""
    edge, line = _enabled(config), config.line
    longest_s = config.call.max_call_s + _AFTER_LONGEST_CALL_S
    shown = edge.shown_address
    advertise = f" advertise {shown}:{edge.port}" if edge.public_address is not None else ""
    pbx = _pbx(config)
    return {
        "DEFINES": _defines(config, pbx),
        "MODULES": _modules(),
        "FOLDER": str(folder),
        "TRANSPORT": edge.transport,
        "ADDRESS": str(edge.address),
        "PORT": str(edge.port),
        "ADVERTISE": advertise,
        "SHOWN": str(shown),
        "SHOWN_RE": str(shown).replace(".", "[.]"),
        "LOCAL_PORT": str(edge.local_port),
        "CONTROL_PORT": str(edge.control_port),
        "PEERS": ",".join(map(str, edge.peers)),
        "ASKED": ",".join(map(str, _asked(edge, pbx))),
        "PBX": pbx,
        "LINE_PORTS": "|".join(map(str, line.ports)),
        "OVERFLOW": (line.overflow or "").replace("$", "$$"),
        "INVITES_PER_S": str(edge.invites_per_s),
        "PIKE": str(edge.invites_per_s * 6),
        "MAX_BYTES": str(MAX_BYTES),
        "MAX_CALL_S": str(longest_s),
        "MAX_SESSIONS": str(line.capacity * 2 + edge.invites_per_s),
        "MASK_ADDRESS": str(shown),
        "SUITES": " ".join(f"SDES-no-{name}" for name in _UNUSED_SUITES),
        "CERTIFICATE": str(edge.tls.certificate),
        "KEY": str(secret_path(edge.tls.key)),
        "CA_FILE": str(edge.tls.ca_file or ""),
        "RTP_FIRST": str(edge.rtp_port),
        "RTP_LAST": str(edge.rtp_port + edge.rtp_ports - 1),
    }


def _defines(config: Config, pbx: str) -> str:
    edge = config.edge
    switches = {
        "WITH_TCP": edge.transport != "udp",
        "WITH_TLS": edge.transport == "tls",
        "WITH_CA": edge.tls.ca_file is not None,
        "WITH_CLIENT_CERTIFICATE": edge.tls.client_certificate,
        "WITH_PBX": bool(pbx),
        "WITH_OVERFLOW": config.line.overflow is not None,
        "SRTP_REQUIRED": edge.srtp == "require",
        "SRTP_OFFERED": edge.srtp == "offer",
        "SRTP_OFF": edge.srtp == "off",
    }
    return "".join(f"#!define {name}\n" for name, on in switches.items() if on)


def _pbx(config: Config) -> str:
    """HOST:PORT of the PBX; empty where the box neither registers nor calls."""
    given = config.edge.pbx
    if given is None and config.line.registrar is not None:
        bare = re.sub(r"^sips?:", "", config.line.registrar.server).partition(";")[0]
        try:
            given = EdgeConfig(pbx=bare).pbx
        except ValueError as error:
            raise ConfigError(
                f"line.registrar.server: {bare!r} is no host; give edge.pbx"
            ) from error
    if given is None or _PORT_AT_END.search(given):
        return given or ""
    return f"{given}:{5061 if config.edge.transport == 'tls' else 5060}"


def _asked(edge: EdgeConfig, pbx: str) -> tuple[IPv4Network, ...]:
    """Who may answer us: also a registrar that never calls, where its address is known."""
    try:
        return (*edge.peers, IPv4Network(pbx.partition(":")[0]))
    except ValueError:
        return edge.peers


def _modules() -> str:
    found = next((path for path in _MODULE_FOLDERS if Path(path).is_dir()), None)
    if found is None:
        raise ConfigError("kamailio is missing: apt-get install kamailio kamailio-tls-modules")
    return found


def _filled(name: str, values: Mapping[str, str]) -> str:
    for key, value in values.items():
        if key != "DEFINES" and _BREAKS_OUT.search(value):
            raise ConfigError(f"edge: a value has characters that no file of the edge takes: {key}")
    template = (files("appliance.edge") / "templates" / name).read_text(encoding="utf-8")
    return _NAME.sub(lambda match: values[match[1]], template)
