"""The check of the campaign flow: the day on which a caller wants to be called again."""

from __future__ import annotations

from enum import StrEnum

from appliance.dialogue.calendar import resolve
from appliance.dialogue.checks import Check, CheckInput, CheckResult


class Callback(StrEnum):
    """Whether a day was named."""

    DAY = "day"
    NONE = "none"


def read_callback(given: CheckInput) -> CheckResult:
    """Read the day to call back on. Any day from today counts; it is read back to the caller."""
    found = resolve(given.understanding.slots.get("date", ""), given.now.date())
    if found.day is None or found.day < given.now.date():
        return CheckResult(Callback.NONE)
    return CheckResult(Callback.DAY, {"callback_date": found.day.isoformat()})


CHECKS = (
    Check("read_callback", Callback, read_callback, produces={Callback.DAY: ("callback_date",)}),
)
