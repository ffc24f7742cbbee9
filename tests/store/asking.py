"""Requests as calls make them, for tests of what the box keeps."""

from datetime import UTC, datetime

from appliance.actions.tools import Request

MONDAY = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
"""Before the first window; a week without holidays follows."""

PERSONAL = {
    "name": "Maria Lopez", "address": "12 Oak Street", "zip": "90210",
    "problem": "the furnace is out",
}  # fmt: skip


def ask(
    key: str = "c1:4:book_service", when: str = "soonest", *, number: str = "+13105550100",
    at: datetime = MONDAY, **args: str,
) -> Request:  # fmt: skip
    """A request of the call that the key begins with."""
    tool = key.rsplit(":", 1)[-1]
    given = {**PERSONAL, "preferred_time": when, "confirmed": "true", **args}
    return Request(
        key=key, call=key.split(":", maxsplit=1)[0], tool=tool, args=given, at=at, number=number
    )
