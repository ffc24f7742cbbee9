"""Whether what should run does: the units, the agent's own word, the certificate of the edge."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from appliance.checkup import units
from appliance.checkup.finding import Finding, fail, ok, skipped, warn
from appliance.config import Config
from appliance.edge.certificate import certificate_end
from appliance.errors import ConfigError, PeerError
from appliance.health import client

SERVICES, HEALTH, CERTIFICATE = "services", "health", "certificate"
_OFTEN = 3
_SOON_DAYS = 30
_ANOTHER = (
    "move it and its key away (edge.tls), appliance edge certificate, give the new one to the PBX, "
    "appliance apply; or have a request signed: docs/edge.md"
)


def expected_units(config: Config) -> tuple[str, ...]:
    """The units that run on a box that is configured so."""
    lines = [units.line_unit(index) for index in range(config.line.processes)]
    edge = (units.EDGE, units.MEDIA) if config.edge.enabled else ()
    return (units.TARGET, units.AGENT, *lines, *edge, *units.TIMERS)


def check_services(config: Config) -> list[Finding]:
    """Each unit that this configuration needs."""
    if not units.has_systemd():
        return [skipped(SERVICES, "no systemd runs this machine")]
    try:
        known = [units.read_unit(name) for name in expected_units(config)]
        needless = sorted(set(units.lines_enabled()) - {each.name for each in known})
    except ConfigError as error:
        return [skipped(SERVICES, str(error))]
    if not known[1].there:
        return [skipped(SERVICES, "the box is not installed here (no appliance-agent.service)")]
    if not known[0].active:
        return [skipped(SERVICES, "the box is stopped: systemctl start appliance.target")]
    findings = [
        fail(SERVICES, f"{each.name}: {each.state}",
             f"journalctl -u {each.name} -n 50; appliance apply")
        for each in known if not each.active
    ]  # fmt: skip
    findings += [
        warn(SERVICES, f"{each.name} was started again {each.restarts} times",
             f"journalctl -u {each.name}")
        for each in known if each.active and each.restarts > _OFTEN
    ]  # fmt: skip
    findings += [warn(SERVICES, f"{name}: more lines than line.processes says", "appliance apply")
                 for name in needless]  # fmt: skip
    return findings or [ok(SERVICES, f"{len(known)} units run")]


def check_health(config: Config, *, running: bool) -> list[Finding]:
    """What the agent says of itself."""
    try:
        answer = client.ask(config.health, "/readyz")
    except ConfigError:
        return [skipped(HEALTH, "neither health.socket nor health.port is set")]
    except PeerError as error:
        if not running:
            return [skipped(HEALTH, "the agent is stopped")]
        return [
            fail(HEALTH, str(error), "is the agent starting? journalctl -u appliance-agent -n 50")
        ]
    if answer.status == 200:
        return [ok(HEALTH, "the agent takes calls")]
    return [fail(HEALTH, f"the agent takes no calls: {_reasons(answer)}",
                 "appliance health; journalctl -u appliance-agent -n 50")]  # fmt: skip


def _reasons(answer: client.Answer) -> str:
    """What /readyz gives as reasons, for a person."""
    told = [each for each in answer.body.get("reasons", []) if isinstance(each, dict)]
    said = "; ".join(f"{each.get('reason')}: {each.get('detail')}" for each in told)
    return said or f"it answers with {answer.status}"


def check_certificate(path: Path | None, now: datetime) -> list[Finding]:
    """When does the certificate of the edge end?"""
    if path is None:
        return [skipped(CERTIFICATE, "no TLS towards the PBX")]
    try:
        end = certificate_end(path)
    except ConfigError as error:
        return [fail(CERTIFICATE, str(error), "appliance edge certificate")]
    left = (end - now).days
    seen = f"{path} is good until {end:%Y-%m-%d}, {left} days"
    if now >= end:
        return [fail(CERTIFICATE, f"{path} has ended at {end:%Y-%m-%d}", _ANOTHER)]
    if left < _SOON_DAYS:
        return [warn(CERTIFICATE, seen, _ANOTHER)]
    return [ok(CERTIFICATE, seen)]
