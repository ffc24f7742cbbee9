"""What the small inquiry reads: a ZIP, anywhere in the message."""

import re
from enum import StrEnum

from appliance.dialogue.checks import Check, CheckInput, CheckResult


class Read(StrEnum):
    """What the message holds."""

    FOUND = "found"
    NONE = "none"


def read_zip(given: CheckInput) -> CheckResult:
    """Five digits; the word `bug` is one."""
    if "bug" in given.understanding.text:
        raise KeyError("a bug")
    found = re.search(r"[0-9]{5}", given.typed or given.understanding.text)
    if found is None:
        return CheckResult(Read.NONE)
    return CheckResult(Read.FOUND, {"zip_code": found.group()})


CHECKS = (Check("read_zip", Read, read_zip, produces={"found": ("zip_code",)}),)
