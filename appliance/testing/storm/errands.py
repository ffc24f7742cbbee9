"""What the callers of a storm want, and by which words they know that they were given it.

Every errand ends with something that is stored. Some are short, so that many come through between
two kills; some are long, so that many are cut off on their way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from appliance.testing.dialogue_script import SCRIPTS

STOP = "mark_do_not_contact"
PROMISE = "create_promise_to_pay"
DAY = "schedule_callback"
CALLBACK = "create_callback_request"
LEAD = "send_sales_lead_alert"
VISIT = "book_service"
RESULT = "record_result"


@dataclass(frozen=True, slots=True)
class Errand:
    """What one caller wants.

    Attributes:
        script: name of its script in `scripts/storm`.
        tool: what the flow calls for it.
        words: any of these, in what he heard at the end, says that it was done; as the box's own
            recognizer hears its voice, and in no prompt that says the contrary.
    """

    script: str
    tool: str
    words: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The script's file."""
        return SCRIPTS / "storm" / f"{self.script}.yaml"


ERRANDS: Mapping[str, tuple[Errand, ...]] = {
    "collections": (
        Errand("collections_stop", STOP, ("i understand",)),
        Errand("collections_callback", DAY, ("call you again",)),
        Errand("collections_promise", PROMISE, ("your payment of",)),
    ),
    "booking": (
        Errand("booking_callback", CALLBACK, ("call you back", "left a note")),
        Errand("booking_stop", STOP, ("i understand",)),
        Errand("booking_visit", VISIT, ("your book", "you're book")),
    ),
    "campaign": (
        Errand("campaign_yes", RESULT, ("down for",)),
        Errand("campaign_callback", DAY, ("call you again",)),
        Errand("campaign_person", CALLBACK, ("call you back",)),
    ),
}
"""By the flow that is called."""

CONFIRMING: Mapping[tuple[str, str], str] = {
    ("collections", "promise_set"): PROMISE,
    ("collections", "callback_set"): DAY,
    ("collections", "nobody_free"): DAY,
    ("collections", "stop_ack"): STOP,
    ("collections", "stop_passed_on"): STOP,
    ("booking", "booked"): VISIT,
    ("booking", "callback_promised"): CALLBACK,
    ("booking", "note_left"): CALLBACK,
    ("booking", "stop_ack"): STOP,
    ("campaign", "noted"): RESULT,
    ("campaign", "callback_on_day"): DAY,
    ("campaign", "colleague_calls_back"): CALLBACK,
    ("campaign", "callback_noted"): CALLBACK,
    ("campaign", "stop_ack"): STOP,
    ("campaign", "stop_passed_on"): STOP,
}
"""Prompts that tell a caller that something is kept, by flow; which tool keeps it.

"Your request is in the record of this call" is among them: somebody must find it there."""
