"""What each run of retention has removed, and when: for auditors, and against a wrong clock.

A clock that is years ahead would have everything removed at once. So a run that comes long after
the last sign of life of the box is refused, until somebody says that the clock is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from appliance.errors import StoreError
from appliance.store.call_files import call_days
from appliance.store.database import Base
from appliance.store.instants import Instant

LONGEST = timedelta(days=35)
"""Runs are nightly; a box that stood in a cupboard for longer has its clock looked at first."""


class SweepRow(Base):
    """One run; counts by kind."""

    __tablename__ = "sweeps"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant)
    removed: Mapped[dict[str, Any]] = mapped_column(JSON)


def assert_clock(session: Session, folder: Path, now: datetime) -> None:
    """Refuse a time that is long after the last run and the last call.

    Raises:
        StoreError: it is; names the remedy.
    """
    runs = session.scalars(select(func.max(SweepRow.at))).one()
    days = [datetime.combine(day, time()).astimezone() for day, _ in call_days(folder)]
    signs = [each for each in (runs, *days[-1:]) if each is not None]
    if signs and now - max(signs) > LONGEST:
        raise StoreError(
            f"retention: the clock says {now:%Y-%m-%d}, and the last sign of life is of "
            f"{max(signs):%Y-%m-%d}: a wrong clock would have everything removed. If it is right, "
            "run `appliance retention run --clock-is-right` once"
        )


def note_sweep(session: Session, now: datetime, removed: Mapping[str, int]) -> None:
    """Keep what a run has removed."""
    session.add(SweepRow(at=now, removed=dict(removed)))
