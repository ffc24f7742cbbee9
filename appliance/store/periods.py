"""What stays how long: the policy of every table of the box, and of the files of calls.

Every table is named here, in `PERIODS`, `WITH` or `FOR_GOOD`; a test fails for one that is not.
`retention` acts by it; what is owed stays however old it is (`owing`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, or_

from appliance.sections import RetentionConfig
from appliance.store.actions import ActionRow
from appliance.store.calendar_bookings import BookingRow
from appliance.store.conversation_rows import ConversationRow, MessageRow
from appliance.store.customers import CustomerRow
from appliance.store.database import Base
from appliance.store.outbox import NoticeRow, Standing
from appliance.store.papers import PaperRow
from appliance.store.requests import RequestRow
from appliance.store.text_runs import TextRunRow


@dataclass(frozen=True, slots=True)
class Period:
    """How long the rows of a table stay: so many days from a moment of their own."""

    days: Callable[[RetentionConfig], int]
    since: Callable[[datetime], ColumnElement[bool]]
    """Whether a row's moment is before another one."""


PERIODS: Mapping[type[Base], Period] = {
    RequestRow: Period(lambda c: c.requests_days, lambda before: RequestRow.closed < before),
    BookingRow: Period(lambda c: c.bookings_days, lambda before: and_(
        BookingRow.day < before.date(), BookingRow.at < before)),
    NoticeRow: Period(lambda c: c.outbox_days, lambda before: or_(
        NoticeRow.settled < before,
        and_(NoticeRow.standing == Standing.KEPT, NoticeRow.at < before))),
    ConversationRow: Period(
        lambda c: c.conversations_days, lambda before: ConversationRow.updated < before),
    TextRunRow: Period(lambda c: c.conversations_days, lambda before: TextRunRow.at < before),
    CustomerRow: Period(lambda c: c.customers_days, lambda before: CustomerRow.seen < before),
}  # fmt: skip
"""Tables whose rows have an age of their own."""

WITH: Mapping[type[Base], str] = {
    ActionRow: "the files of its call",
    PaperRow: "the files of its call",
    MessageRow: "its conversation",
}
"""Tables whose rows go with something else."""

FOR_GOOD: Mapping[str, str] = {
    "calendar_hours": "the operator's own settings",
    "calendar_closed": "the operator's own settings",
    "calendar_rules": "the operator's own settings",
    "campaigns": "the operator's own settings",
    "documents": "the operator's own documents",
    "passages": "the operator's own documents",
    "documents_state": "the operator's own documents",
    "stops": "binds for good: a person who asked for no calls is not called again",
    "sweeps": "shows that and when something was removed, not of whom",
    "erasures": "shows that and when somebody was erased, without naming him",
}
"""Tables that nothing is removed from, and why."""
