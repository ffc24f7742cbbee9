"""What the trainer sees of the examples in one epoch: other readings, contexts, noise, pairs."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from appliance.dialogue.intents import first_in_rank
from appliance.dialogue.schema import Slot
from appliance.nlu.model import CONTENT, in_context
from appliance.training.examples import Example
from appliance.training.noise import Noise
from appliance.types import Language

_READINGS = 2
"""Readings of one line with alternatives in an epoch."""
_IN_CONTEXT = 0.4
"""Share of what means the same after any question that is shown after one."""
_PAIRED = 0.08
"""Share of examples that are followed by another one in the same breath."""
_NOISY = 0.35
"""Share of examples that pass through the noise model."""
_JOINTS: Mapping[Language, tuple[str, ...]] = {
    "en": ("and", "but", "and also", "so", "", "because", "oh and", "well"),
    "es": ("y", "pero", "y también", "así que", "", "porque", "ah y", "bueno"),
}
_LONGEST = 14
"""Words: what is longer is not joined with another."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text with its context, and what it means."""

    text: str
    intents: tuple[str, ...]


def epoch(examples: Sequence[Example], number: int, noise: Noise) -> list[Said]:
    """The texts of an epoch; the same for the same number.

    Args:
        examples: with their lines: of each line a few readings are drawn.
        number: of the epoch.
        noise: what a recognizer makes of words.
    """
    draw = random.Random(number)
    by_line: dict[str, list[Example]] = defaultdict(list)
    for place, example in enumerate(examples):
        by_line[example.line or str(place)].append(example)
    chosen = [
        each
        for lines in by_line.values()
        for each in draw.sample(lines, min(_READINGS, len(lines)))
    ]
    return [_shown(each, chosen, draw, noise) for each in chosen]


def _shown(example: Example, others: Sequence[Example], draw: random.Random, noise: Noise) -> Said:
    text, intents, slot = example.text, example.intents, example.slot
    if example.line and intents and draw.random() < _PAIRED:
        text, intents = _joined(example, draw.choice(others), draw)
    if example.line and draw.random() < _NOISY:
        text = noise.heard(text, example.language, draw)
    free = slot is None or intents == (CONTENT,)  # a bare value is one after any question
    if free and example.line and draw.random() < _IN_CONTEXT:
        slot = draw.choice((None, *get_args(Slot)))
    return Said(in_context(text, slot), intents)


def _joined(example: Example, other: Example, draw: random.Random) -> tuple[str, tuple[str, ...]]:
    """Two examples in one breath, if they go together."""
    words = len(example.text.split()) + len(other.text.split())
    fits = other.slot in (None, example.slot) and other.language == example.language
    if not fits or not other.intents or words > _LONGEST or CONTENT in other.intents[:1]:
        return example.text, example.intents
    joint = draw.choice(_JOINTS[example.language])
    intents = dict.fromkeys((*example.intents, *other.intents))
    return f"{example.text} {joint} {other.text}".replace("  ", " "), first_in_rank(tuple(intents))
