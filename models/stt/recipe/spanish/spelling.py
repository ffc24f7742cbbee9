"""One way to write a Spanish sentence: lower case, no signs, and the accents that belong there."""

from __future__ import annotations

import functools
import re

from models.stt.recipe import lines

from . import accents, names, phrases

_NOT_WORDS = re.compile(r"[^a-záéíóúüñ' ]+")


def normalize(text: str) -> str:
    """Words in lower case with accents ("Mi numero es:" is "mi número es")."""
    plain = text.lower().replace("’", "'").replace("-", " ")
    words = (word.strip("'") for word in _NOT_WORDS.sub(" ", plain).split())
    return accents.restore(" ".join(word for word in words if word), _table())


@functools.cache
def _table() -> dict[str, str]:
    """The accents of words, as all lines of the project write them together; names keep theirs."""
    own = (phrases.CALL, phrases.YES_NO, *names.TOWNS, *names.STREETS)
    table = accents.learn((*lines.intent_lines("es"), *lines.general_sentences("es"), *own))
    written = {*names.FIRST, *names.LAST}
    return {bare: word for bare, word in table.items() if bare not in written}
