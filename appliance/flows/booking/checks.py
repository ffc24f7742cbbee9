"""The checks of the booking flow: where we work, what the caller told us, when he wants us to come.

They read what understanding found and put it with what is known. What the calendar makes of a
preferred time is not known here: a day that is full is the tool's to say.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from appliance.dialogue.calendar import resolve
from appliance.dialogue.checks import CONFIDENT, Check, CheckInput, CheckResult

ZIP_DIGITS = 5
SOONEST = "soonest"
_ANY = "any"
_PARTS = ("morning", "afternoon", "evening")
_NOON_HOUR, _EVENING_HOUR = 12, 17


class Request(StrEnum):
    """Whether the caller said what is wrong, besides that somebody should come."""

    PROBLEM = "problem"
    NONE = "none"


class Zip(StrEnum):
    """What the digits came to."""

    GIVEN = "given"
    INCOMPLETE = "incomplete"
    NONE = "none"


class Area(StrEnum):
    """Whether a ZIP is served."""

    SERVED = "served"
    OUTSIDE = "outside"


class Details(StrEnum):
    """Whether a reply told something that was missing; `lead` if it is about a new system."""

    FOUND = "found"
    LEAD = "lead"
    NONE = "none"


class Confirmation(StrEnum):
    """What a reply in `confirm` settles. Which yes it is depends on what is settled already."""

    DETAILS = "details"
    CONSENT = "consent"
    SOONEST = "soonest"
    DAY = "day"
    DAY_TIME = "day_time"
    DAY_PART = "day_part"
    PART = "part"
    UNCLEAR_DAY = "unclear_day"
    LEAD = "lead"
    CORRECTED = "corrected"
    WRONG_DETAILS = "wrong_details"
    OTHER_TIME = "other_time"
    NONE = "none"


def note_problem(given: CheckInput) -> CheckResult:
    """Keep the words of a caller who opens with the problem, so that nobody asks for it again."""
    if {"trouble", "sales_request"} & _intends(given) and given.understanding.text.strip():
        return CheckResult(Request.PROBLEM, {"problem": given.understanding.text.strip()})
    return CheckResult(Request.NONE)


def read_zip(given: CheckInput) -> CheckResult:
    """Read five digits, said or typed; of nine (ZIP plus four) the first five."""
    said = given.typed or given.understanding.slots.get("digits", "")
    digits = "".join(character for character in said if character.isdigit())
    if not digits:
        return CheckResult(Zip.NONE)
    if len(digits) not in (ZIP_DIGITS, ZIP_DIGITS + 4):
        return CheckResult(Zip.INCOMPLETE)
    return CheckResult(Zip.GIVEN, {"zip": digits[:ZIP_DIGITS]})


def in_area(given: CheckInput) -> CheckResult:
    """Compare the ZIP, told or known from before, with those of the account."""
    served = str(given.account["service_zips"]).split()
    return CheckResult(Area.SERVED if given.facts.get("zip") in served else Area.OUTSIDE)


def collect(given: CheckInput) -> CheckResult:
    """Read problem, address and name: what was asked for, and what is told beside it."""
    slots = given.understanding.slots
    found = _told(given)
    if not given.facts.get("problem") and "text" in slots:
        found["problem"] = slots["text"]
    if "sales_request" in _intends(given):
        return CheckResult(Details.LEAD, found)
    return CheckResult(Details.FOUND if found else Details.NONE, found)


def read_confirm(given: CheckInput) -> CheckResult:
    """Read a reply to the summary, to the question when, or to the last question before booking."""
    if "sales_request" in _intends(given):
        return CheckResult(Confirmation.LEAD)
    if not given.facts.get("details_right"):
        return _about_details(given)
    return _about_time(given)


def _told(given: CheckInput) -> dict[str, str]:
    """The address and the name in a reply."""
    slots = given.understanding.slots.items()
    return {slot: said for slot, said in slots if slot in ("address", "name")}


def _about_details(given: CheckInput) -> CheckResult:
    changed = _told(given)
    if "trouble" in _intends(given):
        changed["problem"] = given.understanding.text.strip()
    if changed:
        return CheckResult(Confirmation.CORRECTED, changed)
    if "affirmation" in _intends(given):
        return CheckResult(Confirmation.DETAILS)
    denied = "negation" in _intends(given)
    return CheckResult(Confirmation.WRONG_DETAILS if denied else Confirmation.NONE)


def _about_time(given: CheckInput) -> CheckResult:
    wish = _wish(given)
    intends, asked = _intends(given), bool(given.facts.get("preferred_time"))
    same = wish.facts.get("preferred_time") == given.facts.get("preferred_time")
    if wish.outcome is not Confirmation.NONE and not (same and "affirmation" in intends):
        return wish
    if "affirmation" in intends:  # "yes, schedule me" without a time is the soonest
        return CheckResult(Confirmation.CONSENT) if asked else _soonest()
    if "negation" in intends and asked:
        return CheckResult(Confirmation.OTHER_TIME)
    return CheckResult(Confirmation.NONE)


def _wish(given: CheckInput) -> CheckResult:
    """When somebody should come: as the tool reads it, and as it is read back."""
    slots, today = given.understanding.slots, given.now.date()
    clock = slots.get("time", "")
    if "soonest" in _intends(given):
        return _soonest()
    if "date" in slots:
        day = resolve(slots["date"], today).day
        if day is None or day < today:
            return CheckResult(Confirmation.UNCLEAR_DAY)
        return _on(day, clock)
    if not clock:
        return CheckResult(Confirmation.NONE)
    if clock == _ANY:
        return _soonest()
    part = clock if clock in _PARTS else _part_of(int(clock[:2]))
    return _wished(Confirmation.PART, part, part_of_day=part)


def _on(day: date, clock: str) -> CheckResult:
    on = day.isoformat()
    if clock in _PARTS:
        facts = {"preferred_day": on, "part_of_day": clock}
        return _wished(Confirmation.DAY_PART, f"{on} {clock}", **facts)
    if clock and clock != _ANY:
        facts = {"preferred_day": on, "preferred_clock": clock}
        return _wished(Confirmation.DAY_TIME, f"{on} {clock}", **facts)
    return _wished(Confirmation.DAY, on, preferred_day=on)


def _soonest() -> CheckResult:
    return _wished(Confirmation.SOONEST, SOONEST)


def _wished(outcome: Confirmation, preferred_time: str, **facts: str) -> CheckResult:
    return CheckResult(outcome, {"preferred_time": preferred_time, **facts})


def _part_of(hour: int) -> str:
    """The part of the day of an hour that was named without a day."""
    if hour < _NOON_HOUR:
        return "morning"
    return "afternoon" if hour < _EVENING_HOUR else "evening"


def _intends(given: CheckInput) -> set[str]:
    """The intents that count."""
    return {each.name for each in given.understanding.intents if each.confidence >= CONFIDENT}


_TOLD = ("problem", "address", "name")
CHECKS = (
    Check("note_problem", Request, note_problem, {Request.PROBLEM: ("problem",)}),
    Check("read_zip", Zip, read_zip, {Zip.GIVEN: ("zip",)}),
    Check("in_area", Area, in_area),
    Check("collect", Details, collect, may_produce={Details.FOUND: _TOLD, Details.LEAD: _TOLD}),
    Check(
        "read_confirm",
        Confirmation,
        read_confirm,
        {
            Confirmation.SOONEST: ("preferred_time",),
            Confirmation.DAY: ("preferred_time", "preferred_day"),
            Confirmation.DAY_TIME: ("preferred_time", "preferred_day", "preferred_clock"),
            Confirmation.DAY_PART: ("preferred_time", "preferred_day", "part_of_day"),
            Confirmation.PART: ("preferred_time", "part_of_day"),
        },
        {Confirmation.CORRECTED: _TOLD},
    ),
)
