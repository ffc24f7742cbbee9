"""Which conversations of the box's own helpdesk a list shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, or_, select

from appliance.conversations import HANDED_OVER, STATUS
from appliance.store.conversation_rows import ConversationRow

_STATUS = func.json_extract(ConversationRow.attributes, f"$.{STATUS}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a list is to show; None is either.

    `status` is the value of the agent's attribute; `after` the id that the list goes on from.
    """

    is_open: bool | None = None
    is_snoozed: bool | None = None
    status: str | None = None
    updated_since: datetime | None = None
    after: int = 0
    limit: int = 50


def chosen(wanted: Wanted, now: datetime) -> Select[ConversationRow]:
    """The rows of a list, by their ids."""
    rows = select(ConversationRow).where(ConversationRow.id > wanted.after)
    if wanted.is_open is not None:
        rows = rows.where(ConversationRow.closed.is_not(wanted.is_open))
    if wanted.is_snoozed is True:
        rows = rows.where(ConversationRow.snoozed_until > now)
    if wanted.is_snoozed is False:
        until = ConversationRow.snoozed_until
        rows = rows.where(or_(until.is_(None), until <= now))
    if wanted.status is not None:
        rows = rows.where(_STATUS.is_(wanted.status))
    if wanted.updated_since is not None:
        rows = rows.where(ConversationRow.updated >= wanted.updated_since)
    return rows.order_by(ConversationRow.id).limit(wanted.limit)


def for_the_agent() -> Select[int, int | None]:
    """Conversations with a message that the agent is to answer, and that message."""
    return (
        select(ConversationRow.id, ConversationRow.waiting)
        .where(
            ConversationRow.waiting.is_not(None),
            ConversationRow.closed.is_(False),
            or_(_STATUS.is_(None), _STATUS.not_in(sorted(HANDED_OVER))),
        )
        .order_by(ConversationRow.waiting)
    )
