"""The box's systemd units: which there are, which run, and the few things done with them.

Where no systemd runs (a trial from a checkout, a container)
every question has an answer all the same: there is none.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from appliance.systemctl import LONGEST_S, systemctl

TARGET, AGENT, EDGE, MEDIA = (
    "appliance.target",
    "appliance-agent.service",
    "appliance-edge.service",
    "appliance-media.service",
)
TIMERS = ("appliance-backup.timer", "appliance-retention.timer")
_RUNNING = Path("/run/systemd/system")
_SHOWN = ("Id", "LoadState", "ActiveState", "UnitFileState", "NRestarts")


@dataclass(frozen=True, slots=True)
class Unit:
    """How one stands.

    Attributes:
        name: with its suffix.
        there: whether systemd knows it.
        active: it runs (or, for a timer, waits).
        state: as systemd says it.
        enabled: it starts at boot.
        restarts: how often systemd had to start it again since the last start by hand.
    """

    name: str
    there: bool
    active: bool
    state: str
    enabled: bool
    restarts: int


def line_unit(index: int) -> str:
    """The unit of a line process."""
    return f"appliance-line@{index}.service"


def has_systemd() -> bool:
    """Whether systemd runs this machine."""
    return _RUNNING.is_dir() and shutil.which("systemctl") is not None


def read_unit(name: str) -> Unit:
    """How a unit stands.

    Raises:
        ConfigError: systemd does not answer.
    """
    said = systemctl("show", name, f"--property={','.join(_SHOWN)}")
    told = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
    active = told.get("ActiveState", "")
    return Unit(
        name,
        there=told.get("LoadState") == "loaded",
        active=active in ("active", "activating", "reloading"),
        state=active or "unknown",
        enabled=told.get("UnitFileState") in ("enabled", "enabled-runtime", "static"),
        restarts=int(told.get("NRestarts") or 0),
    )


def lines_enabled() -> list[str]:
    """The line units that are enabled or run.

    Raises:
        ConfigError: systemd does not answer.
    """
    said = systemctl(
        "list-units", "appliance-line@*.service", "--all", "--plain", "--no-legend", "--no-pager"
    )
    known = {row.split()[0] for row in said.splitlines() if row.split()}
    wanted = Path("/etc/systemd/system").glob("*.wants/appliance-line@*.service")
    return sorted(known | {each.name for each in wanted})


def act(*arguments: str) -> None:
    """Have systemctl do something.

    Raises:
        ConfigError: it failed; the text is what systemd said.
    """
    systemctl(*arguments, longest_s=LONGEST_S)
