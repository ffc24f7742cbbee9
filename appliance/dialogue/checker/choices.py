"""Tries every sequence of choices, one walk each.

Where the engine would ask a check, a walk of the checker takes one option; the next walk makes the
same choices as far as they go, and another one at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Choices:
    """A sequence of decisions, replayed as far as it goes and then extended by first options."""

    made: list[tuple[int, int]] = field(default_factory=list)
    at: int = 0

    def choose(self, options: int) -> int:
        """The option to take now, of so many."""
        if self.at == len(self.made):
            self.made.append((0, options))
        self.at += 1
        return self.made[self.at - 1][0]

    def advance(self) -> bool:
        """Go on to the next sequence; False when all have been tried."""
        self.at = 0
        while self.made:
            chosen, options = self.made.pop()
            if chosen + 1 < options:
                self.made.append((chosen + 1, options))
                return True
        return False
