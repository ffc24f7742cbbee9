"""Writes what an operator has decided: the configuration, secrets, the time zone. Whole or not.

A power cut leaves the old file or the new one (`whole_files`). The configuration of before is kept
as `.bak`.
"""

from __future__ import annotations

from pathlib import Path

from appliance import whole_files
from appliance.errors import ConfigError

PUBLIC, SECRET, SECRET_FOLDER = 0o644, 0o600, 0o700
_ZONES = Path("/usr/share/zoneinfo")


def write_whole(path: Path, text: str, mode: int = PUBLIC) -> None:
    """Write a file with its mode: the old or the new one is there at any moment.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        whole_files.write_whole(path, text, mode)
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be written: {error.strerror}; run this as root"
        ) from error


def write_config(path: Path, text: str) -> Path | None:
    """Write the configuration; returns where the one of before is kept, if there was one.

    Raises:
        ConfigError: it cannot be written; the one of before is still there.
    """
    kept = None
    if path.exists():
        before = path.read_text(encoding="utf-8")
        if before == text:  # what is kept is older, and another
            return None
        kept = path.with_name(f"{path.name}.bak")
        write_whole(kept, before)
    _make_folder(path.parent, 0o755)
    write_whole(path, text)
    return kept


def write_secret(path: Path, secret: str) -> None:
    """Write a secret as one line, for its owner only, in a folder for its owner only.

    Raises:
        ConfigError: it cannot be written.
    """
    for folder in (path.parent.parent, path.parent):
        _make_folder(folder, SECRET_FOLDER)
    write_whole(path, f"{secret}\n", SECRET)


def zones(folder: Path = _ZONES) -> frozenset[str]:
    """The names of all time zones that this machine knows; empty where it knows none."""
    table = folder / "tzdata.zi"
    if not table.is_file():
        return frozenset()
    rows = (line.split() for line in table.read_text(encoding="utf-8").splitlines())
    named = ((row[1] if row[0] == "Z" else row[2]) for row in rows if row and row[0] in ("Z", "L"))
    return frozenset(named)


def zone_of(etc: Path = Path("/etc")) -> str:
    """The machine's time zone."""
    link = etc / "localtime"
    try:
        target = str(link.readlink())
    except OSError:
        return "UTC"
    return target.partition("/zoneinfo/")[2] or "UTC"


def set_zone(name: str, etc: Path = Path("/etc"), folder: Path = _ZONES) -> None:
    """Make a zone the machine's, as `timedatectl set-timezone` would, also where no bus runs.

    Raises:
        ConfigError: there is no such zone, or it cannot be set.
    """
    if name not in zones(folder):
        raise ConfigError(f"time zone: {name} is not known here; one is America/Los_Angeles")
    beside = etc / ".localtime.part"
    try:
        beside.unlink(missing_ok=True)
        beside.symlink_to(folder / name)
        beside.replace(etc / "localtime")
    except OSError as error:
        raise ConfigError(
            f"time zone: {etc}/localtime: {error.strerror}; run this as root"
        ) from error
    write_whole(etc / "timezone", f"{name}\n")


def _make_folder(folder: Path, mode: int) -> None:
    try:
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}; run this as root") from error
