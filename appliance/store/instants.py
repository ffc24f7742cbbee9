"""A moment as a column: kept as UTC, so that moments compare; read as local time.

SQLite keeps a date as text without its zone: at the end of summer time an hour would come twice.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime
from sqlalchemy.types import TypeDecorator


class Instant(TypeDecorator[datetime]):
    """A `datetime` with a zone."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: ARG002
        """To UTC.

        Raises:
            ValueError: it has no zone, so nobody knows when it is.
        """
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment needs its zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:  # noqa: ARG002
        """To the zone of the box."""
        return None if value is None else value.replace(tzinfo=UTC).astimezone()
