"""Utterances and what they must mean; what must never be misheard is checked both ways."""

from pathlib import Path
from typing import get_args

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from appliance.dialogue.checks import CONFIDENT
from appliance.dialogue.intents import INTENTS
from appliance.dialogue.schema import Slot
from appliance.nlu.patterns import load_rules
from appliance.nlu.rules import HEARD_IN_EVERY_LANGUAGE, RuleUnderstander, trails_off
from appliance.nlu.understander import Context
from appliance.types import Language

GUARDED = {
    "affirmation", "negation", "stop_request", "human_request", "goodbye", "wrong_party", "busy",
    "callback_request", "dispute", "already_paid", "robot_question", "repeat_request",
    "wait_request", "hard_refusal", "spanish_request", "english_request", "emergency",
    "vendor_call", "job_application", "spam_call", "booking_change", "follow_up",
}  # fmt: skip
"""Acted on without a question, or in every state: a false alarm changes the call."""

LANGUAGES: tuple[Language, ...] = get_args(Language)
TABLES = {
    language: yaml.safe_load(
        (Path(__file__).parent / f"utterances.{language}.yaml").read_text("utf-8")
    )
    for language in LANGUAGES
}
CASES = [
    (language, said, row.get("slot"), row["intent"], set(row.get("also", ())))
    for language, table in TABLES.items()
    for row in table
    for said in row["says"]
]
NLU = RuleUnderstander()


def _said(text: str, context: Context) -> set[str]:
    understanding = NLU.understand(text, context)
    return {intent.name for intent in understanding.intents if intent.confidence >= CONFIDENT}


@pytest.mark.parametrize(("language", "text", "slot", "intent", "also"), CASES)
def test_meaning(
    language: Language, text: str, slot: Slot | None, intent: str | None, also: set[str]
) -> None:
    said = _said(text, Context(slot, language))
    assert intent is None or intent in said
    assert said & GUARDED <= {intent} | also


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_is_large_and_covers_every_intent(language: Language) -> None:
    assert sum(len(row["says"]) for row in TABLES[language]) >= 250
    assert {row["intent"] for row in TABLES[language]} - {None} == set(INTENTS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "intent", ["emergency", "stop_request", "human_request", "goodbye", "wrong_party"]
)
def test_what_must_never_be_missed_is_tried_in_many_words(language: Language, intent: str) -> None:
    rows = (row for row in TABLES[language] if row["intent"] == intent)
    assert sum(len(row["says"]) for row in rows) >= 15


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_is_for_a_known_intent(language: Language) -> None:
    assert {rule.intent for rule in load_rules(language)} <= set(INTENTS)


@pytest.mark.parametrize(
    ("language", "text", "intent"),
    [
        ("en", "en español por favor", "spanish_request"),
        ("en", "spanish please", "spanish_request"),
        ("en", "deje de llamarme", "stop_request"),
        ("en", "quiero hablar con una persona", "human_request"),
        ("en", "hasta luego", "goodbye"),
        ("en", "huele a gas", "emergency"),
        ("en", "hay un incendio", "emergency"),
        ("es", "I smell gas", "emergency"),
        ("es", "my house is on fire", "emergency"),
        ("es", "in english please", "english_request"),
        ("es", "inglés por favor", "english_request"),
        ("es", "stop calling me", "stop_request"),
        ("es", "let me speak to a person", "human_request"),
        ("es", "goodbye", "goodbye"),
    ],
)
def test_what_must_not_be_missed_is_heard_in_every_language(
    language: Language, text: str, intent: str
) -> None:
    assert NLU.understand(text, Context(None, language)).intents[0].name == intent


@pytest.mark.parametrize(
    ("language", "text", "intent"),
    [
        (language, text, row["intent"])
        for language, other in (("en", "es"), ("es", "en"))
        for row in TABLES[other]
        for text in row["says"]
    ],
)
def test_words_of_another_language_raise_no_false_alarm(
    language: Language, text: str, intent: str | None
) -> None:
    """Of what is heard in every language, at most what the other language means itself."""
    other: Language = "es" if language == "en" else "en"
    heard = _said(text, Context(None, language)) & HEARD_IN_EVERY_LANGUAGE
    assert heard <= _said(text, Context(None, other))


def test_the_best_intent_comes_first() -> None:
    found = NLU.understand("yes but please stop calling me", Context("yes_no")).intents
    assert [intent.name for intent in found][:2] == ["stop_request", "affirmation"]
    assert list(found) == sorted(found, key=lambda intent: -intent.confidence)


@pytest.mark.parametrize(
    ("text", "slot", "slots"),
    [
        ("nine oh two one oh", "zip", {"digits": "90210"}),
        ("nine oh two one oh", "yes_no", {}),  # not asked for: not read, so not kept
        ("fifty dollars on friday", "yes_no", {"amount": "50.00", "date": "weekday:4"}),
        ("I can pay two hundred on the fifteenth", None, {"amount": "200.00", "date": "day:15"}),
        ("half tomorrow", "amount", {"amount": "half", "date": "tomorrow"}),
        ("I can't pay two hundred but I can do fifty", None, {"amount": "50.00"}),
        ("I don't get paid until the fifteenth", "date", {"date": "day:15"}),
        ("I can't pay on friday", "date", {}),
        ("in two weeks", "amount", {"date": "in_weeks:2"}),
        ("fifty", "amount", {"amount": "50.00"}),
        ("", "zip", {}),
    ],
)
def test_slots(text: str, slot: Slot | None, slots: dict[str, str]) -> None:
    assert NLU.understand(text, Context(slot)).slots == slots


@pytest.mark.parametrize(
    ("text", "slot", "slots"),
    [
        ("nueve cero dos uno cero", "zip", {"digits": "90210"}),
        ("nine oh two one oh", "zip", {"digits": "90210"}),  # in English, as many say a ZIP
        ("nueve cero dos", "zip", {"digits": "902"}),
        ("nueve cero dos uno cero", "yes_no", {}),
        ("cincuenta dólares el viernes", "yes_no", {"amount": "50.00", "date": "weekday:4"}),
        ("puedo pagar doscientos el quince", None, {"amount": "200.00", "date": "day:15"}),
        ("la mitad mañana", "amount", {"amount": "half", "date": "tomorrow"}),
        ("no puedo pagar doscientos pero sí cincuenta", None, {"amount": "50.00"}),
        ("no me pagan hasta el quince", "date", {"date": "day:15"}),
        ("el viernes no puedo", "date", {}),
        ("hoy no, mañana sí", "date", {"date": "tomorrow"}),
        ("sí, pero no hoy", "yes_no", {}),
        ("no, el viernes", "date", {"date": "weekday:4"}),
        ("no más de cincuenta", "amount", {"amount": "50.00"}),
        ("en dos semanas", "amount", {"date": "in_weeks:2"}),
        ("un momento", "zip", {}),
        ("", "zip", {}),
    ],
)
def test_slots_in_spanish(text: str, slot: Slot | None, slots: dict[str, str]) -> None:
    assert NLU.understand(text, Context(slot, "es")).slots == slots


@pytest.mark.parametrize(
    ("text", "more"),
    [("yes and", True), ("on the", True), ("nine oh two um", True), ("on friday", False),
     ("yes", False), ("", False)],
)  # fmt: skip
def test_an_utterance_that_trails_off(text: str, more: bool) -> None:
    assert trails_off(text) is more


@pytest.mark.parametrize(
    ("text", "more"),
    [("sí y", True), ("para el", True), ("nueve cero dos eh", True), ("el viernes", False),
     ("así es", False), ("órale pues", False), ("", False)],
)  # fmt: skip
def test_a_spanish_utterance_that_trails_off(text: str, more: bool) -> None:
    assert trails_off(text, "es") is more


@given(
    st.text(max_size=200),
    st.sampled_from([*get_args(Slot), None]),
    st.sampled_from(LANGUAGES),
)
def test_any_text_is_understood_the_same_twice(
    text: str, slot: Slot | None, language: Language
) -> None:
    once = NLU.understand(text, Context(slot, language))
    assert once == NLU.understand(text, Context(slot, language))
    assert all(intent.name in INTENTS for intent in once.intents)
