"""Puts the fixed variables of a flow into its prompts, before anything is checked.

What is the same in every call is part of the text: it is counted, searched for words and rendered
ahead as if it had been written there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from appliance.dialogue.declarations import Names, Variable, VariableType
from appliance.dialogue.markup import escape
from appliance.dialogue.schema import PromptSpec
from appliance.dialogue.speech import speak
from appliance.dialogue.voicing import Voicing
from appliance.types import Language


def fill_constants(
    prompt: PromptSpec, variables: Mapping[str, Variable], language: Language
) -> PromptSpec:
    """A prompt with the words of its fixed variables in their places.

    A value that cannot be said is left alone; `names` reports it.
    """
    words: dict[str, str] = {}
    for name, variable in variables.items():
        if variable.value is not None:
            try:
                words[name] = _worded(variable.value, variable.type, language)
            except ValueError:
                continue
    if not words:
        return prompt
    pattern = re.compile(r"\{(" + "|".join(map(re.escape, words)) + r")\}")

    def filled(texts: Names) -> Names:
        return tuple(pattern.sub(lambda found: words[found[1]], text) for text in texts)

    styles = {style: filled(texts) for style, texts in prompt.styles.items()}
    return prompt.model_copy(update={"text": filled(prompt.text), "styles": styles})


def _worded(value: str, kind: VariableType, language: Language) -> str:
    """A fixed value as an author would have written it into a text."""
    said = escape(speak(value, kind, language))
    if kind == "code":
        return f'<say-as interpret-as="characters">{said}</say-as>'
    if kind == "address":
        return f'<say-as interpret-as="address">{said}</say-as>'
    return Voicing(language).value(value, kind) if kind == "digits" else said
