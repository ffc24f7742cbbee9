"""Puts the fixed variables of a flow into its prompts, before anything is checked.

What is the same in every call is part of the text: it is counted, searched for words and rendered
ahead as if it had been written there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from appliance.dialogue.declarations import Names, Variable
from appliance.dialogue.markup import escape
from appliance.dialogue.schema import PromptSpec
from appliance.dialogue.speech import speak
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
                words[name] = escape(speak(variable.value, variable.type, language))
            except ValueError:
                continue
    if not words:
        return prompt
    pattern = re.compile(r"\{(" + "|".join(map(re.escape, words)) + r")\}")

    def filled(texts: Names) -> Names:
        return tuple(pattern.sub(lambda found: words[found[1]], text) for text in texts)

    styles = {style: filled(texts) for style, texts in prompt.styles.items()}
    return prompt.model_copy(update={"text": filled(prompt.text), "styles": styles})
