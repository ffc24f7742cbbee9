"""The words of the checker: where a call stands, what happens to it, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass

from appliance.dialogue.checker.watch import Alarm
from appliance.dialogue.signals import Signal
from appliance.types import Language


@dataclass(frozen=True, slots=True)
class Root:
    """What a call begins with."""

    language: Language
    spoken: frozenset[Language]
    entry: tuple[tuple[str, bool | str], ...] = ()


@dataclass(frozen=True, slots=True)
class Location:
    """The part of a control that is not in registers. `spoken`: the languages of the box."""

    current: str
    language: Language
    spoken: frozenset[Language]
    doing: int = 0
    question: str | None = None
    asked: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One event with what checks found, and what its tool gave: enough to play it on the engine."""

    signal: Signal
    checked: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = ()
    forced: bool = False
    gave: tuple[tuple[str, str], ...] = ()
    unheard: tuple[str, ...] = ()

    def joined(self, forced: Step) -> Step | None:
        """The forced step with what checks found here too; None if they found otherwise."""
        found = {each[0]: each for each in self.checked}
        given = (self.gave, self.unheard)
        if given != (forced.gave, forced.unheard) or any(
            found.get(each[0], each) != each for each in forced.checked
        ):
            return None
        found |= {each[0]: each for each in forced.checked}
        return Step(self.signal, tuple(found.values()), True, forced.gave, self.unheard)


@dataclass(slots=True)
class Outcome:
    """What came of one walk."""

    step: Step
    location: Location
    keep_mask: int
    put_bits: int
    ended: bool
    endless: bool
    alarms: tuple[Alarm, ...]
    taken: frozenset[int | str]
