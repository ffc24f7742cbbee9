"""The wrap-up `booking_card`: nobody who needs something is forgotten, and the operator sees why.

    CallOver + what the store has of the call
        ├─ no booking, no callback, and somebody waits ──> a callback is inferred, with its notice
        └─ card: booking_status, scorecard, headline, summary

What counts is what is stored, not what the call believed: a booking that was committed a moment
before a crash is a booking. No callback is inferred

- where the flow settled it otherwise: an emergency that was sent to 911 (the document has no
  callback in that state, and nobody must wait for one), an address outside the area, somebody who
  wants no calls;
- where the caller said nothing that could be dealt with: a wrong number, silence, a hang-up;
- where there is neither a number nor an address.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from appliance.actions.booking import BOOKED
from appliance.actions.card_texts import REASONS, BookingStatus, Callback, headline, summary
from appliance.actions.settling import STOP
from appliance.actions.tools import Request
from appliance.actions.wrapup import CallOver, PaperBook
from appliance.clock import Clock
from appliance.flows.booking.problems import OTHER, kind_of

SCORED = ("problem", "name", "address", "zip", "preferred_time", "number")
"""What a complete request holds."""

SETTLED = ("safety_emergency", "out_of_area", "stop_request")
"""Outcomes after which nobody is called back."""

INTERRUPTED = "interrupted"
_BOOK = "book_service"
_ASKS = (_BOOK, "create_callback_request", "send_sales_lead_alert")
_STATED = ("problem", "callback_type", "reason")
_PASSED_ON = ("name", "address", "zip", "problem", "preferred_time", "urgency")


class Appointment(Protocol):
    """A booking: `store.calendar_bookings.Booking`."""

    @property
    def begins(self) -> datetime:
        """Begin of the window."""
        ...

    @property
    def ends(self) -> datetime:
        """End of the window."""
        ...

    @property
    def details(self) -> Mapping[str, str]:
        """What the caller said, by name."""
        ...


class Appointments(Protocol):
    """`store.calendar_bookings.Bookings`; may raise StoreError."""

    def of_call(self, call: str) -> Appointment | None:
        """The booking that a call made."""
        ...


class Asked(Protocol):
    """A callback that is stored: `store.requests.OpenRequest`."""

    @property
    def origin(self) -> str:
        """`call` or `inferred`."""
        ...

    @property
    def details(self) -> Mapping[str, str]:
        """What the caller said, by name."""
        ...


class CallbackBook(Protocol):
    """`store.requests.Requests`; may raise StoreError."""

    def callback_of(self, call: str) -> Asked | None:
        """The callback of a call, if it has one."""
        ...

    def infer_callback(self, asked: Request) -> bool:
        """Store one, with its notice, unless there is one."""
        ...


class BookingCard:
    """See the module. Running it again for the same call changes nothing."""

    def __init__(
        self, appointments: Appointments, callbacks: CallbackBook, cards: PaperBook, clock: Clock
    ) -> None:
        self._appointments, self._callbacks, self._cards = appointments, callbacks, cards
        self._clock = clock

    def __call__(self, over: CallOver) -> None:
        """See `WrapUp`.

        After a crash the call tells less than it did: a card that was written then stands. It is
        written last, so what belongs to it is stored, too.
        """
        if over.recovered and self._cards.find(over.call) is not None:
            return
        appointment = self._appointments.of_call(over.call)
        status = booking_status(over, appointment)
        callback = self._callbacks.callback_of(over.call)
        if callback is None and status is not BookingStatus.CONFIRMED and is_owed(over):
            self._callbacks.infer_callback(infer_callback(over, status, self._clock.now()))
            callback = self._callbacks.callback_of(over.call)
        self._cards.put(over.call, over.started, card_of(over, appointment, callback))


def booking_status(over: CallOver, appointment: Appointment | None) -> BookingStatus:
    """From what is stored, and from the outcomes of tools."""
    if appointment is not None or (_BOOK, BOOKED) in over.deeds:
        return BookingStatus.CONFIRMED
    if any(tool == _BOOK for tool, _ in over.deeds):
        return BookingStatus.ATTEMPTED_FAILED
    return BookingStatus.NOT_REQUESTED


def is_owed(over: CallOver) -> bool:
    """Whether somebody waits for a call, though neither a booking nor a callback is stored."""
    if over.outcome in SETTLED or over.facts.get("call_back") == "unwanted":
        return False
    if any(tool == STOP for tool, _ in over.deeds):  # all that a crash may have left of it
        return False
    if not (over.number or over.facts.get("address")):
        return False
    asked = any(tool in _ASKS for tool, _ in over.deeds)
    stated = any(over.facts.get(name) for name in _STATED)
    return asked or stated or over.outcome == INTERRUPTED


def infer_callback(over: CallOver, status: BookingStatus, now: datetime) -> Request:
    """The request that the call should have made; the same key for the same call."""
    known = {name: text for name in _PASSED_ON if (text := _text(over.facts, name))}
    kind = _text(over.facts, "callback_type") or _kind(over, status)
    reason = _text(over.facts, "reason") or REASONS[_why(over, status)]
    return Request(
        key=f"{over.call}:wrap_up:callback", call=over.call, tool="create_callback_request",
        args={"callback_type": kind, "reason": reason, **known}, at=now, number=over.number,
        flow=over.flow,
    )  # fmt: skip


def card_of(
    over: CallOver, appointment: Appointment | None, callback: Asked | None
) -> Mapping[str, Any]:
    """Everything that is on the card, as values for JSON."""
    status = booking_status(over, appointment)
    known = _known(over, appointment, callback)
    score = {name: bool(known.get(name)) for name in SCORED}
    missing = [name for name, is_known in score.items() if not is_known]
    details = callback.details if callback else {}
    wanted = Callback.NONE if callback is None else (
        Callback.INFERRED if callback.origin == "inferred" else Callback.REQUESTED
    )  # fmt: skip
    kind, reason = details.get("callback_type", "other"), details.get("reason", "")
    window = (appointment.begins, appointment.ends) if appointment else None
    return {
        "flow": over.flow,
        "outcome": over.outcome,
        "ended_by": over.ended_by,
        "number": over.number,
        "booking_status": status.value,
        "callback": wanted.value,
        "callback_type": kind if callback else "",
        "scorecard": score,
        "complete_percent": round(100 * (len(SCORED) - len(missing)) / len(SCORED)),
        "card_headline": headline(
            status, wanted, kind, window[0] if window else None, over.outcome, _about(over, known)
        ),
        "card_summary": summary(known, missing, status, window, (wanted, kind, reason)),
    }


def _known(
    over: CallOver, appointment: Appointment | None, callback: Asked | None
) -> dict[str, str]:
    """After a crash the call's own facts are gone, but what was stored is not."""
    known = {name: _text(over.facts, name) for name in SCORED} | {"number": over.number}
    for stored in (callback, appointment):
        for name, text in (stored.details if stored else {}).items():
            known[name] = text or known.get(name, "")
    return known


def _about(over: CallOver, known: Mapping[str, str]) -> str:
    """The kind of the problem; after a crash, or before the summary, from the caller's words."""
    kind = _text(over.facts, "problem_kind") or kind_of(known.get("problem", ""))
    return "" if kind == OTHER else kind


def _kind(over: CallOver, status: BookingStatus) -> str:
    if status is BookingStatus.ATTEMPTED_FAILED:
        return "booking_failed"
    return "service" if over.facts.get("problem") else "other"


def _why(over: CallOver, status: BookingStatus) -> str:
    if over.outcome == INTERRUPTED:
        return "interrupted"
    if status is BookingStatus.ATTEMPTED_FAILED:
        return "failed"
    return "hung_up" if over.ended_by == "peer" else "ended"


def _text(facts: Mapping[str, str | bool], name: str) -> str:
    value = facts.get(name, "")
    return value if isinstance(value, str) else ""
