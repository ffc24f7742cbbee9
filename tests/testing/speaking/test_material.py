from __future__ import annotations

import re
from itertools import islice

import pytest

from appliance.dialogue.declarations import VariableType
from appliance.dialogue.markup import parse, plain
from appliance.testing.speaking.material import Material, as_prompt
from appliance.types import Language

KINDS: dict[str, VariableType] = {
    "amount": "money", "day": "date", "hour": "time", "count": "number", "code": "digits",
    "call": "phone", "who": "name", "what": "text", "mail": "email",
}  # fmt: skip


def material(language: Language) -> Material:
    slotted = tuple(f'Here: <slot name="{name}"/>.' for name in KINDS)
    return Material(language, {}, (), slotted, KINDS)


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_slot_gets_a_value_that_is_spoken(language: Language) -> None:
    for sentence in islice(material(language).sentences(1), 30):
        assert re.fullmatch(r'Here: <slot name="\w+">.+</slot>\.', sentence)
        assert parse(sentence)
        assert plain(sentence) != "Here: ."


def test_values_differ_from_round_to_round_and_the_seed_decides() -> None:
    first, second = (list(islice(material("en").sentences(seed), 90)) for seed in (1, 2))
    assert first != second
    assert first == list(islice(material("en").sentences(1), 90))
    assert len(set(first)) > 55


def test_a_prompt_carries_the_marks() -> None:
    prompt = as_prompt('You owe <slot name="amount">a dollar</slot>.', 3, "bob")
    assert prompt.speech == 'You owe <slot name="amount">a dollar</slot>.'
    assert prompt.voice == "bob"
