"""The tools of the booking flow that read and write the calendar.

    lookup_caller   number ──> known (name, address, zip) | unknown
    book_service    preferred time ──> booked (date, time) | full

What they need of the store are the small protocols here; `session.toolbox` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal, Protocol

import structlog

from appliance.actions.tools import FAILED, Claim, Request, Result

KNOWN = "known"
UNKNOWN = "unknown"
BOOKED = "booked"
FULL = "full"

_log = structlog.get_logger()


class Caller(Protocol):
    """What is known of a caller; empty where it is not."""

    @property
    def name(self) -> str:
        """How the customer is called."""
        ...

    @property
    def address(self) -> str:
        """Street and number."""
        ...

    @property
    def zip(self) -> str:
        """Five digits."""
        ...


class CallerBook(Protocol):
    """Who has called before: `store.customers.Customers`."""

    def find(self, number: str) -> Caller | None:
        """Who calls from this number. Raises StoreError."""
        ...


class Appointment(Protocol):
    """When somebody comes; local time without a zone."""

    @property
    def begins(self) -> datetime:
        """Begin of the window."""
        ...


class Appointments(Protocol):
    """The calendar: `store.calendar_bookings.Bookings`."""

    def book(
        self, asked: Request, wanted: Callable[[], bool]
    ) -> Appointment | Literal["full", "withdrawn"]:
        """Book what the request prefers, if `wanted` still says so right before it is lasting.

        Raises ValueError for a preferred time that it cannot read, and StoreError.
        """
        ...


class LookUpCaller:
    """`lookup_caller`: who calls, by number."""

    def __init__(self, callers: CallerBook) -> None:
        self._callers = callers

    def __call__(self, request: Request, claim: Claim) -> Result:  # noqa: ARG002 (it only reads)
        """See `Tool`; gives those of the facts name, address and zip that are known."""
        caller = self._callers.find(request.number)
        if caller is None:
            return Result(UNKNOWN)
        facts = {"name": caller.name, "address": caller.address, "zip": caller.zip}
        return Result(KNOWN, {name: value for name, value in facts.items() if value})


class BookService:
    """`book_service`: a window of the calendar that fits, or none."""

    def __init__(self, appointments: Appointments) -> None:
        self._appointments = appointments

    def __call__(self, request: Request, claim: Claim) -> Result:
        """See `Tool`. Nothing is booked that the caller has not confirmed, or no longer hears of.

        A time that cannot be read is a mistake of the flow: it has failed, and is reported.
        """
        if request.args.get("confirmed") != "true":
            _log.error("booking without consent refused", call=request.call, key=request.key)
            return Result(FAILED)
        try:
            made = self._appointments.book(request, claim.take)
        except ValueError:
            _log.error("preferred time not understood", call=request.call, key=request.key)
            return Result(FAILED)
        if made == "full":
            return Result(FULL)
        if isinstance(made, str):
            return Result(FAILED)
        booked = {"booked_date": f"{made.begins:%Y-%m-%d}", "booked_time": f"{made.begins:%H:%M}"}
        return Result(BOOKED, booked)
