"""How an account wants its own fields said, and the proof that this says nothing else.

    full_name: Siobhan Nguyen        what every text, log and check sees
    say: {full_name: shivawn nwen}   what the voice gets in its place: held to what its texts are

A text may not deny being automated, and some words have to wait for a condition (`properties`).
Neither may come in through the pronunciation of a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from appliance.dialogue.lexicon import SAY, assert_like, assert_sayable, is_ipa, said_of
from appliance.dialogue.prompt_names import find_text_problems
from appliance.dialogue.properties import conditional_words, finds_word
from appliance.dialogue.schema import FlowSpec
from appliance.dialogue.templates import Template
from appliance.types import Language

_SAYABLE = ("text", "name")


def check_ways(
    account: Mapping[str, Any],
    spec: FlowSpec,
    templates: Mapping[Language, Mapping[str, Template]],
) -> None:
    """Whether what an account tells under `say` can be used, in every language of the flow.

    Args:
        account: as it was read; its fields have been checked.
        spec: the flow.
        templates: its prompts, by language.

    Raises:
        ValueError: names the field and the remedy; tells nothing of the account.
    """
    kinds = {name: each.type for name, each in spec.variables.items() if each.source == "account"}
    ways = account.get(SAY)
    if not isinstance(ways, Mapping):
        if ways is None or SAY in kinds:
            return
        raise ValueError(f"{SAY}: must map fields to how they are said")
    for name, given in ways.items():
        if name in kinds and kinds[name] not in _SAYABLE:
            raise ValueError(f"{SAY}.{name}: only text and names may be said otherwise")
        try:
            for said in given.values() if isinstance(given, Mapping) else (given,):
                assert_sayable(said)
            if name in kinds:
                for language, texts in templates.items():
                    if way := said_of(account, name, language):
                        _prove(spec, language, texts, (name, account[name], way))
        except ValueError as error:
            raise ValueError(f"{SAY}.{name}: {error}") from error


def _prove(
    spec: FlowSpec,
    language: Language,
    texts: Mapping[str, Template],
    field: tuple[str, str, str],
) -> None:
    """Refuse a way that says more than the field does; `field`: its name, value and way."""
    name, value, said = field
    assert_like(value, said)
    if is_ipa(said):
        return
    for word in conditional_words(spec.properties, language):
        if finds_word(word, said) and not finds_word(word, value):
            raise ValueError(f"says {word!r}, which a property of the flow keeps for its own place")
    for template in texts.values():
        if name in template.variables:
            for text in template.proven:
                written = set(_filled(spec, language, text, (name, value)))
                for problem in _filled(spec, language, text, (name, said)):
                    if problem not in written:
                        raise ValueError(f"with it, prompt {template.id} {problem}")


def _filled(spec: FlowSpec, language: Language, text: str, value: tuple[str, str]) -> Iterator[str]:
    name, said = value
    return find_text_problems(spec, language, [text.replace(f"[{name}]", said)])
