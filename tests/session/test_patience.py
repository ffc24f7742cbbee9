"""How long a reply is waited for, by what was asked, what was said and how it sounded."""

from pathlib import Path
from typing import get_args

import pytest

from appliance.dialogue.schema import Slot
from appliance.dialogue.turn import Listen
from appliance.dialogue.waits import WAITS
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.session.patience import Standing, is_complete, patience_ms, standing
from appliance.types import Language, Understanding

COMPLETE, BARE, GROWING, OPEN, HANGING = Standing


def listening(slot: Slot | None, language: Language = "en", said: str = "") -> Listen:
    waits = WAITS[slot]
    return Listen(
        slot=slot, language=language, said_digits=said, patience_ms=waits.patience_ms,
        unfinished_ms=waits.unfinished_ms,
    )  # fmt: skip


def understood(text: str, listen: Listen) -> Understanding:
    return RuleUnderstander().understand(text, Context.of(listen))


def test_every_kind_of_expectation_has_waits() -> None:
    assert set(WAITS) == {*get_args(Slot), None}
    assert all(100 <= each.patience_ms < each.unfinished_ms <= 3000 for each in WAITS.values())


@pytest.mark.parametrize(
    ("slot", "text", "complete"),
    [
        ("yes_no", "yes", True),
        ("yes_no", "well", False),
        ("zip", "nine oh two one oh", True),
        ("zip", "nine oh two", False),
        ("zip", "stop calling me", True),
        ("date", "next friday", True),
        ("amount", "fifty dollars", True),
        ("amount", "maybe", False),
        ("phone", "three one oh five five five oh one oh oh", True),
        ("phone", "three one oh five five five", False),
        ("email", "maria dot lopez at gmail dot com", True),
        ("email", "maria dot lopez", False),
        ("text", "my furnace is broken", True),
        ("text", "my", False),
        ("text", "the kitchen", True),
    ],
)
def test_a_reply_is_complete(slot: Slot, text: str, complete: bool) -> None:
    listen = listening(slot)
    assert is_complete(understood(text, listen), listen) is complete


@pytest.mark.parametrize(
    ("slot", "text", "expected"),
    [
        ("yes_no", "yes", BARE),
        ("yes_no", "yes it is", COMPLETE),
        ("yes_no", "no", BARE),
        ("yes_no", "yes but", HANGING),
        ("yes_no", "um", HANGING),
        ("yes_no", "the blue curtain", OPEN),
        ("yes_no", "", HANGING),
        ("zip", "nine oh two", HANGING),
        ("zip", "nine oh two one oh", COMPLETE),
        ("zip", "it is", HANGING),
        ("zip", "hello there", OPEN),
        ("phone", "three one oh five five five", HANGING),
        ("amount", "two hundred", GROWING),
        ("amount", "two hundred dollars", COMPLETE),
        ("amount", "two hundred and", HANGING),
        ("date", "next friday", COMPLETE),
        ("date", "on", HANGING),
        ("date", "let me see", HANGING),
        ("name", "maria", GROWING),
        ("name", "my name is", HANGING),
        ("text", "my furnace is broken", GROWING),
        ("text", "my furnace is broken and", HANGING),
        ("text", "there is water in the", HANGING),
        ("text", "the kitchen because i", HANGING),
        ("text", "i want to talk to a person", GROWING),
        ("text", "kitchen", OPEN),
    ],
)
def test_how_a_reply_stands(slot: Slot, text: str, expected: Standing) -> None:
    listen = listening(slot)
    assert standing(listen, understood(text, listen)) is expected


@pytest.mark.parametrize(
    ("slot", "text", "expected"),
    [
        ("yes_no", "sí", BARE),
        ("yes_no", "sí pero", HANGING),
        ("yes_no", "así es", COMPLETE),
        ("yes_no", "eso es", COMPLETE),
        ("yes_no", "sí lo es", COMPLETE),
        ("yes_no", "sí es", COMPLETE),
        ("yes_no", "no, no es", COMPLETE),
        ("yes_no", "para", OPEN),
        ("yes_no", "este", HANGING),
        ("date", "a ver", HANGING),
        ("date", "el próximo viernes", COMPLETE),
        ("amount", "doscientos", GROWING),
        ("amount", "doscientos dólares", COMPLETE),
        ("text", "se me rompió la caldera porque", HANGING),
        ("text", "quiero cambiar la cocina", GROWING),
        ("zip", "nueve cero dos", HANGING),
    ],
)
def test_how_a_reply_stands_in_spanish(slot: Slot, text: str, expected: Standing) -> None:
    listen = listening(slot, "es")
    assert standing(listen, understood(text, listen)) is expected


def test_digits_of_the_turn_before_complete_a_number() -> None:
    listen = listening("zip", said="902")
    assert standing(listen, understood("one oh", listen)) is COMPLETE


@pytest.mark.parametrize("slot", get_args(Slot))
@pytest.mark.parametrize("text", ["", "um", "yes", "nine oh two", "my furnace is broken"])
def test_a_voice_that_goes_on_is_never_waited_for_less(slot: Slot, text: str) -> None:
    listen = listening(slot)
    meant = understood(text, listen)
    waits = [patience_ms(listen, meant, share / 10) for share in range(-1, 12)]
    assert waits == sorted(waits)
    assert listen.patience_ms <= waits[0] <= waits[-1] <= listen.unfinished_ms


def test_sound_does_not_shorten_a_half_said_number() -> None:
    listen = listening("zip")
    meant = understood("nine oh two", listen)
    assert patience_ms(listen, meant, 0.0) == listen.unfinished_ms


def test_a_flow_that_waits_equally_long_for_all() -> None:
    listen = Listen(slot="text", patience_ms=900, unfinished_ms=400)
    assert patience_ms(listen, understood("um", listen), 1.0) == 900


def test_a_digit_that_was_only_looked_for_may_be_still_to_come() -> None:
    listen = listening("zip")
    said = understood("nine oh two one oh", listen)
    surely = patience_ms(listen, said, 0.0)
    assert surely == listen.patience_ms < patience_ms(listen, said, 0.0, stretched=True)


def test_the_documented_waits_are_those_that_ship() -> None:
    told = {
        "yes or no": ("yes_no",), "ZIP code": ("zip",),
        "date, time, amount": ("date", "time", "amount"),
        "telephone number": ("phone",), "name": ("name",), "e-mail address": ("email",),
        "one's own words": ("text",), "address": ("address",), "nothing in particular": (None,),
    }  # fmt: skip
    page = (Path(__file__).parents[2] / "docs" / "turns.md").read_text(encoding="utf-8")
    for label, kinds in told.items():
        for kind in kinds:
            waits = WAITS[kind]
            row = f"| {label} | {waits.patience_ms} ms | {waits.unfinished_ms} ms |"
            assert row in page
