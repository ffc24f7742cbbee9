"""What a reply to the summary settles: that it is right, or what is put right, or what is wrong."""

from __future__ import annotations

from enum import StrEnum

from appliance.dialogue.checks import CONFIDENT, CheckInput, CheckResult
from appliance.flows.booking.corrections import (
    is_all_right,
    is_faulted,
    named_detail,
    told_name,
)
from appliance.flows.booking.problems import OTHER, kind_of, told_problem


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
    OTHER_PROBLEM = "other_problem"
    WRONG_DETAILS = "wrong_details"
    WRONG_NAME = "wrong_name"
    WRONG_ADDRESS = "wrong_address"
    WRONG_PROBLEM = "wrong_problem"
    OTHER_TIME = "other_time"
    NO_TIME = "no_time"
    WHICH_TIMES = "which_times"
    NONE = "none"


_CHANGED = {True: Confirmation.OTHER_PROBLEM, False: Confirmation.CORRECTED}
_WRONG = {
    "name": Confirmation.WRONG_NAME,
    "address": Confirmation.WRONG_ADDRESS,
    "problem": Confirmation.WRONG_PROBLEM,
}


def told(given: CheckInput) -> dict[str, str]:
    """The address and the name in a reply."""
    slots = given.understanding.slots.items()
    return {slot: said for slot, said in slots if slot in ("address", "name")}


def about_details(given: CheckInput) -> CheckResult:
    """Read what a caller says to the summary, or to a question for what is wrong in it."""
    text, correcting = given.understanding.text, str(given.facts.get("correcting") or "nothing")
    affirmed, denied = ({each} <= intends(given) for each in ("affirmation", "negation"))
    if changed := _changed(given, agrees=affirmed and not denied):
        return CheckResult(_CHANGED["problem" in changed], changed)
    doubted = denied or correcting == "which" or is_faulted(text)
    if doubted and (named := named_detail(text)):
        return CheckResult(_WRONG[named])
    if denied and kind_of(text) not in (OTHER, known_kind(given)):
        return CheckResult(Confirmation.OTHER_PROBLEM, told_problem(text))
    if is_all_right(text) and not denied and correcting != "nothing":
        return CheckResult(Confirmation.DETAILS)
    if affirmed and not denied and correcting == "nothing":
        return CheckResult(Confirmation.DETAILS)
    wrong = denied or affirmed or is_faulted(text)  # "yes" does not say what should be corrected
    return CheckResult(Confirmation.WRONG_DETAILS if wrong else Confirmation.NONE)


def _changed(given: CheckInput, *, agrees: bool) -> dict[str, str]:
    """What a reply puts in place of what was read; who agrees may repeat what is known."""
    changed, text = told(given), given.understanding.text
    which = given.facts.get("correcting") == "which" and kind_of(text) == OTHER
    if which and not changed and (name := told_name(text)):
        changed["name"] = name
    asked = given.facts.get("correcting") == "problem" and "text" in given.understanding.slots
    if "trouble" in intends(given) or (asked and not changed):
        changed |= told_problem(text)
    if not agrees or asked:
        return changed
    if kind_of(changed.get("problem", "")) == known_kind(given):
        changed.pop("problem", None)
    return {name: said for name, said in changed.items() if said != given.facts.get(name)}


def known_kind(given: CheckInput) -> str:
    """The kind of the problem that is known; see `kind_of`."""
    return kind_of(str(given.facts.get("problem", "")))


def asks_price(given: CheckInput) -> bool:
    """Whether it is only the question what a visit costs, and no word of the problem."""
    meant = intends(given)
    told_more = meant & {"trouble", "service_request", "sales_request"}
    return bool(meant & {"creditor_question", "cost_question"}) and not told_more


def intends(given: CheckInput) -> set[str]:
    """The intents that count."""
    return {each.name for each in given.understanding.intents if each.confidence >= CONFIDENT}
