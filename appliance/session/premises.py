"""What must be measured to be known of the box: disks, database, outbox, backups.

Blocking: for a thread of its own (`vitals`). Each measure stands for itself; one that fails is
counted and leaves the others alone.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path

import structlog

from appliance.clock import Clock
from appliance.config import Config
from appliance.errors import StoreError
from appliance.health.health import Health
from appliance.store.archives import backups
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Standing

_MIB = 1 << 20
_log = structlog.get_logger()


class Premises:
    """Of one box."""

    def __init__(self, config: Config, database: Database, clock: Clock, health: Health) -> None:
        self._config, self._clock, self._health = config, clock, health
        self._outbox = Outbox(database)
        self._failing: set[str] = set()

    def measure(self) -> None:
        """All of it, once."""
        self._each(self._disks, self._store, self._notifications, self._backups)
        self._health.box.measured.set(self._clock.now().timestamp())

    def _each(self, *measures: Callable[[], None]) -> None:
        for measure in measures:
            name = measure.__name__.strip("_")
            try:
                measure()
            except (OSError, StoreError) as error:
                self._health.box.measuring_failed.inc()
                if name not in self._failing:  # once, not every 15 s
                    self._failing.add(name)
                    _log.warning("not measured", what=name, why=str(error))
            else:
                self._failing.discard(name)

    def _disks(self) -> None:
        """Space, and whether records and store can be written at all."""
        record, wrong = self._config.record, ""
        places = {
            "records": record.folder, "store": record.store.parent,
            "cache": self._config.speaking.cache, "backups": self._config.backup.folder,
        }  # fmt: skip
        for name, folder in places.items():
            found = os.statvfs(_there(folder))
            free = found.f_bavail * found.f_frsize
            self._health.box.disk_free.labels(name).set(free)
            self._health.box.disk_size.labels(name).set(found.f_blocks * found.f_frsize)
            if name in ("records", "store"):
                if found.f_flag & os.ST_RDONLY:
                    wrong = f"the disk of the {name} can only be read"
                elif free < self._config.health.min_free_mb * _MIB:
                    wrong = f"{free // _MIB} MiB are free for the {name}"
        self._health.readiness.set("disk_full", wrong)

    def _store(self) -> None:
        path = self._config.record.store
        parts = (path, path.with_name(f"{path.name}-wal"))
        self._health.box.store_size.set(sum(part.stat().st_size for part in parts if part.exists()))

    def _notifications(self) -> None:
        counts = self._outbox.counts()
        for standing in Standing:
            self._health.box.outbox.labels(standing.value).set(counts.get(standing, 0))
        oldest = self._outbox.oldest_waiting()
        age = (self._clock.now() - oldest).total_seconds() if oldest else 0.0
        self._health.box.outbox_age.set(max(0.0, age))

    def _backups(self) -> None:
        found = backups(self._config.backup.folder)
        age = (self._clock.now() - found[-1].written).total_seconds() if found else math.inf
        self._health.box.backup_age.set(max(0.0, age))


def _there(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next(each for each in (folder, *folder.absolute().parents) if each.exists())
