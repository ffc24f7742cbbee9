"""Which tools and wrap-ups the box has, by the names that flows use.

    store (calendar, customers, …) ──> actions (tools on small protocols) ──> this mapping

`actions` and `store` do not know each other; here they are put together.
"""

from __future__ import annotations

from collections.abc import Mapping

from appliance.actions.booking import BookService, LookUpCaller
from appliance.actions.booking_card import BookingCard
from appliance.actions.requests import CALLBACK, LEAD, KeepRequest
from appliance.actions.summary import KeepSummary
from appliance.actions.tools import Tool
from appliance.actions.wrapup import WrapUp
from appliance.clock import Clock, SystemClock
from appliance.config import Config
from appliance.store.calendar import Calendar
from appliance.store.calendar_bookings import Bookings
from appliance.store.customers import Customers
from appliance.store.database import Database
from appliance.store.papers import CARD, SUMMARY, Papers
from appliance.store.requests import Requests

_CLOCK = SystemClock()


def tools(database: Database, config: Config) -> Mapping[str, Tool]:
    """The tools that the box has itself; what a flow calls beyond these is kept in the ledger.

    Raises:
        StoreError: their tables cannot be created.
    """
    Calendar(database)
    channels = config.notify.channels
    requests = Requests(database, channels)
    return {
        "lookup_caller": LookUpCaller(Customers(database)),
        "book_service": BookService(Bookings(database, channels)),
        "create_callback_request": KeepRequest(requests, CALLBACK),
        "send_sales_lead_alert": KeepRequest(requests, LEAD),
    }


def wrap_ups(database: Database, config: Config, clock: Clock = _CLOCK) -> Mapping[str, WrapUp]:
    """What the box can do after a call.

    Raises:
        StoreError: their tables cannot be created.
    """
    channels = config.notify.channels
    bookings, requests = Bookings(database, channels), Requests(database, channels)
    return {
        "booking_card": BookingCard(bookings, requests, Papers(database, CARD), clock),
        "call_summary": KeepSummary(Papers(database, SUMMARY)),
    }
