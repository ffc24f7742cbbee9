"""What a caller gives away of himself though nobody asked: his name, his address.

"My name is Maria Lopez", "I live at 12 Oak Street": where something else was asked for, neither is
a slot, and no flow learns it. Whoever writes down what was said must know it all the same. A name
that stands alone is none here: without a question for it, any two words could be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from appliance.nlu.addresses import read_address
from appliance.nlu.languages import GRAMMARS
from appliance.nlu.names import read_name

_AGAIN = re.compile(r"\b(?:this is|soy|habla)\b")
"""Behind other words it is no introduction for the dialogue ("I think this is it")."""
_ALSO = re.compile(r"\b(?:i'm|i am|it's|it is)\b")
"""Before two words that could be a name; before one it is mostly none ("I'm interested")."""


def introduced(text: str) -> tuple[str, ...]:
    """Names and addresses in what was said, in any language that the box understands."""
    text = text.lower()
    addresses = (read_address(text, each, asked=False) for each in GRAMMARS.values())
    return tuple(found for found in (*_names(text), *addresses) if found)


def _names(text: str) -> Iterator[str]:
    starts = [text, *(text[found.start() :] for found in _AGAIN.finditer(text))]
    for grammar in GRAMMARS.values():
        for each in starts:
            yield read_name(each, grammar, asked=False)
    for found in _ALSO.finditer(text):
        name = read_name(f"this is{text[found.end() :]}", GRAMMARS["en"], asked=False)
        yield name if " " in name else ""
