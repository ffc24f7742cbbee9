"""The box's systemd units: which there are, which run, and the few things done with them.

The only module that calls systemctl. Where no systemd runs (a trial from a checkout, a container)
every question has an answer all the same: there is none.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from appliance.errors import ConfigError

TARGET, AGENT, EDGE, MEDIA = (
    "appliance.target",
    "appliance-agent.service",
    "appliance-edge.service",
    "appliance-media.service",
)
TIMERS = ("appliance-backup.timer", "appliance-retention.timer")
_RUNNING = Path("/run/systemd/system")
_ANSWER_S, _LONGEST_S = 60.0, 2 * 3600.0
"""systemd itself bounds a start and a stop; one that drains may take line.drain_s: an hour."""

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
    said = _systemctl("show", name, f"--property={','.join(_SHOWN)}")
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
    said = _systemctl(
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
    _systemctl(*arguments, longest_s=_LONGEST_S)


def _systemctl(*arguments: str, longest_s: float = _ANSWER_S) -> str:
    command = ["systemctl", "--no-ask-password", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=longest_s)  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{' '.join(command)}: {error}") from error
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
        raise ConfigError(f"systemctl {' '.join(arguments)}: {said}")
    return done.stdout
