"""How long to wait for more of a reply, by what was asked for: the defaults of every flow.

    a reply that holds what was asked for  ends after  `patience_ms`
    one that is plainly not over           ends after  `unfinished_ms`
    what lies between                      see session/patience.py

A flow gives its own numbers only where a question is unlike its kind. These were chosen on the
curves of `scripts/bench_endpointing.py` (docs/turns.md): what cannot grow once it is whole (five
digits, yes) needs little more than the time to be read, one's own words may always go on, and
people pause longest inside what they look up or spell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from appliance.dialogue.schema import Slot


@dataclass(frozen=True, slots=True)
class Waits:
    """The pauses that end a reply, in milliseconds: a complete one, and a half one."""

    patience_ms: int
    unfinished_ms: int


WAITS: Mapping[Slot | None, Waits] = {
    "yes_no": Waits(260, 900),
    "zip": Waits(280, 1400),
    "phone": Waits(300, 1500),
    "email": Waits(340, 1600),
    "date": Waits(280, 1000),
    "time": Waits(280, 1000),
    "amount": Waits(280, 1000),
    "name": Waits(300, 1000),
    "address": Waits(380, 1200),
    "text": Waits(480, 1000),
    None: Waits(280, 1000),
}
"""By kind of expectation; None is a question that names no slot."""
