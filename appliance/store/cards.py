"""One card for each call: what became of it, at a glance, for the operator.

What is on a card is decided by who writes it (`actions.booking_card`); it is personal. A card that
is written again takes the place of the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, String, select
from sqlalchemy.orm import Mapped, mapped_column

from appliance.store.database import Base, Database
from appliance.store.instants import Instant


class CardRow(Base):
    """The card of a call."""

    __tablename__ = "cards"

    call: Mapped[str] = mapped_column(String(64), primary_key=True)
    at: Mapped[datetime] = mapped_column(Instant, index=True)
    card: Mapped[dict[str, Any]] = mapped_column(JSON)


class Cards:
    """The table of cards; every method is one transaction. Blocking."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.prepare(CardRow)

    def put(self, call: str, at: datetime, card: Mapping[str, Any]) -> None:
        """Write the card of a call that began then.

        Raises:
            StoreError: it could not be written.
        """
        with self._database.writing() as session:
            session.merge(CardRow(call=call, at=at, card=dict(card)))

    def find(self, call: str) -> Mapping[str, Any] | None:
        """The card of a call, if there is one."""
        with self._database.reading() as session:
            row = session.get(CardRow, call)
            return None if row is None else row.card

    def latest(self, count: int) -> list[tuple[str, datetime, Mapping[str, Any]]]:
        """The cards of the last calls, the latest first: call, when it began, card."""
        with self._database.reading() as session:
            rows = session.scalars(select(CardRow).order_by(CardRow.at.desc()).limit(count))
            return [(row.call, row.at, row.card) for row in rows]
