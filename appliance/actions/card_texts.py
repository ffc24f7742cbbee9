"""The sentences that cards are made of: approved, with places for what the call learned.

Nothing on a card is composed by a model. A test goes through every combination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum


class BookingStatus(StrEnum):
    """What became of the booking."""

    CONFIRMED = "confirmed"
    ATTEMPTED_FAILED = "attempted_failed"
    NOT_REQUESTED = "not_requested"


class Callback(StrEnum):
    """Whether somebody has to call back, and who found that."""

    NONE = "none"
    REQUESTED = "requested"
    INFERRED = "inferred"


_ENDINGS = {
    "safety_emergency": "Emergency: told to call 911",
    "out_of_area": "Outside the service area",
    "interrupted": "The call was cut off",
}
_BOOKINGS = {
    BookingStatus.CONFIRMED: "Somebody comes on {when}.",
    BookingStatus.ATTEMPTED_FAILED: "A booking was tried and could not be made.",
    BookingStatus.NOT_REQUESTED: "No booking was tried.",
}
_CALLBACKS = {
    Callback.NONE: "There is no callback to make.",
    Callback.REQUESTED: "Please call back ({kind}). {reason}",
    Callback.INFERRED: "Please call back ({kind}); this was added after the call. {reason}",
}
REASONS = {
    "interrupted": "The call was cut off by a fault.",
    "failed": "The booking could not be made.",
    "hung_up": "The caller hung up before everything was settled.",
    "ended": "The call ended without a booking or a callback.",
}


def headline(
    status: BookingStatus,
    callback: Callback,
    kind: str,
    begins: datetime | None,
    outcome: str,
    about: str = "",
) -> str:
    """One line: the most urgent thing first.

    Args:
        status: what became of the booking.
        callback: whether there is one to make.
        kind: its callback_type.
        begins: of the window that is booked, if one is.
        outcome: how the call ended.
        about: the problem's kind, "" if it is not known.
    """
    line = _urgent(status, callback, kind, begins, outcome)
    return f"{line} ({plain(about)})" if about else line


def _urgent(
    status: BookingStatus, callback: Callback, kind: str, begins: datetime | None, outcome: str
) -> str:
    if begins is not None:
        return f"Booked: {begins:%a %d %b, %H:%M}"
    if callback is not Callback.NONE:
        what = plain(kind) if status is BookingStatus.NOT_REQUESTED else "booking failed"
        return f"Call back: {what}"
    if status is BookingStatus.ATTEMPTED_FAILED:
        return "Booking failed, and nobody can be called back"
    return _ENDINGS.get(outcome, f"Ended: {plain(outcome)}")


def summary(
    known: Mapping[str, str],
    missing: Sequence[str],
    status: BookingStatus,
    window: tuple[datetime, datetime] | None,
    callback: tuple[Callback, str, str],
) -> str:
    """A few sentences.

    Args:
        known: what the call learned, by name.
        missing: what it did not.
        status: what became of the booking.
        window: its begin and end, if there is one.
        callback: whether there is one, its callback_type and its reason.
    """
    who, number = known.get("name") or "A caller", known.get("number")
    said = [f"{who} called from {number}." if number else f"{who} called without a number."]
    said.append(f"It is about: {_sentence(known['problem'])}" if known.get("problem")
                else "What it is about is not known.")  # fmt: skip
    when = f"{window[0]:%A, %d %B, %H:%M} to {window[1]:%H:%M}" if window else "a day not known"
    said.append(_BOOKINGS[status].format(when=when))
    is_wanted, kind, reason = callback
    said.append(_CALLBACKS[is_wanted].format(kind=plain(kind), reason=_sentence(reason)).strip())
    if missing:
        said.append(f"Not known: {', '.join(plain(name) for name in missing)}.")
    return " ".join(said)


def plain(name: str) -> str:
    """A name of the flow as words."""
    return name.replace("_", " ")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if not text or text[-1] in ".!?" else f"{text}."
