"""What was done on behalf of calls: promises, callbacks, stop requests, escalations.

One table. The idempotency key is its primary key, so an action that is delivered twice (a
retry after a crash) is done once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import JSON, DateTime, String, select
from sqlalchemy.orm import Mapped, mapped_column

from appliance.store.database import Base, Database


class Entry(Protocol):
    """What is kept of a request: see `actions.tools.Request`."""

    @property
    def key(self) -> str:
        """Names the action."""
        ...

    @property
    def call(self) -> str:
        """Key of the call."""
        ...

    @property
    def tool(self) -> str:
        """What was done."""
        ...

    @property
    def number(self) -> str:
        """The caller's; empty if unknown."""
        ...

    @property
    def account(self) -> str:
        """The operator's id of the account."""
        ...

    @property
    def args(self) -> Mapping[str, str]:
        """With what."""
        ...

    @property
    def at(self) -> datetime:
        """When."""
        ...


class ActionRow(Base):
    """One action of one call, done exactly once."""

    __tablename__ = "actions"

    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    call: Mapped[str] = mapped_column(String(64), index=True)
    name: Mapped[str] = mapped_column(String(64), index=True)
    account: Mapped[str] = mapped_column(String(64), index=True)
    number: Mapped[str] = mapped_column(String(32), index=True, server_default="")
    args: Mapped[dict[str, Any]] = mapped_column(JSON)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class ActionStore:
    """The table of actions; every method is one transaction. Blocking."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.prepare(ActionRow)

    def add(self, entry: Entry) -> bool:
        """Store an action; False if its key is there already (it was done before).

        Raises:
            StoreError: it could not be stored.
        """
        row = ActionRow(
            key=entry.key, call=entry.call, name=entry.tool, account=entry.account,
            number=entry.number, args=dict(entry.args), at=entry.at,
        )  # fmt: skip
        with self._database.writing() as session:
            if session.get(ActionRow, entry.key) is not None:
                return False
            session.add(row)
        return True

    def of_call(self, call: str) -> list[Mapping[str, Any]]:
        """The actions of a call in the order they were done: key, name, args, at."""
        with self._database.reading() as session:
            rows = session.scalars(
                select(ActionRow).where(ActionRow.call == call).order_by(ActionRow.at)
            )
            return [
                {"key": row.key, "name": row.name, "args": row.args, "at": row.at} for row in rows
            ]
