"""What is still owed to a person: rows that neither retention nor an erasure may take.

    a callback that nobody has made, a notification on its way, an appointment ahead, a message
    that waits for its answer

Each condition is the database's own, so that it is looked at again in the transaction that deletes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CursorResult,
    Result,
    and_,
    delete,
    false,
    func,
    inspect,
    not_,
    or_,
    tuple_,
)
from sqlalchemy.orm import Session

from appliance.conversations import HANDED_OVER, STATUS
from appliance.store.calendar_bookings import BookingRow
from appliance.store.conversation_rows import ConversationRow, MessageRow
from appliance.store.database import Base
from appliance.store.outbox import NoticeRow, Standing
from appliance.store.requests import RequestRow
from appliance.store.text_runs import Stage, TextRunRow

BATCH = 200
"""Rows that are deleted at once: the agent waits a second at most for the write lock."""

_STATUS = func.coalesce(func.json_extract(ConversationRow.attributes, f"$.{STATUS}"), "")
_WAITING = or_(
    ConversationRow.waiting.is_not(None),
    and_(ConversationRow.closed.is_(False), _STATUS.in_(sorted(HANDED_OVER))),
)


def is_owed(table: type[Base], now: datetime) -> ColumnElement[bool]:
    """Whether a row of a table is still owed; false for tables in which nothing is."""
    if table is RequestRow:
        return RequestRow.closed.is_(None)
    if table is NoticeRow:
        return NoticeRow.standing == Standing.WAITING
    if table is BookingRow:
        return and_(BookingRow.day >= now.date(), BookingRow.cancelled.is_(None))
    if table is ConversationRow:
        return _WAITING
    if table is TextRunRow:
        return TextRunRow.stage != Stage.DONE
    return false()


def remove_rows(
    session: Session, table: type[Base], keys: Sequence[tuple[Any, ...]], now: datetime
) -> int:
    """Delete rows by their primary keys, but for what is owed by now; returns how many.

    With a conversation go its messages. Not more than `BATCH` at once.
    """
    assert len(keys) <= BATCH
    columns = inspect(table).primary_key
    chosen = and_(tuple_(*columns).in_(keys), not_(is_owed(table, now)))
    if table is ConversationRow:
        ids = [row_id for (row_id,) in session.query(ConversationRow.id).where(chosen)]
        session.execute(delete(MessageRow).where(MessageRow.conversation.in_(ids)))
        chosen = ConversationRow.id.in_(ids)
    return count_of(session.execute(delete(table).where(chosen)))


def count_of(done: Result[Any]) -> int:
    """How many rows a statement has changed."""
    assert isinstance(done, CursorResult)
    return int(done.rowcount)
