"""What the benchmark of speech says: the sentences of a flow, with other values each time.

flow ── wanted_of ──> fixed sentences, heads ── rendered ──> PromptCache of each voice
                 └──> sentences with slots ── random values by type ──> what a call would say
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from appliance.config import SpeakingConfig
from appliance.dialogue.declarations import VariableType
from appliance.dialogue.speech import SAMPLES, speak
from appliance.dialogue.turn import Prompt, Segment
from appliance.flows.shelf import FlowShelf
from appliance.session.readiness import wanted_of
from appliance.tts.cache import PromptCache
from appliance.tts.casting import cast_voice
from appliance.tts.loading import open_voice
from appliance.tts.slots import SlotSentence
from appliance.types import Language

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

_PLACE = re.compile(r'<slot name="([^"]*)"/>')
_NAMES = ("Maria Lopez", "Robert Kim", "Aisha Khan", "John Smith", "Elena García", "Wei Chen")
_TEXTS: Mapping[Language, tuple[str, ...]] = {
    "en": ("the kitchen sink", "a new roof", "Harbor Medical", "a late delivery"),
    "es": ("el fregadero", "un tejado nuevo", "Clínica del Puerto", "una entrega tardía"),
}


@dataclass(frozen=True)
class Material:
    """A flow's sentences in one language, and the voices that have them ready.

    Attributes:
        language: of all of it.
        voices: by name; "default" is the one where a flow names none.
        fixed: sentences that never vary, marked.
        slotted: templates of those with slots, marked.
        kinds: the type of each slot by its name.
    """

    language: Language
    voices: Mapping[str, PromptCache]
    fixed: tuple[str, ...]
    slotted: tuple[str, ...]
    kinds: Mapping[str, VariableType]

    def sentences(self, seed: int) -> Iterator[str]:
        """Sentences with slots, filled: without end, and hardly ever twice the same."""
        rng = random.Random(seed)
        while True:
            for template in self.slotted:
                yield _PLACE.sub(lambda found: self._value(found[1], rng), template)

    def _value(self, name: str, rng: random.Random) -> str:
        kind = self.kinds[name]
        said = speak(_written(kind, self.language, rng), kind, self.language)
        return Segment(said, name).speech


def open_material(
    config: SpeakingConfig, language: Language, flow: str, progress: Progress
) -> Material:
    """Load the voices of a language and have a flow's sentences ready in each.

    Voices that share a file and differ in pitch or speed count once.

    Raises:
        ApplianceError: a voice or the flow cannot be loaded.
    """
    flows = FlowShelf(flow).current.all()
    wanted = wanted_of(flows, language)
    voices: dict[str, PromptCache] = {}
    files: set[Path] = set()
    for name in (None, *config.voices):
        file = cast_voice(config, language, name).file
        if file in files:
            continue
        files.add(file)
        known = name or "default"
        cache = PromptCache(open_voice(config, language, name), config.cache)
        cache.prepare(wanted, lambda done, total, known=known: progress(known, done, total))  # type: ignore[misc]
        voices[known] = cache
    return Material(
        language=language,
        voices=voices,
        fixed=tuple(each for each in wanted if isinstance(each, str)),
        slotted=tuple(each.template for each in wanted if isinstance(each, SlotSentence)),
        kinds={name: each.type for one in flows for name, each in one.spec.variables.items()},
    )


def as_prompt(sentence: str, number: int, voice: str) -> Prompt:
    """A marked sentence as the dialogue hands it over; its plain text is of no matter here."""
    return Prompt(f"bench-{number}", "", (Segment("", speech=sentence),), voice=voice)


def _written(kind: VariableType, language: Language, rng: random.Random) -> str:
    """A value as an account has it."""
    choices: dict[VariableType, Callable[[], str]] = {
        "money": lambda: f"{rng.randrange(1, 5000)}.{rng.randrange(100):02d}",
        "date": lambda: str(date(2026, 1, 1) + timedelta(days=rng.randrange(365))),
        "time": lambda: f"{rng.randrange(8, 19):02d}:{rng.choice((0, 15, 30, 45)):02d}",
        "number": lambda: str(rng.randrange(2, 400)),
        "digits": lambda: f"{rng.randrange(100_000):05d}",
        "phone": lambda: f"1310555{rng.randrange(100, 200):04d}",
        "name": lambda: rng.choice(_NAMES),
        "text": lambda: rng.choice(_TEXTS[language]),
    }
    return choices[kind]() if kind in choices else SAMPLES[kind]
