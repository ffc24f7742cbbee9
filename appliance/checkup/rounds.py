"""The whole round: every check in its order, each whatever the others found.

    configuration -> machine -> what is kept -> engines -> services -> PBX -> a call

What cannot be made as things are (the box is stopped, there is no PBX) says so and fails nothing.
Findings come as they are made: the round takes half a minute, most of it the call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from appliance.checkup import configuration, credentials, engines, kept, machine, ports, running
from appliance.checkup.box import Box
from appliance.checkup.calling import CALL, check_call
from appliance.checkup.exchange import local_address
from appliance.checkup.finding import Finding, fail, skipped
from appliance.checkup.pbx import REACHED, REGISTERED, check_reachable, check_registration
from appliance.clock import Clock
from appliance.errors import ApplianceError, ConfigError

Check = Callable[["Round"], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Round:
    """One round: the box, whether it runs, and the clock."""

    box: Box
    running: bool
    clock: Clock


def check_up(
    path: Path, clock: Clock, only: Collection[str] = (), *, call: bool = True
) -> Iterator[Finding]:
    """Every check, or those that are named; `call`: the test call too, if none is named.

    Raises:
        ConfigError: there is no check of a name.
    """
    names = (configuration.CONFIGURATION, *CHECKS)
    if unknown := sorted(set(only) - set(names)):
        raise ConfigError(f"--only: no check {', '.join(unknown)}; there are {', '.join(names)}")
    config, found = configuration.read(path)
    if config is None or not only or configuration.CONFIGURATION in only:
        yield from found
    if config is None:
        return
    box = Box(path, config)
    this = Round(box, box.lines_up, clock)
    for name, check in CHECKS.items():
        if name in only or (not only and (call or name != "call")):
            yield from _guarded(name, check, this)


def _guarded(name: str, check: Check, this: Round) -> Iterator[Finding]:
    """What a check cannot do is a finding of its own, and the others are made."""
    try:
        yield from check(this)
    except ApplianceError as error:
        yield fail(name, str(error), "see the message")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        yield fail(name, f"{where}{error.strerror or error}", "run this as root")


def _ports(this: Round) -> Iterator[Finding]:
    line = this.box.config.line
    yield from ports.check_address(line.address)
    yield from ports.check_ports(this.box.line_holders(), line.address)


def _engines(this: Round) -> Iterator[Finding]:
    yield from engines.check_engines(this.box.config)


def _pbx(this: Round) -> Iterator[Finding]:
    if this.box.registrar is None:
        yield skipped(REACHED, "no PBX is configured ([line.registrar]): line.peers may call")
        return
    peer = this.box.pbx
    yield from asyncio.run(check_reachable(peer, local_address(peer.host)))


def _registration(this: Round) -> Iterator[Finding]:
    if this.box.registrar is None:
        yield skipped(REGISTERED, "no extension is configured ([line.registrar])")
        return
    peer, account = this.box.pbx, this.box.credentials()
    ours = (this.box.shown,) if this.running else ()
    yield from asyncio.run(check_registration(peer, account, local_address(peer.host), ours))


def _call(this: Round) -> Iterator[Finding]:
    if not this.running:
        yield skipped(CALL, "the box is stopped: nobody would answer")
        return
    yield from asyncio.run(check_call(this.box))


CHECKS: dict[str, Check] = {
    machine.DISK: lambda this: iter(machine.check_disk(this.box.config)),
    machine.NAME: lambda _: iter(machine.check_name()),
    machine.CLOCK: lambda this: iter(machine.check_clock(this.box.config, this.clock.now())),
    credentials.SECRETS: lambda this: iter(credentials.check_secrets(this.box.config)),
    kept.STORE: lambda this: iter(kept.check_store(this.box.config)),
    kept.BACKUPS: lambda this: iter(kept.check_backups(this.box.config, this.clock.now())),
    "engines": _engines,
    engines.CACHES: lambda this: engines.check_caches(this.box.config),
    "ports": _ports,
    running.SERVICES: lambda this: iter(running.check_services(this.box.config)),
    running.HEALTH: lambda this: iter(running.check_health(this.box.config, running=this.running)),
    running.CERTIFICATE: lambda this: iter(
        running.check_certificate(_certificate(this), this.clock.now())
    ),
    REACHED: _pbx,
    REGISTERED: _registration,
    "call": _call,
}
"""By the name that `appliance doctor --only` takes."""


def _certificate(this: Round) -> Path | None:
    edge = this.box.config.edge
    return edge.tls.certificate if edge.enabled and edge.transport == "tls" else None
