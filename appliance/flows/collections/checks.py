"""The checks of the collections flow: the ZIP gate, offers of payment, callbacks.

The only code that reads the expected ZIP. Facts hold none of the account's data: no ZIP, and for
the full balance or a share of it a word, such as `full` or `half`.
"""

from __future__ import annotations

import hmac
from enum import StrEnum

from appliance.dialogue.calendar import NO_DATE, DateOutcome, Resolution, resolve
from appliance.dialogue.checks import CONFIDENT, Check, CheckInput, CheckResult
from appliance.dialogue.speech import SHARES, parse_money, share_of

ZIP_DIGITS = 5
ZIP_PLUS_FOUR_DIGITS = 9


class Zip(StrEnum):
    """What the digits came to."""

    MATCH = "match"
    MISMATCH = "mismatch"
    INCOMPLETE = "incomplete"
    NONE = "none"


class Offer(StrEnum):
    """What is known of a promise after this reply."""

    COMPLETE = "complete"
    DATE = "date"
    AMOUNT = "amount"
    AMBIGUOUS = "ambiguous"
    VAGUE = "vague"
    OUTSIDE_MONTH = "outside_month"
    TOO_MUCH = "too_much"
    NONE = "none"


class Revision(StrEnum):
    """The reply to a promise that was read back."""

    CONFIRMED = "confirmed"
    COMPLETE = "complete"
    AMBIGUOUS = "ambiguous"
    VAGUE = "vague"
    OUTSIDE_MONTH = "outside_month"
    TOO_MUCH = "too_much"
    NONE = "none"


class Callback(StrEnum):
    """Whether a day to call back was named."""

    DAY = "day"
    NONE = "none"


def verify_zip(given: CheckInput) -> CheckResult:
    """Compare five digits, said or typed, with the account's ZIP. Produces no facts."""
    said = given.typed or given.understanding.slots.get("digits", "")
    digits = "".join(character for character in said if character.isdigit())
    if not digits:
        return CheckResult(Zip.NONE)
    if len(digits) == ZIP_PLUS_FOUR_DIGITS:
        digits = digits[:ZIP_DIGITS]
    if len(digits) != ZIP_DIGITS:
        return CheckResult(Zip.INCOMPLETE)
    expected = str(given.account["expected_zip"])
    same = hmac.compare_digest(digits.encode(), expected.encode())
    return CheckResult(Zip.MATCH if same else Zip.MISMATCH)


def read_offer(given: CheckInput) -> CheckResult:
    """Read the reply to "can you pay that in full today?"; a plain yes is just that offer."""
    slots = dict(given.understanding.slots)
    if _agrees(given) or ("promise" in _intends(given) and "date" in slots):
        slots.setdefault("date", "today")
        slots.setdefault("amount", "full")
    return _offer(given, slots)


def read_details(given: CheckInput) -> CheckResult:
    """Read a day, an amount, or both, and put them with what is known already."""
    return _offer(given, given.understanding.slots)


def settle_date(given: CheckInput) -> CheckResult:
    """Read the reply to a date that was read back: a yes takes it, another date replaces it."""
    slots = dict(given.understanding.slots)
    if _agrees(given):
        slots.setdefault("date", f"date:{given.facts['proposed_date']}")
    return _offer(given, slots)


def revise_promise(given: CheckInput) -> CheckResult:
    """Read the reply to a promise that was read back: a yes, or a change to it."""
    changed = {"date", "amount"} & set(given.understanding.slots)
    if _agrees(given) and not changed:
        return CheckResult(Revision.CONFIRMED)
    found = _offer(given, given.understanding.slots)
    return CheckResult(Revision(found.outcome.value), found.facts)


def read_callback(given: CheckInput) -> CheckResult:
    """Read the day to call back on. Any day from today counts; it is read back to the caller."""
    found = resolve(given.understanding.slots.get("date", ""), given.now.date())
    if found.day is None or found.day < given.now.date():
        return CheckResult(Callback.NONE)
    return CheckResult(Callback.DAY, {"callback_date": found.day.isoformat()})


def _intends(given: CheckInput) -> list[str]:
    """The intents that count, best first."""
    return [each.name for each in given.understanding.intents if each.confidence >= CONFIDENT]


def _agrees(given: CheckInput) -> bool:
    """Whether the reply is a yes, at most with a promise to it ("yes, I'll pay that")."""
    return [name for name in _intends(given) if name != "promise"][:1] == ["affirmation"]


def _offer(given: CheckInput, slots: dict[str, str]) -> CheckResult:
    """Put a reply's date and amount together with the facts."""
    facts: dict[str, str] = {}
    balance = parse_money(given.account["balance"])
    said = slots.get("amount", "")
    amount = share_of(balance, said) if said in SHARES else parse_money(said or "0")
    if amount > balance:
        return CheckResult(Offer.TOO_MUCH)
    if amount > 0:
        facts["promise_amount"] = "full" if amount == balance else said
    when = resolve(slots["date"], given.now.date()) if "date" in slots else NO_DATE
    if when.outcome is DateOutcome.EXACT and when.day is not None:
        facts["promise_date"] = when.day.isoformat()
    elif when.outcome is not DateOutcome.UNPARSEABLE:
        return _unsettled(when, facts)
    return _together(given, facts)


def _unsettled(when: Resolution, facts: dict[str, str]) -> CheckResult:
    if when.outcome is DateOutcome.OUTSIDE:
        return CheckResult(Offer.OUTSIDE_MONTH, facts)
    if when.day is None:
        return CheckResult(Offer.VAGUE, facts)
    return CheckResult(Offer.AMBIGUOUS, {**facts, "proposed_date": when.day.isoformat()})


def _together(given: CheckInput, found: dict[str, str]) -> CheckResult:
    if not found:
        return CheckResult(Offer.NONE)
    known = {
        name: value
        for name in ("promise_date", "promise_amount")
        if isinstance(value := found.get(name, given.facts.get(name)), str)
    }
    if len(known) == 2:
        return CheckResult(Offer.COMPLETE, known)
    return CheckResult(Offer.DATE if "promise_date" in known else Offer.AMOUNT, known)


_OFFERED: dict[str, tuple[str, ...]] = {
    Offer.COMPLETE: ("promise_date", "promise_amount"),
    Offer.DATE: ("promise_date",),
    Offer.AMOUNT: ("promise_amount",),
    Offer.AMBIGUOUS: ("proposed_date",),
}

_MAY_OFFER: dict[str, tuple[str, ...]] = {
    Offer.AMBIGUOUS: ("promise_amount",),
    Offer.VAGUE: ("promise_amount",),
    Offer.OUTSIDE_MONTH: ("promise_amount",),
}
"""A sum that is said with a day that is not settled yet is kept."""

CHECKS = (
    Check("verify_zip", Zip, verify_zip),
    Check("read_offer", Offer, read_offer, _OFFERED, _MAY_OFFER),
    Check("read_details", Offer, read_details, _OFFERED, _MAY_OFFER),
    Check("settle_date", Offer, settle_date, _OFFERED, _MAY_OFFER),
    Check(
        "revise_promise",
        Revision,
        revise_promise,
        {Revision.COMPLETE: _OFFERED[Offer.COMPLETE], Revision.AMBIGUOUS: ("proposed_date",)},
        _MAY_OFFER,
    ),
    Check("read_callback", Callback, read_callback, {Callback.DAY: ("callback_date",)}),
)
