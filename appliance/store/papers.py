"""What is written of each call when it is over, one paper of a kind for each: JSON by call.

    CARD      what became of it at a glance       (actions.booking_card)
    SUMMARY   who handed over to whom, takeaways  (actions.summary)
    INQUIRY   what the status agent looked up and decided (actions.inquiry_record)

What a paper holds is decided by who writes it; it is personal. One that is written again takes the
place of the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, String, select
from sqlalchemy.orm import Mapped, mapped_column

from appliance.store.database import Base, Database
from appliance.store.instants import Instant

CARD = "card"
SUMMARY = "summary"
INQUIRY = "inquiry"


class PaperRow(Base):
    """A paper of a call."""

    __tablename__ = "papers"
    __table_args__ = (Index("papers_latest", "kind", "at"),)

    call: Mapped[str] = mapped_column(String(160), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant)
    content: Mapped[dict[str, Any]] = mapped_column(JSON)


class Papers:
    """The papers of one kind; every method is one transaction. Blocking."""

    def __init__(self, database: Database, kind: str) -> None:
        self._database, self._kind = database, kind
        database.prepare(PaperRow)

    def put(self, call: str, at: datetime, content: Mapping[str, Any]) -> None:
        """Write the paper of a call that began then.

        Raises:
            StoreError: it could not be written.
        """
        with self._database.writing() as session:
            session.merge(PaperRow(call=call, kind=self._kind, at=at, content=dict(content)))

    def find(self, call: str) -> Mapping[str, Any] | None:
        """The paper of a call, if there is one.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._database.reading() as session:
            row = session.get(PaperRow, (call, self._kind))
            return None if row is None else row.content

    def latest(self, count: int) -> list[tuple[str, datetime, Mapping[str, Any]]]:
        """Those of the last calls, the latest first: call, when it began, content."""
        wanted = select(PaperRow).where(PaperRow.kind == self._kind)
        with self._database.reading() as session:
            rows = session.scalars(wanted.order_by(PaperRow.at.desc()).limit(count))
            return [(row.call, row.at, row.content) for row in rows]
