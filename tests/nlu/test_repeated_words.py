"""A word said over and over, as a recognizer also makes it of noise, is read at once.

No pattern may take such a row apart in two ways: it would try all of them, twice as many for each
word more. A test here that does not end has found one that does.
"""

from __future__ import annotations

from typing import get_args

import pytest

from appliance.dialogue.schema import Slot
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Language

RULES = RuleUnderstander()
SLOTS: tuple[Slot | None, ...] = (None, *get_args(Slot))
ROWS: tuple[tuple[Language, str, str], ...] = (
    ("es", "", "no, "),
    ("es", "no hablo", " muy bien"),
    ("es", "no entiendo muy", " muy bien"),
    ("es", "no esta", " el senor"),
    ("es", "para que motivo", " me esta"),
    ("es", "hola", " si"),
    ("en", "", "yes "),
    ("en", "", "no, "),
    ("en", "someone said they would call", " me"),
    ("en", "the name is", " name is"),
)


@pytest.mark.parametrize(("language", "begin", "again"), ROWS)
@pytest.mark.parametrize("slot", SLOTS)
def test_a_row_of_the_same_words(
    slot: Slot | None, language: Language, begin: str, again: str
) -> None:
    said = f"{begin}{again * 60} zz"
    assert RULES.understand(said, Context(slot, language)).text == said
