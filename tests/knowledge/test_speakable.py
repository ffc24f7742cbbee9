"""Which sentences `appliance docs check` would have written otherwise."""

import pytest

from appliance.knowledge.speakable import find_speech_problems


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Go to https://example.com/pay now.", "has a web address"),
        ("Write to pay@example.com today.", "has an e-mail address"),
        ("Bring your паспорт.", "has letters that no voice knows"),
        ("Use {name} here.", "has signs that are not said"),
        ("Call 13105550100 now.", "has a number of more than six digits"),
        ("See the table below.", "points to a place on a page"),
        ("You need the following:", "ends with a colon: what follows may not be quoted with it"),
        ("Ask Dr. Hill about it.", "reads as several sentences; write abbreviations out"),
        ("I am a real person.", "denies being automated; it never may"),
        ("word " * 36 + "end.", "has 37 words; more than 35 are hard to follow"),
    ],
)
def test_what_is_not_fit_to_be_said(sentence: str, said: str) -> None:
    assert said in list(find_speech_problems(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "We pay every Friday for the work of the week before.",
        "Calls to this number are answered by an automated assistant.",
        "It costs about 250 dollars – or less – at the café.",
    ],
)
def test_what_is_fit(sentence: str) -> None:
    assert list(find_speech_problems(sentence)) == []
