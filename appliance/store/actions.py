"""What was done on behalf of calls: promises, callbacks, stop requests, escalations.

One table. The idempotency key is its primary key, so an action that is delivered twice (a
retry after a crash) is done once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import JSON, DateTime, String, create_engine, event, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from appliance.errors import StoreError

_LOCKED_S = 1.0  # how long to wait for another process that writes


class _Base(DeclarativeBase):
    pass


class ActionRow(_Base):
    """One action of one call, done exactly once."""

    __tablename__ = "actions"

    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    call: Mapped[str] = mapped_column(String(64), index=True)
    name: Mapped[str] = mapped_column(String(64), index=True)
    account: Mapped[str] = mapped_column(String(64), index=True)
    args: Mapped[dict[str, Any]] = mapped_column(JSON)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class ActionStore:
    """SQLite in WAL mode; every method is one transaction. Not for the event loop: blocking."""

    def __init__(self, path: Path) -> None:
        """Open or create the database.

        Raises:
            StoreError: it cannot be opened or is no database of ours.
        """
        self._path = path
        with self._errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._engine = create_engine(
                f"sqlite:///{path}",
                hide_parameters=True,  # an error's text is logged; the rows are personal
                connect_args={"timeout": _LOCKED_S},
            )
            event.listen(self._engine, "connect", _durable)
            _Base.metadata.create_all(self._engine)

    def add(
        self, *, key: str, call: str, name: str, account: str, args: dict[str, Any], at: datetime
    ) -> bool:
        """Store an action; False if its key is there already (it was done before).

        Raises:
            StoreError: it could not be stored.
        """
        row = ActionRow(key=key, call=call, name=name, account=account, args=args, at=at)
        with self._errors():
            try:
                with Session(self._engine) as session, session.begin():
                    session.add(row)
            except IntegrityError:
                return False
        return True

    def of_call(self, call: str) -> list[Mapping[str, Any]]:
        """The actions of a call in the order they were done: key, name, args, at."""
        with self._errors(), Session(self._engine) as session:
            rows = session.scalars(
                select(ActionRow).where(ActionRow.call == call).order_by(ActionRow.at)
            )
            return [
                {"key": row.key, "name": row.name, "args": row.args, "at": row.at} for row in rows
            ]

    def close(self) -> None:
        """Release the database."""
        self._engine.dispose()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            raise StoreError(f"store {self._path}: {error}") from error


def _durable(connection: Any, _record: object) -> None:
    """WAL with a sync at each commit: a power cut loses no committed action."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
