"""Makes the units follow the configuration: what to enable, stop, start anew. And nothing else.

    Config ──> Wanted: unit, digest of all that it runs by ──┐
    systemd ─> what is there, what runs                      ├─ steps() ──> systemctl
    /run/appliance-applied.json: digests of what runs ───────┘

A unit whose digest is the one that it was started with is left alone: a new flow restarts the
agent, and the lines stay registered. Where a line or the edge must be started anew, the agent is
stopped before: it lets its calls end, while they still have a line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from appliance.checksums import digest
from appliance.checkup import units
from appliance.checkup.units import AGENT, EDGE, MEDIA, TARGET, TIMERS, Unit, line_unit
from appliance.checkup.writing import SECRET, write_whole, zone_of
from appliance.config import Config
from appliance.drop_ins import drop_ins
from appliance.edge.masking import make_mask_key
from appliance.edge.render import render_media, render_sip
from appliance.edge.writing import check_edge
from appliance.errors import ConfigError

APPLIED = Path("/run/appliance-applied.json")
DROP_INS = Path("/etc/systemd/system")
_OURS = "# Written by `appliance apply`"
_CURRENT = Path("/opt/appliance/current")
_EDGE_FOLDER = Path("/run/appliance-edge")
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of systemctl."""

    verb: tuple[str, ...]
    units: tuple[str, ...]

    def __str__(self) -> str:
        """As it would be typed."""
        return f"systemctl {' '.join((*self.verb, *self.units))}"


def apply(config: Config, say: Say, *, restart: bool = True) -> list[Step]:
    """Write drop-ins, enable what is wanted, start anew what has changed; returns what was done.

    Args:
        config: checked.
        say: is told each step.
        restart: else what runs is left as it is, and takes effect at its next start.

    Raises:
        ConfigError: there is no systemd, the edge's files are refused, or a unit does not start.
    """
    if not units.has_systemd():
        raise ConfigError("no systemd runs this machine: start the box by `appliance serve`")
    if config.edge.enabled:
        check_edge(config)
        if restart:  # what runs masks by the one of before, until it is started anew
            make_mask_key()
    wanted = wanted_units(config)
    if write_drop_ins(drop_ins(config), DROP_INS):
        units.act("daemon-reload")
    known = {name: units.read_unit(name) for name in (*wanted, TARGET, *TIMERS, EDGE, MEDIA)}
    extra = sorted(set(units.lines_enabled()) - set(wanted))
    planned = steps(wanted, known, [units.read_unit(name) for name in extra], read_applied(APPLIED))
    done = planned if restart else at_next_start(planned)
    for each in done:
        say(str(each))
        units.act(*each.verb, *each.units)
    if restart:
        # For root only: a password could be guessed by its digest.
        write_whole(APPLIED, json.dumps(wanted, indent=2) + "\n", SECRET)
    return done


def wanted_units(config: Config) -> dict[str, str]:
    """The services that are to run, each with the digest of what it runs by.

    Raises:
        ConfigError: a file that counts cannot be read.
    """
    base = f"{_CURRENT.resolve()} {zone_of()}"
    texts: dict[str, str] = {}
    for path, text in drop_ins(config).items():  # some units have several
        unit = path.parent.name.removesuffix(".d")
        texts[unit] = texts.get(unit, "") + text
    line = config.line.model_dump_json()
    wanted = {}
    if config.edge.enabled:
        sip, media = render_sip(config, _EDGE_FOLDER), render_media(config)
        certificates = (config.edge.tls.certificate, config.edge.tls.key)
        wanted[EDGE] = _digest(base, *sip.values(), texts.get(EDGE, ""), *_contents(certificates))
        wanted[MEDIA] = _digest(base, *media.values(), texts.get(MEDIA, ""))
    registrar = config.line.registrar
    secret = _contents([registrar.password_file] if registrar else [])
    for index in range(config.line.processes):
        wanted[line_unit(index)] = _digest(base, line, texts.get("appliance-line@.service", ""),
                                           *(secret if index == 0 else ()))  # fmt: skip
    whole = config.model_dump_json(exclude={"edge"})
    counted = [config.call.accounts] if config.call.accounts else []
    wanted[AGENT] = _digest(base, whole, texts.get(AGENT, ""), *_contents(counted))
    return wanted


def steps(
    wanted: Mapping[str, str],
    known: Mapping[str, Unit],
    extra: Iterable[Unit],
    applied: Mapping[str, str],
) -> list[Step]:
    """What systemctl is to do.

    Args:
        wanted: services with their digests.
        known: those, and the edge, the target and the timers, as they stand.
        extra: line units that nobody wants any more.
        applied: the digests that what runs was started with.

    Raises:
        ConfigError: a unit is not installed.
    """
    if missing := [name for name in wanted if not known[name].there]:
        raise ConfigError(f"{', '.join(missing)}: not installed here; docs/install.md")
    needless = [each for each in (*extra, *(known[name] for name in (EDGE, MEDIA)
                if name not in wanted)) if each.active or each.enabled]  # fmt: skip
    enabled = (*wanted, TARGET, *TIMERS)
    changed = [name for name, digest in wanted.items()
               if known[name].active and applied.get(name) != digest]  # fmt: skip
    beside = [name for name in changed if name != AGENT]
    planned = []
    if (beside or needless) and known[AGENT].active:
        planned.append(Step(("stop",), (AGENT,)))
        changed = beside
    if needless:
        planned.append(Step(("disable", "--now"), tuple(each.name for each in needless)))
    if absent := [name for name in enabled if not known[name].enabled]:
        planned.append(Step(("enable",), tuple(absent)))
    if changed:
        planned.append(Step(("restart",), tuple(changed)))
    if not planned and all(known[name].active for name in enabled):
        return []
    # Each by name: a target is reached before what it wants is ready.
    return [*planned, Step(("start",), (TARGET, *TIMERS, *wanted))]


def at_next_start(planned: Iterable[Step]) -> list[Step]:
    """Of these steps what touches nothing that runs: only what is started from the next boot on."""
    return [Step(each.verb[:1], each.units) for each in planned
            if each.verb[0] in ("enable", "disable")]  # fmt: skip


def write_drop_ins(texts: Mapping[Path, str], folder: Path) -> bool:
    """Have these drop-ins and no others of ours; whether any changed.

    Raises:
        ConfigError: one cannot be written.
    """
    changed = False
    for path, text in texts.items():
        place = folder / path
        if not place.is_file() or place.read_text(encoding="utf-8") != text:
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ConfigError(f"{place.parent}: {error.strerror}; run this as root") from error
            write_whole(place, text)
            changed = True
    for place in folder.glob("appliance-*.service.d/*.conf"):
        if place.relative_to(folder) not in texts and place.read_text("utf-8").startswith(_OURS):
            place.unlink()
            changed = True
    return changed


def read_applied(path: Path) -> dict[str, str]:
    """The digests that what runs was started with; empty after a boot, or where it cannot be read.

    After a boot everything runs by the configuration of the boot, which may have changed since:
    the first `apply` starts all anew.
    """
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): str(value) for key, value in told.items()} if isinstance(told, dict) else {}


def _contents(paths: Sequence[Path]) -> list[str]:
    """Digests of files; one that is missing counts too."""
    return [digest(each) if each.is_file() else "none" for each in paths]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
