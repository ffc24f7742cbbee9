"""A call's finite state as one integer, and a control that knows which bits were looked at.

    Layout:  [ counters | facts | monitors ]   each a few bits wide

A walk over tracked registers tells which of them it read. Every state that agrees in those bits
takes the same walk, so the explorer walks once and applies the result to all of them as masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from appliance.dialogue.control import Control, FactValue
from appliance.dialogue.rehearsal import KNOWN
from appliance.dialogue.schema import FlowSpec


@dataclass(frozen=True, slots=True)
class Register:
    """Where one variable lies: `values` in its order; the first is the one at the start."""

    name: str
    values: tuple[object, ...]
    shift: int

    @property
    def mask(self) -> int:
        """The bits of it."""
        return ((1 << max(1, (len(self.values) - 1).bit_length())) - 1) << self.shift

    def encode(self, value: object) -> int:
        """The bits for a value."""
        return self.values.index(value) << self.shift

    def decode(self, bits: int) -> object:
        """The value in some bits."""
        return self.values[(bits & self.mask) >> self.shift]


class Layout:
    """The registers of a flow: its counters and facts, and what its properties watch."""

    def __init__(self, spec: FlowSpec, monitors: Mapping[str, int]) -> None:
        """`monitors`: by name, the highest number that each counts to."""
        self._registers: dict[str, Register] = {}
        self._shift = 0
        for name, counter in spec.counters.items():
            self._add(f"count {name}", tuple(range(counter.limit + 1)))
        for name, kind in spec.facts.items():
            self._add(f"fact {name}", fact_values(kind))
        for name, highest in monitors.items():
            self._add(name, tuple(range(highest + 1)))

    def _add(self, name: str, values: tuple[object, ...]) -> None:
        register = Register(name, values, self._shift)
        self._registers[name] = register
        self._shift += register.mask.bit_count()

    def __getitem__(self, name: str) -> Register:
        return self._registers[name]

    @property
    def width(self) -> int:
        """Bits of all registers together."""
        return self._shift

    def mask(self, names: Iterable[str]) -> int:
        """The bits of these registers."""
        return sum(self._registers[name].mask for name in set(names) & set(self._registers))

    @property
    def monitors(self) -> tuple[str, ...]:
        """The names of the registers that are no part of the call's own state."""
        return tuple(n for n in self._registers if not n.startswith(("count ", "fact ")))


def fact_values(kind: str | tuple[str, ...]) -> tuple[object, ...]:
    """What a fact can be, as far as it decides anything; None where it is not known."""
    if kind == "flag":
        return (None, True)
    return (None, *kind) if isinstance(kind, tuple) else (None, KNOWN)


@dataclass
class Registers:
    """The registers of one state during a walk: what was read and written is noted."""

    layout: Layout
    bits: int
    read_mask: int = 0
    written: dict[str, object] = field(default_factory=dict)

    def read(self, name: str) -> object:
        """A register's value."""
        if name in self.written:
            return self.written[name]
        register = self.layout[name]
        self.read_mask |= register.mask
        return register.decode(self.bits)

    def write(self, name: str, value: object) -> None:
        """Set a register."""
        self.written[name] = value

    @property
    def keep_mask(self) -> int:
        """The bits that were not written."""
        return ~self.layout.mask(self.written)

    @property
    def put_bits(self) -> int:
        """The bits that were."""
        return sum(self.layout[name].encode(value) for name, value in self.written.items())


class TrackedControl(Control):
    """A control whose counters and facts lie in registers."""

    __slots__ = ("registers",)

    registers: Registers

    def count(self, name: str) -> int:
        """How often a counter has counted."""
        value = self.registers.read(f"count {name}")
        assert isinstance(value, int)
        return value

    def put_count(self, name: str, count: int) -> None:
        """Set a counter."""
        self.registers.write(f"count {name}", count)

    def fact(self, name: str) -> FactValue | None:
        """A fact's value; None if it is not known."""
        value = self.registers.read(f"fact {name}")
        return value if isinstance(value, bool | str) else None

    def put_fact(self, name: str, value: FactValue) -> None:
        """Learn a fact."""
        values = self.registers.layout[f"fact {name}"].values
        self.registers.write(f"fact {name}", value if value in values else KNOWN)

    def forget(self, name: str) -> None:
        """A fact is not known any more."""
        self.registers.write(f"fact {name}", None)
