"""The checks of new_flow: what has to be worked out and not just routed.

A check is pure: what it is given in, an outcome out. It may read the caller's account. What it
hands on as facts goes into records, so never hand on account data: here the ZIP is compared, and
only whether it fits is known afterwards.
"""

from __future__ import annotations

from enum import StrEnum

from appliance.dialogue.checks import Check, CheckInput, CheckResult

ZIP_DIGITS = 5


class Zip(StrEnum):
    """All that can come of it; flow.yaml must have a route for each but `none`."""

    MATCH = "match"
    MISMATCH = "mismatch"
    INCOMPLETE = "incomplete"
    NONE = "none"  # nothing for this check in what was said: its meaning is routed instead


def verify_zip(given: CheckInput) -> CheckResult:
    """Compare the digits, said or typed, with the account's ZIP."""
    digits = given.typed or given.understanding.slots.get("digits", "")
    if not digits:
        return CheckResult(Zip.NONE)
    if len(digits) != ZIP_DIGITS:
        return CheckResult(Zip.INCOMPLETE)
    return CheckResult(Zip.MATCH if digits == given.account["zip"] else Zip.MISMATCH)


CHECKS = (Check("verify_zip", Zip, verify_zip),)
