"""What the configuration changes in the units: whom they may talk to, where write, how long drain.

    appliance.toml ── drop_ins() ──> appliance-edge.service.d/peers.conf, …agent…, …media…, …line@…
                                     appliance-backup.service.d/folders.conf, …agent…, …retention…

The units as they ship let packets pass to and from the box itself only (`IPAddressDeny=any`), in
the kernel, below any bug of a service. This module says which hosts of the configuration are let
through as well. Nor may a service write but below /var/lib/appliance and /var/cache/appliance: a
backup on a disk of its own has to be let through too. `appliance apply` writes the files; nothing
here writes or asks systemd.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from appliance.config import Config
from appliance.errors import ConfigError

Resolve = Callable[[str], Iterable[str]]
"""A host's name to its addresses. Raises OSError where it has none."""

AGENT, EDGE, LINE, MEDIA = "agent", "edge", "line@", "media"
KEEPERS = (AGENT, "backup", "retention")
"""The units that work on what the box keeps; the agent writes a backup before it migrates."""
STOP_AFTER_DRAIN_S = 30
"""What the agent may take to end its calls politely and close its store once drain_s is over."""

_SCHEME = re.compile(r"^sips?:")
_RESOLVER = Path("/etc/resolv.conf")
_WRITABLE = (Path("/var/lib/appliance"), Path("/var/cache/appliance"))
"""By the units as they ship."""
_HEAD = "# Written by `appliance apply` from appliance.toml.\n[Service]\n"


def addresses_of(host: str) -> tuple[str, ...]:
    """What the box's own /etc/hosts or its resolver says.

    Raises:
        OSError: it knows none.
    """
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def drop_ins(
    config: Config, resolve: Resolve = addresses_of, resolver: Path = _RESOLVER
) -> dict[Path, str]:
    """The drop-ins' texts by path below /etc/systemd/system; what is not here must not be there.

    Args:
        config: checked.
        resolve: asked for hosts that the configuration gives by name; no name, no look-up.
        resolver: says which name servers the agent must reach where it is given names.

    Raises:
        ConfigError: a host has no address; names the key.
    """
    hosts = {
        EDGE: _edge_hosts(config, resolve),
        MEDIA: _media_hosts(config),
        LINE: _line_hosts(config, resolve),
        AGENT: _agent_hosts(config, resolve, resolver),
    }
    written = {
        Path(f"appliance-{unit}.service.d/peers.conf"): _allowing(allowed)
        for unit, allowed in hosts.items()
        if allowed
    }
    stop_s = config.line.drain_s + STOP_AFTER_DRAIN_S
    written[Path("appliance-agent.service.d/drain.conf")] = f"{_HEAD}TimeoutStopSec={stop_s}\n"
    if folders := _folders(config):
        # "-": calls go on where one is missing, say because its disk is not mounted.
        writable = " ".join(f'"-{each}"'.replace("%", "%%") for each in folders)
        for unit in KEEPERS:
            place = Path(f"appliance-{unit}.service.d/folders.conf")
            written[place] = f"{_HEAD}ReadWritePaths={writable}\n"
    return written


def _allowing(hosts: Iterable[str]) -> str:
    return f"{_HEAD}IPAddressAllow={' '.join(hosts)}\n"


def _folders(config: Config) -> list[Path]:
    """Folders that are written and lie elsewhere than those that a box begins with."""
    kept = (config.record.folder, config.record.store.parent, config.documents.store.parent,
            config.backup.folder, config.speaking.cache, config.understanding.cache)  # fmt: skip
    return [each for each in dict.fromkeys(kept)
            if not any(each.is_relative_to(folder) for folder in _WRITABLE)]  # fmt: skip


def _edge_hosts(config: Config, resolve: Resolve) -> list[str]:
    if not config.edge.enabled:
        return []
    own = _own(str(config.edge.address))
    return _once([*map(str, config.edge.peers), *_pbx(config, resolve), *own])


def _media_hosts(config: Config) -> list[str]:
    if not config.edge.enabled:
        return []
    own = _own(str(config.edge.address))
    return _once([*map(str, (*config.edge.peers, *config.edge.media_peers)), *own])


def _line_hosts(config: Config, resolve: Resolve) -> list[str]:
    """Behind the edge a line talks to the edge only."""
    if config.edge.enabled:
        return []
    own = _own(config.line.address)
    return _once([*map(str, config.line.peers), *_pbx(config, resolve), *own])


def _own(address: str) -> list[str]:
    """The box's own address: the test call of `appliance doctor` comes from there."""
    if not _is_address(address) or ip_address(address).is_loopback:
        return []
    return [] if ip_address(address).is_unspecified else [address]


def _pbx(config: Config, resolve: Resolve) -> Iterator[str]:
    """The registrar, which may be another host than those that call us."""
    if config.edge.enabled and config.edge.pbx is not None:
        yield from _resolved("edge.pbx", config.edge.pbx.partition(":")[0], resolve)
    if config.line.registrar is not None:
        host = _SCHEME.sub("", config.line.registrar.server).partition(";")[0].partition(":")[0]
        yield from _resolved("line.registrar.server", host, resolve)


def _agent_hosts(config: Config, resolve: Resolve, resolver: Path) -> list[str]:
    named = list(_reached(config))
    allowed = [each for key, host in named for each in _resolved(key, host, resolve)]
    if not all(_is_address(host) for _, host in named):
        allowed += _name_servers(resolver)
    return _once(allowed)


def _reached(config: Config) -> Iterator[tuple[str, str]]:
    """The hosts that the agent connects to, each with the key that names it."""
    urls: list[tuple[str, str | None]] = [
        ("validation.url", config.validation.url),
        *((f"sources.mcp.{name}.url", source.url) for name, source in config.sources.mcp.items()),
    ]
    if config.notify.webhook is not None:
        urls.append(("notify.webhook.url", config.notify.webhook.url))
    if config.desk.request_tracker is not None:
        urls.append(("desk.request_tracker.url", config.desk.request_tracker.url))
    if config.notify.email is not None:
        yield "notify.email.host", config.notify.email.host
    for key, url in urls:
        if url is not None and (host := urlsplit(url).hostname):
            yield key, host


def _resolved(key: str, host: str, resolve: Resolve) -> tuple[str, ...]:
    if _is_address(host):
        return (host,)
    try:
        return tuple(resolve(host))
    except OSError as error:
        raise ConfigError(
            f"{key}: {host} has no address here: give the address itself, or a line for it in "
            "/etc/hosts"
        ) from error


def _name_servers(resolver: Path) -> list[str]:
    try:
        lines = resolver.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    said = [line.split() for line in lines]
    return [words[1] for words in said if len(words) > 1 and words[0] == "nameserver"]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _once(addresses: Iterable[str]) -> list[str]:
    """Without doubles, and without the box itself, which every unit may talk to."""
    return [each for each in dict.fromkeys(addresses) if not each.startswith("127.")]
