"""The sound of a flow's parting words, which the lines keep: see `telephony.parting`."""

from __future__ import annotations

import structlog

from appliance.dialogue.flow import Flow
from appliance.session.rendering import sentences_of
from appliance.telephony.switch import Switch
from appliance.tts.voices import Voices
from appliance.types import Language

_log = structlog.get_logger()


class Farewells:
    """Tells the lines what to say without us: once, and again when the flow has been changed."""

    def __init__(self, language: Language, voices: Voices) -> None:
        self._language, self._voices = language, voices
        self._told: Flow | None = None

    def tell(self, flow: Flow, switch: Switch) -> None:
        """Calls begin with this flow now."""
        if flow is not self._told:
            self._told = flow
            switch.part_with(parting_words(flow, self._language, self._voices))


def parting_words(flow: Flow, language: Language, voices: Voices) -> bytes:
    """What is said before a call of this flow is ended that cannot go on.

    Returns:
        s16le, 8 kHz; b"" where the flow has no `cut_off`, and such a call just ends.
    """
    prompt = flow.parting(language)
    if prompt is None:
        return b""
    sentences = [each.cache.find(each.speech) for each in sentences_of(prompt, voices)]
    if None in sentences:
        _log.error("parting words are not rendered: calls would just end", prompt=prompt.id)
        return b""
    return b"".join(each for each in sentences if each is not None)
