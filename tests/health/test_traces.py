"""The search itself: what it must find, or the test of privacy proves nothing."""

from random import Random

import pytest

from .people import Person, amount_words, birth_words, person, said
from .traces import texts_of, traces

MARIA = Person(
    first="Wilhelmina", last="Featherstone", zip="90213", birth=(1984, 3, 14),
    card="4539178264935176", account="778899123", phone="3105557413", house="2746",
    street="Periwinkle", balance="412.37", secret="zachaquist",
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "90213", "zip 90213.", "9 0 2 1 3", "90-213", "nine zero two one three",
        "nine oh two uh", "ninety two thirteen", "it's two one three, i think",
        "four one two dollars", "412.37", "you owe $412", "four hundred and twelve",
        "four hundred twelve dollars", "four-hundred-twelve",
        "WILHELMINA", "miss featherstone", "Featherstone's", "Féatherstone",
        "wilhelmina.featherstone@periwinkle-mail.com", "at periwinkle-mail.com",
        "periwinkle avenue", "27 46 somewhere", "twenty seven forty six",
        "born 1984", "nineteen eighty four", "march fourteenth", "the fourteenth of march",
        "03/14/1984", "4539 1782", "forty five thirty nine", "seven eight two six",
        "nueve cero dos", "call 3105557413", "seven four one three", "a zachaquist noise",
    ],
)  # fmt: skip
def test_what_is_left_of_somebody_is_found(text: str) -> None:
    assert traces(MARIA, text), text


@pytest.mark.parametrize(
    "text",
    [
        "i can pay [digits] dollars on friday", "nine", "[private]", "call +13105550199",
        "one moment please", "it is two", "the year 1985", "twenty one", "march first",
        "two, four, six", "310 555", "feather stone walls",
    ],
)  # fmt: skip
def test_what_is_nobodys_is_not(text: str) -> None:
    assert traces(MARIA, text) == [], text


def test_an_address_of_mail_is_told_apart() -> None:
    assert "email" in traces(MARIA, "someone@periwinkle-mail.com")
    assert "email" not in traces(MARIA, "periwinkle avenue")


def test_whatever_way_a_value_is_said_it_is_found() -> None:
    for seed in range(300):
        random = Random(seed)
        who = person(random)
        for kind, number in who.numbers.items():
            if kind in ("zip", "card", "account", "phone"):
                assert traces(who, said(number, random)), (kind, number)
        assert traces(who, birth_words(who, random))
        assert traces(who, amount_words(who.balance))


def test_texts_of_json_leave_out_moments_and_invented_names() -> None:
    line = '{"t": "heard", "ms": 90213.5, "at": "2026-03-02T09:02:13", "text": "yes", "key": "902"}'
    assert (
        texts_of(line + "\n" + line).split() == ["t", "heard", "ms", "at", "text", "yes", "key"] * 2
    )
    assert "90213" in texts_of('{"t": "x", "facts": {"zip": "90213"}}')
    assert "90213" in texts_of("a line that is no JSON: 90213")
