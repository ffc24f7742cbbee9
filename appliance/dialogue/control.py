"""The finite part of a call's state: all that decides where the dialogue goes.

The engine and the checker walk a flow with the same code (`walk`) over this. Values that a call
learns (dates, sums) decide nothing here but by being there; what they mean, checks say. So a
flow has finitely many of these, and the checker can visit every one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FactValue = bool | str


@dataclass(slots=True)
class Control:
    """Where a call stands; changed in place by a walk.

    `doing` is the position, from 1, of the tool that a state waits for; 0 if it waits for none.
    `asked` counts how often `question` was asked in a row.
    """

    current: str = ""
    language: str = "en"
    doing: int = 0
    question: str | None = None
    asked: int = 0
    reason: str | None = None
    outcome: str | None = None
    counters: dict[str, int] = field(default_factory=dict)
    facts: dict[str, FactValue] = field(default_factory=dict)

    def count(self, name: str) -> int:
        """How often a counter has counted."""
        return self.counters.get(name, 0)

    def put_count(self, name: str, count: int) -> None:
        """Set a counter; at zero it is as if it had never counted."""
        if count:
            self.counters[name] = count
        else:
            self.counters.pop(name, None)

    def fact(self, name: str) -> FactValue | None:
        """A fact's value; None if it is not known."""
        return self.facts.get(name)

    def put_fact(self, name: str, value: FactValue) -> None:
        """Learn a fact."""
        self.facts[name] = value

    def forget(self, name: str) -> None:
        """A fact is not known any more."""
        self.facts.pop(name, None)

    def holds(self, wanted: Mapping[str, FactValue]) -> bool:
        """Whether facts have these values; a flag that is not known is false."""
        return all((self.fact(name) or False) == value for name, value in wanted.items())
