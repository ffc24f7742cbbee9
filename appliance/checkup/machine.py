"""The machine under the box: room on its disks, a clock that can be believed, its own name."""

from __future__ import annotations

import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path

from appliance.checkup.finding import Finding, fail, ok, warn
from appliance.config import Config

DISK, CLOCK, NAME = "disk", "clock", "name"
_MEGABYTE = 1_000_000
_COMFORTABLE = 5  # times the least
_BUILT = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
_AHEAD = timedelta(minutes=10)
_SYNCHRONIZED = Path("/run/systemd/timesync/synchronized")
HOSTS = Path("/etc/hosts")


def check_disk(config: Config) -> list[Finding]:
    """Room where records, the store, prompts and backups are kept; each disk once."""
    places = {
        "record.folder": config.record.folder,
        "record.store": config.record.store.parent,
        "speaking.cache": config.speaking.cache,
        "backup.folder": config.backup.folder,
    }
    least_mb = config.health.min_free_mb
    by_disk: dict[int, tuple[list[str], Path]] = {}
    for name, path in places.items():
        there = _existing(path)
        names, _ = by_disk.setdefault(there.stat().st_dev, ([], there))
        names.append(name)
    findings = []
    for names, path in by_disk.values():
        free_mb = shutil.disk_usage(path).free // _MEGABYTE
        seen = f"{free_mb} MB free for {', '.join(names)} ({path})"
        remedy = f"make room on the disk of {path}; what may go: appliance retention run --dry-run"
        if free_mb < least_mb:
            findings.append(fail(DISK, f"{seen}; the least is {least_mb} MB", remedy))
        elif free_mb < least_mb * _COMFORTABLE:
            findings.append(warn(DISK, seen, remedy))
        else:
            findings.append(ok(DISK, seen))
    return findings


def check_name(own: str = os.uname().nodename, hosts: Path = HOSTS) -> list[Finding]:
    """Does the box know its own name? SIP libraries ask for it: else a name server is asked."""
    lines = (line.partition("#")[0].split() for line in hosts.read_text("utf-8").splitlines())
    if any(own in names[1:] for names in lines):
        return [ok(NAME, f"{own} is in {hosts}")]
    return [warn(
        NAME, f"{own} is not in {hosts}: a name server is asked for it, again and again",
        f"add the line `127.0.1.1 {own}` to {hosts}",
    )]  # fmt: skip


def check_clock(config: Config, now: datetime) -> list[Finding]:
    """Is the time later than all that this box has written, and is there a zone?

    Args:
        config: the box's.
        now: with its zone.
    """
    remedy = "set the clock (timedatectl set-time), or give the box a time server on its network"
    if now < _BUILT:
        return [fail(CLOCK, f"it is {now:%Y-%m-%d %H:%M} here: the clock was never set", remedy)]
    if (latest := _latest(config)) and latest > now + _AHEAD:
        return [fail(
            CLOCK, f"it is {now:%Y-%m-%d %H:%M} here, but a record was written at "
            f"{latest:%Y-%m-%d %H:%M}: the clock went back", remedy,
        )]  # fmt: skip
    zone = now.tzname() or "?"
    if not _SYNCHRONIZED.parent.is_dir():
        kept = "; no time service of systemd runs"
    else:
        kept = ", kept by a time server" if _SYNCHRONIZED.exists() else "; no time server answers"
    return [ok(CLOCK, f"{now:%Y-%m-%d %H:%M} {zone} (UTC{now:%z}){kept}")]


def _existing(path: Path) -> Path:
    """A folder, or the nearest one above it that is there."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())


def _latest(config: Config) -> datetime | None:
    """When the newest record or log was written; None where there is none."""
    days = sorted(config.record.folder.glob("[0-9]*-[0-9]*-[0-9]*"))[-1:]
    times = [file.stat().st_mtime for day in days for file in day.iterdir()]
    return datetime.fromtimestamp(max(times)).astimezone() if times else None
