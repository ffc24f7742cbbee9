"""The checks of the booking flow: where we work, what the caller told us, when he wants us to come.

They read what understanding found and put it with what is known. What the calendar makes of a
preferred time is not known here: a day that is full is the tool's to say.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from appliance.dialogue.calendar import resolve
from appliance.dialogue.checks import Check, CheckInput, CheckResult
from appliance.flows.booking.danger import is_hedged, names_sign
from appliance.flows.booking.details import (
    Confirmation,
    about_details,
    asks_price,
    intends,
    known_kind,
    told,
)
from appliance.flows.booking.problems import OTHER, kind_of, told_problem
from appliance.flows.booking.times import asks_for_times

ZIP_DIGITS = 5
SENTENCE_WORDS = 3
"""From so many words on, what was not understood may be the problem: "my gizmo wobbles"."""
SOONEST = "soonest"
_ANY = "any"
_PARTS = ("morning", "afternoon", "evening")
_NOT_SAID = {"day": Confirmation.UNCLEAR_DAY, "time": Confirmation.OTHER_TIME}
"""By what we asked for last, the same question again."""
_NOON_HOUR, _EVENING_HOUR = 12, 17


class Request(StrEnum):
    """Whether the caller said what is wrong, besides that somebody should come."""

    PROBLEM = "problem"
    NONE = "none"


class Sorting(StrEnum):
    """The problem's kind was found; it may be `other`."""

    SORTED = "sorted"


class Safety(StrEnum):
    """Whether an answer to the safety question leaves a doubt."""

    DOUBTFUL = "doubtful"
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


def note_problem(given: CheckInput) -> CheckResult:
    """Keep the words of a caller who opens with the problem, so that nobody asks for it again."""
    stated = {"trouble", "sales_request"} & intends(given)
    problem = told_problem(given.understanding.text) if stated else {}
    return CheckResult(Request.PROBLEM if problem else Request.NONE, problem)


def note_words(given: CheckInput) -> CheckResult:
    """Keep an opening that no rule knows, if it is a sentence; what is kept already is kept."""
    problem = told_problem(given.understanding.text)
    enough = len(problem.get("problem", "").split()) >= SENTENCE_WORDS
    if given.facts.get("problem") or not enough:
        return CheckResult(Request.NONE)
    return CheckResult(Request.PROBLEM, problem)


def sort_problem(given: CheckInput) -> CheckResult:
    """Find the kind of the problem, before the summary is said."""
    return CheckResult(Sorting.SORTED, {"problem_kind": known_kind(given)})


def read_safety(given: CheckInput) -> CheckResult:
    """Find the doubt in "no, but it smells weird"; a plain yes is left to its intent."""
    meant, text = intends(given), given.understanding.text
    hedged = is_hedged(text) and "trouble" not in meant  # "no, but my sink leaks" is a no
    doubtful = "affirmation" not in meant and (names_sign(text) or hedged)
    return CheckResult(Safety.DOUBTFUL if doubtful else Safety.NONE)


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
    found = told(given)
    says_else = not found or "trouble" in intends(given)  # an address alone is no problem
    text = "" if asks_price(given) else slots.get("text", "")
    if text and not given.facts.get("problem"):
        found |= told_problem(text) if says_else or kind_of(text) != OTHER else {}
    if "sales_request" in intends(given):
        return CheckResult(Details.LEAD, found)
    return CheckResult(Details.FOUND if found else Details.NONE, found)


def read_confirm(given: CheckInput) -> CheckResult:
    """Read a reply to the summary, to the question when, or to the last question before booking."""
    if "sales_request" in intends(given):
        return CheckResult(Confirmation.LEAD)
    if not given.facts.get("details_right"):
        return about_details(given)
    return _about_time(given)


def _about_time(given: CheckInput) -> CheckResult:
    wish = _wish(given)
    meant, asked = intends(given), bool(given.facts.get("preferred_time"))
    last_asked = given.facts.get("correcting")
    same = wish.facts.get("preferred_time") == given.facts.get("preferred_time")
    if wish.outcome is not Confirmation.NONE and not (same and "affirmation" in meant):
        return wish
    if asks_for_times(given.understanding.text):
        return CheckResult(Confirmation.WHICH_TIMES)
    if "affirmation" in meant and last_asked in ("day", "time"):  # a yes is no day
        return CheckResult(_NOT_SAID[str(last_asked)])
    if "affirmation" in meant:  # "yes, schedule me" without a time is the soonest
        return CheckResult(Confirmation.CONSENT) if asked else _soonest()
    if "negation" in meant and asked:
        # A second no is no to any time
        return CheckResult(
            Confirmation.NO_TIME if last_asked == "time" else Confirmation.OTHER_TIME
        )
    return CheckResult(Confirmation.NONE)


def _wish(given: CheckInput) -> CheckResult:
    """When somebody should come: as the tool reads it, and as it is read back."""
    slots, today = given.understanding.slots, given.now.date()
    clock = slots.get("time", "")
    if "soonest" in intends(given):
        return _soonest()
    if "date" in slots:
        day = resolve(slots["date"], today).day
        if day is None or day < today:
            return CheckResult(Confirmation.UNCLEAR_DAY)
        return _on(day, clock or _kept_clock(given))
    if not clock:
        return CheckResult(Confirmation.NONE)
    if clock == _ANY:
        return _soonest()
    part = clock if clock in _PARTS else _part_of(int(clock[:2]))
    return _wished(Confirmation.PART, part, part_of_day=part)


def _kept_clock(given: CheckInput) -> str:
    """The time of the wish so far: "no, make it Tuesday" changes the day alone."""
    kept = {"day_time": "preferred_clock", "day_part": "part_of_day", "part": "part_of_day"}
    return str(given.facts.get(kept.get(str(given.facts.get("wish")), ""), ""))


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


_WHO = ("address", "name")
_TOLD = ("problem", *_WHO)
CHECKS = (
    Check("note_problem", Request, note_problem, {Request.PROBLEM: ("problem",)}),
    Check("note_words", Request, note_words, {Request.PROBLEM: ("problem",)}),
    Check("sort_problem", Sorting, sort_problem, {Sorting.SORTED: ("problem_kind",)}),
    Check("read_safety", Safety, read_safety),
    Check("read_zip", Zip, read_zip, {Zip.GIVEN: ("zip",)}),
    Check("in_area", Area, in_area),
    Check("collect", Details, collect, may_produce={Details.FOUND: _TOLD, Details.LEAD: _TOLD}),
    Check(
        "read_confirm",
        Confirmation,
        read_confirm,
        {
            Confirmation.OTHER_PROBLEM: ("problem",),
            Confirmation.SOONEST: ("preferred_time",),
            Confirmation.DAY: ("preferred_time", "preferred_day"),
            Confirmation.DAY_TIME: ("preferred_time", "preferred_day", "preferred_clock"),
            Confirmation.DAY_PART: ("preferred_time", "preferred_day", "part_of_day"),
            Confirmation.PART: ("preferred_time", "part_of_day"),
        },
        {Confirmation.CORRECTED: _WHO, Confirmation.OTHER_PROBLEM: _WHO},
    ),
)
