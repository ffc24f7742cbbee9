"""The named pure functions that a flow's routing may depend on.

Everything that is more than routing (compare a ZIP, resolve a date, read an amount) is a check:
Python next to the flow, with its outcomes declared as an enum, so that the flow can be held to
route every one of them. A check sees the account; the state does not. What a check produces is
written to the state and to the log: it must never be account data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from appliance.dialogue.passages import Passage
from appliance.types import Understanding

NOTHING = "none"
"""The outcome that says: the utterance held nothing for this check, so its intents decide."""

CONFIDENT = 0.5
"""An intent below this is not acted on. The rule layer scores guesses below it."""


@dataclass(frozen=True, slots=True)
class CheckInput:
    """What a check may look at. `typed` is set for keypad digits (then the words are empty).

    `passages` are the flow's approved answers in the language of the call, by id; `data` are its
    own files, by name; `texts` are those of the flow that may be said as things stand.
    """

    account: Mapping[str, Any]
    understanding: Understanding
    facts: Mapping[str, bool | str]
    now: datetime
    typed: str = ""
    passages: Mapping[str, Passage] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """An outcome of the check's enum, and facts by name (dates as ISO 8601, money as decimal)."""

    outcome: StrEnum
    facts: Mapping[str, str] = field(default_factory=dict)


Produced = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Check:
    """A check as a flow names it.

    `produces` lists, by outcome, the facts that it always sets, `may_produce` those that it sets
    at times; it may set no others, for the checker tries just these.
    """

    name: str
    outcomes: type[StrEnum]
    run: Callable[[CheckInput], CheckResult]
    produces: Produced = field(default_factory=dict)
    may_produce: Produced = field(default_factory=dict)

    def undeclared(self, outcome: str, facts: Mapping[str, str]) -> tuple[set[str], set[str]]:
        """What is missing from and what is too much in the facts of an outcome."""
        always = set(self.produces.get(outcome, ()))
        return always - set(facts), set(facts) - always - set(self.may_produce.get(outcome, ()))
