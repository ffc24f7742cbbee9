"""The moves of a call: from every state, over every signal, to the states that can follow.

A state is one integer: the location's number above the bits of the registers. A signal is walked
once for all states of a location that agree in the bits which decided it; to the others the
result is applied as masks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from appliance.dialogue.checker.choices import Choices
from appliance.dialogue.checker.liveness import REASON_REGISTER, live_registers
from appliance.dialogue.checker.probe import Probe
from appliance.dialogue.checker.registers import Layout, Registers, fact_values
from appliance.dialogue.checker.steps import Location, Outcome, Root
from appliance.dialogue.checker.watch import Watch
from appliance.dialogue.control import Control
from appliance.dialogue.rehearsal import KNOWN
from appliance.dialogue.schema import Decision
from appliance.dialogue.signals import START, Signal, signals_at


@dataclass(slots=True)
class Move:
    """An outcome made ready to be applied to every state that it holds for."""

    outcome: Outcome
    keep: int
    put: int
    asks: bool
    noted: bool = False


@dataclass
class _Case:
    """What comes of one signal in one location: by the bits that decide it."""

    signal: Signal
    by_mask: dict[int, dict[int, tuple[Move, ...]]] = field(default_factory=dict)

    def find(self, bits: int) -> tuple[Move, ...] | None:
        """The moves for these registers, if states like this one were seen before."""
        for mask, moves in self.by_mask.items():
            found = moves.get(bits & mask)
            if found is not None:
                return found
        return None


class Moves:
    """All moves of a flow, found as they are asked for."""

    def __init__(self, watch: Watch) -> None:
        flow = watch.flow
        self._flow, self._watch = flow, watch
        self._layout = Layout(flow.spec, watch.monitors)
        self._width = self._layout.width
        always = (*self._layout.monitors, *watch.conditions)
        live = live_registers(flow)
        self._live = {name: self._layout.mask((*each, *always)) for name, each in live.items()}
        self._reasoned = {name for name, each in live.items() if REASON_REGISTER in each}
        self._locations: list[Location] = []
        self._numbers: dict[Location, int] = {}
        self._cases: dict[int, tuple[_Case, ...]] = {}
        self._forced: dict[int, tuple[_Case, ...]] = {}

    def starts(self) -> Iterator[tuple[Root, Outcome, int | None]]:
        """How a call begins, in every way: what comes of it, and the state (None: no state)."""
        for root in self._roots():
            location = Location("", root.language, root.spoken)
            bits = sum(self._encoded(name, value) for name, value in root.entry)
            for signal in (START, Signal("hung_up")):
                for outcome in self._outcomes(location, bits, signal, forced=False)[1]:
                    if not outcome.location.current:
                        yield root, outcome, None  # hung up before the start, and nothing came
                        continue
                    move = self._move(outcome)
                    yield root, outcome, (bits & move.keep) | move.put

    def _roots(self) -> Iterator[Root]:
        """Every way that a call can begin."""
        spec, languages = self._flow.spec, self._flow.languages
        every = frozenset(languages)
        entries = [
            [(name, value) for value in self._entry_values(name, need)]
            for name, need in spec.entry.items()
        ]
        for language in languages:
            for spoken in dict.fromkeys((frozenset({language}), every)):
                for entry in product(*entries):
                    known = tuple((n, v) for n, v in entry if v is not None)
                    yield Root(language, spoken, known)

    def _entry_values(self, name: str, need: str) -> Iterator[bool | str | None]:
        for value in fact_values(self._flow.spec.facts[name]):
            if isinstance(value, bool | str):
                yield value
            elif need == "optional" or self._flow.spec.facts[name] == "flag":
                yield None

    def _encoded(self, name: str, value: bool | str) -> int:
        register = self._layout[f"fact {name}"]
        return register.encode(value if value in register.values else KNOWN)

    def location(self, state: int) -> Location:
        """Where a state is."""
        return self._locations[state >> self._width]

    def of(self, state: int, *, forced: bool = False) -> Iterator[tuple[int, Move]]:
        """Every state that can follow, with the move to it.

        `forced`: on the last turn, so that out_of_turns is taken instead of asking.
        """
        number, bits = state >> self._width, state & ((1 << self._width) - 1)
        cases = (self._forced if forced else self._cases).get(number)
        if cases is None:
            cases = self._signals(number)
            (self._forced if forced else self._cases)[number] = cases
        for case in cases:
            moves = case.find(bits) or self._walked(case, number, bits, forced=forced)
            for move in moves:
                yield (bits & move.keep) | move.put, move

    def _signals(self, number: int) -> tuple[_Case, ...]:
        at = self._locations[number]
        control = Control(at.current, at.language, at.doing)
        signals = signals_at(self._flow.spec, self._flow.checks, control)
        return tuple(_Case(signal) for signal in signals)

    def _walked(self, case: _Case, number: int, bits: int, *, forced: bool) -> tuple[Move, ...]:
        at = self._locations[number]
        mask, outcomes = self._outcomes(at, bits, case.signal, forced=forced)
        moves = tuple(self._move(outcome) for outcome in outcomes)
        case.by_mask.setdefault(mask, {})[bits & mask] = moves
        return moves

    def _move(self, outcome: Outcome) -> Move:
        location = outcome.location
        if location.current not in self._reasoned or outcome.ended:
            location = replace(location, reason=None)
        number = self._numbers.get(location)
        if number is None:
            number = self._numbers[location] = len(self._locations)
            self._locations.append(location)
        live = self._live[location.current] if not outcome.ended else 0
        put = (outcome.put_bits & live) | (number << self._width)
        here = self._flow.spec.states[location.current]
        asks = isinstance(here, Decision) and not (outcome.ended or outcome.endless)
        return Move(outcome, outcome.keep_mask & live & ((1 << self._width) - 1), put, asks)

    def _outcomes(
        self, at: Location, bits: int, signal: Signal, *, forced: bool
    ) -> tuple[int, tuple[Outcome, ...]]:
        """The bits that decide what comes of a signal, and the outcomes for all states with them.

        Every combination of what checks can find is walked.
        """
        choices = Choices()
        read_mask, found = 0, []
        while True:
            registers = Registers(self._layout, bits)
            probe = Probe(self._watch, at, registers, choices)
            found.append(probe.take(signal, forced=forced))
            read_mask |= registers.read_mask
            if not choices.advance():
                return read_mask, tuple(found)
