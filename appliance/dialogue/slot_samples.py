"""Two samples of every slot of a flow, as marked text: heads of sentences are rendered with them.

What two renderings of a sentence have in common is taken for its fixed text, so the two samples of
a slot must not begin alike. They are invented: nothing of an account gets into the prompt cache.
"""

from __future__ import annotations

from collections.abc import Mapping

from appliance.dialogue.declarations import VariableType
from appliance.dialogue.flow import Flow
from appliance.dialogue.markup import around_slot, plain
from appliance.dialogue.speech import SAMPLES
from appliance.types import Language

_OTHERS: Mapping[VariableType, str] = {
    "text": "another thing",
    "name": "Robert Kim",
    "address": "97 Oak Ave",
    "date": "2026-11-23",
    "time": "11:00",
    "money": "80.00",
    "number": "8",
    "digits": "98765",
    "code": "9B3",
    "phone": "98765432",
    "email": "alice@example.com",
}
_WORDS: Mapping[Language, tuple[str, ...]] = {
    "en": ("tomorrow", "every day"),
    "es": ("mañana", "todos los días"),
}
"""For values that begin alike whatever they are: Spanish times all begin with an article."""


def slot_samples(flow: Flow, language: Language) -> tuple[dict[str, str], dict[str, str]]:
    """Two marked values of each variable that is a slot in the flow's sentences, by its name.

    Passages are none: their text takes the place of their slot, and is fixed.
    """
    first: dict[str, str] = {}
    second: dict[str, str] = {}
    for name, variable in flow.spec.variables.items():
        if variable.type == "passage":
            continue
        voicing = flow.voicings[language]
        one = voicing.value(SAMPLES[variable.type], variable.type)
        others = (voicing.value(_OTHERS[variable.type], variable.type), *_WORDS[language])
        other = next(each for each in others if plain(each)[0] != plain(one)[0])
        first[name], second[name] = around_slot(name, one), around_slot(name, other)
    return first, second
