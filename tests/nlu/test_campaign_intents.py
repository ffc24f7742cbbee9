"""How a caller takes an offer: what sounds like it and is something else, and seed phrases."""

from pathlib import Path
from typing import get_args

import pytest
import yaml

from appliance.dialogue.checks import CONFIDENT
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.types import Language

NLU = RuleUnderstander()
OFFER = {"interested", "not_interested", "uncertain", "objection"}
LANGUAGES: tuple[Language, ...] = get_args(Language)


def _said(text: str, language: Language) -> set[str]:
    found = NLU.understand(text, Context("yes_no", language)).intents
    return {intent.name for intent in found if intent.confidence >= CONFIDENT}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("intent", sorted(OFFER))
def test_each_is_tried_in_many_words(language: Language, intent: str) -> None:
    table = yaml.safe_load((Path(__file__).parent / f"utterances.{language}.yaml").read_text())
    assert sum(len(row["says"]) for row in table if row["intent"] == intent) >= 25


@pytest.mark.parametrize(
    ("language", "text", "wrongly"),
    [
        ("en", "I didn't say I'm not interested", "not_interested"),
        ("en", "are you not interested in my answer", "not_interested"),
        ("en", "what interest rate do you have", "not_interested"),
        ("en", "I don't want any more calls", "not_interested"),
        ("en", "yes", "interested"),
        ("en", "I'm not interested", "interested"),
        ("en", "I'm not really interested in that", "interested"),
        ("en", "who told you I was interested", "interested"),
        ("en", "if I'm interested I'll call you", "interested"),
        ("en", "why would I be interested", "interested"),
        ("en", "it doesn't sound interesting", "interested"),
        ("en", "I don't need one", "interested"),
        ("en", "I would like to speak to a person", "interested"),
        ("en", "I'd like you to stop calling", "interested"),
        ("en", "I'd like to know who is calling", "interested"),
        ("en", "take me off the list", "interested"),
        ("en", "I'm in a meeting", "interested"),
        ("en", "it's not too expensive", "objection"),
        ("en", "that's not too complicated", "objection"),
        ("en", "it's not a scam, is it", "objection"),
        ("en", "do you already have my name", "objection"),
        ("en", "I already told you my name", "objection"),
        ("en", "I'm sure", "uncertain"),
        ("en", "yes I'm pretty sure", "uncertain"),
        ("en", "I don't want more information", "uncertain"),
        ("en", "no", "not_interested"),
        ("es", "no dije que no me interesa", "not_interested"),
        ("es", "no quiero más llamadas", "not_interested"),
        ("es", "ahorita se la paso", "not_interested"),
        ("es", "sí", "interested"),
        ("es", "no me interesa", "interested"),
        ("es", "no estoy interesado", "interested"),
        ("es", "si me interesa le llamo yo", "interested"),
        ("es", "no me gustaría", "interested"),
        ("es", "me gustaría que dejen de llamar", "interested"),
        ("es", "me gustaría hablar con una persona", "interested"),
        ("es", "póngame en la lista de no llamar", "interested"),
        ("es", "para qué lo quiero", "interested"),
        ("es", "no es muy caro", "objection"),
        ("es", "no es una estafa", "objection"),
        ("es", "no creo", "objection"),
        ("es", "estoy seguro", "uncertain"),
        ("es", "no quiero más información", "uncertain"),
    ],
)
def test_what_only_sounds_like_it(language: Language, text: str, wrongly: str) -> None:
    assert wrongly not in _said(text, language)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("call me back", "callback_request"),
        ("can you call back later", "callback_request"),
        ("call me another time", "callback_request"),
        ("it's not a good time", "busy"),
        ("this is a bad time", "busy"),
        ("I'm busy right now", "busy"),
        ("I'm in a meeting", "busy"),
    ],
)
def test_what_asks_for_a_call_back(text: str, intent: str) -> None:
    assert intent in _said(text, "en")


@pytest.mark.parametrize(
    ("language", "text", "first"),
    [
        ("en", "no I'm not interested", "not_interested"),
        ("en", "yes I'm interested", "interested"),
        ("en", "yes but it's too expensive", "cannot_pay"),
        ("en", "yeah but I already have one", "objection"),
        ("es", "no, no me interesa", "not_interested"),
        ("es", "sí, pero ya tengo uno", "objection"),
    ],
)
def test_it_counts_more_than_a_yes_or_no_beside_it(
    language: Language, text: str, first: str
) -> None:
    assert NLU.understand(text, Context("yes_no", language)).intents[0].name == first
