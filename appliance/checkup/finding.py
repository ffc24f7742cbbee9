"""What a check says: how it stands, what was seen, and what to do about it.

A finding is shown to an operator and read by monitoring, so it may hold what the configuration
holds (addresses, an extension) but never a secret and nothing of a caller.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a check ended."""

    OK = "ok"
    SKIPPED = "skipped"
    """It could not be made as things are; `seen` says why. No fault in itself."""
    WARN = "warn"
    FAIL = "fail"


_RANK = (Status.OK, Status.SKIPPED, Status.WARN, Status.FAIL)
GOOD, WARNINGS, FAILURES = 0, 1, 2
"""Exit codes of a check-up."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One result. `remedy` is what to do, empty where nothing is to be done."""

    check: str
    status: Status
    seen: str
    remedy: str = ""


def ok(check: str, seen: str) -> Finding:
    """It is as it should be."""
    return Finding(check, Status.OK, seen)


def skipped(check: str, why: str) -> Finding:
    """It could not be looked at."""
    return Finding(check, Status.SKIPPED, why)


def warn(check: str, seen: str, remedy: str) -> Finding:
    """Calls are taken, but somebody should see to it."""
    return Finding(check, Status.WARN, seen, remedy)


def fail(check: str, seen: str, remedy: str) -> Finding:
    """Calls are not taken as they should be."""
    return Finding(check, Status.FAIL, seen, remedy)


def worst(findings: Iterable[Finding]) -> Status:
    """The worst of them; good where there are none."""
    return max((each.status for each in findings), key=_RANK.index, default=Status.OK)


def exit_code(findings: Iterable[Finding]) -> int:
    """0 all good, 1 there are warnings, 2 there are failures."""
    return {Status.FAIL: FAILURES, Status.WARN: WARNINGS}.get(worst(findings), GOOD)
