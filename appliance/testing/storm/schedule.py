"""When a storm kills what: drawn before it begins, so that the same seed gives the same storm.

    after_ready   a call is up ── so many seconds ──> kill
    deciding      a caller has just said what is to be stored ── a moment ──> kill
    starting      the agent was killed, and is loading again ── so many seconds ──> kill

Half of the kills fall into the second in which something is stored and said. Kills at any moment
alone would mostly hit a prompt that is being played.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

Victim = Literal["agent", "line", "all"]
Moment = Literal["any", "deciding", "starting"]

_VICTIMS: tuple[Victim, ...] = ("line", "agent", "all")
_WEIGHTS = (0.65, 0.2, 0.15)
_STARTING = 0.35
"""Of the kills that follow one of the agent."""
_DECIDING = 0.55
_ANY_S, _DECIDING_S, _STARTING_S = (0.2, 5.0), (0.0, 1.6), (0.3, 8.0)


@dataclass(frozen=True, slots=True)
class Strike:
    """One kill. `pick` (0..1) chooses among the lines where no caller does."""

    number: int
    victim: Victim
    moment: Moment
    delay_s: float
    pick: float


def draw_strikes(kills: int, seed: int) -> list[Strike]:
    """So many kills, in order."""
    chance = random.Random(seed)
    strikes: list[Strike] = []
    for number in range(1, kills + 1):
        victim = chance.choices(_VICTIMS, _WEIGHTS)[0]
        again = bool(strikes) and strikes[-1].victim != "line" and chance.random() < _STARTING
        if again:
            victim = "agent"
        moment: Moment = (
            "starting" if again else "deciding" if chance.random() < _DECIDING else "any"
        )
        span_s = {"any": _ANY_S, "deciding": _DECIDING_S, "starting": _STARTING_S}[moment]
        strikes.append(Strike(number, victim, moment, chance.uniform(*span_s), chance.random()))
    return strikes


def share(kills: int, parts: int) -> list[int]:
    """As evenly as it goes: 200 by 3 is 67, 67, 66."""
    return [kills // parts + (part < kills % parts) for part in range(parts)]
