"""One summary for each call: who handed over to whom with which note, and what to take away.

What it holds is decided by who writes it (`actions.summary`); it is personal. A summary that is
written again takes the place of the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, String
from sqlalchemy.orm import Mapped, mapped_column

from appliance.store.database import Base, Database
from appliance.store.instants import Instant


class SummaryRow(Base):
    """The summary of a call."""

    __tablename__ = "summaries"

    call: Mapped[str] = mapped_column(String(64), primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant, index=True)
    summary: Mapped[dict[str, Any]] = mapped_column(JSON)


class Summaries:
    """The table of summaries; every method is one transaction. Blocking."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.prepare(SummaryRow)

    def put(self, call: str, at: datetime, summary: Mapping[str, Any]) -> None:
        """Write the summary of a call that began then.

        Raises:
            StoreError: it could not be written.
        """
        with self._database.writing() as session:
            session.merge(SummaryRow(call=call, at=at, summary=dict(summary)))

    def find(self, call: str) -> Mapping[str, Any] | None:
        """The summary of a call, if there is one.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._database.reading() as session:
            row = session.get(SummaryRow, call)
            return None if row is None else row.summary
