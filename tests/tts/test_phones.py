"""Given phones are said inside their sentence, by espeak itself and the shipped voice's phones."""

import json
from functools import cache

import pytest
import structlog
from piper import PiperConfig, PiperVoice

from appliance.testing.served import ROOT
from appliance.tts.phones import (
    Phones,
    given_phones,
    phonemize_given,
    sayable,
    split_phones,
    without_phones,
)
from appliance.tts.spoken import runs_of

GIVEN = given_phones("nwˈɛn", "Nguyen")
VOWEL = given_phones("ˈeɪbəl", "Abel")


@cache
def voice(espeak: str) -> PiperVoice:
    settings = json.loads((ROOT / "models/voice/en/kathleen.onnx.json").read_text("utf-8"))
    settings["espeak"]["voice"] = espeak
    return PiperVoice(session=None, config=PiperConfig.from_dict(settings))  # type: ignore[arg-type]


def said(text: str, espeak: str = "en-us") -> list[Phones]:
    known = voice(espeak)
    clusters = frozenset(known.config.vowel_clusters or ())
    return phonemize_given(text, known.phonemize, clusters)


@pytest.mark.parametrize(
    ("text", "espeak", "phones"),
    [
        (f"Is that {GIVEN}?", "en-us", ["ɪz ðæt nwˈɛn?"]),
        (f"Say {GIVEN}, please.", "en-us", ["sˈeɪ nwˈɛn, plˈiːz."]),
        (f"Say {given_phones('smˈɪt', 'Smit')}'s name.", "en-us", ["sˈeɪ smˈɪts nˈeɪm."]),
        (f"Say {GIVEN}'s name.", "en-us", ["sˈeɪ nwˈɛnz nˈeɪm."]),
        (f"The {VOWEL} is an {VOWEL}.", "en-us", ["ðɪʲ ˈeɪbəl ɪz ɐn ˈeɪbəl."]),
        (f"{GIVEN} and {VOWEL}. Bye.", "en-us", ["nwˈɛn ænd ˈeɪbəl.", "bˈaɪ."]),
        (f"¿Hablo con {GIVEN}, por favor?", "es-419", ["ˈaβlo kon nwˈɛn, poɾ faβˈoɾ?"]),
        ("Thank you.", "en-us", ["θˈæŋk juː."]),
    ],
)
def test_phones_stand_in_their_sentence(text: str, espeak: str, phones: list[str]) -> None:
    assert ["".join(each) for each in said(text, espeak)] == phones


def test_the_stand_ins_are_no_words_of_a_text() -> None:
    """A text that says the stand-in itself keeps it: only as many are exchanged as were put in."""
    assert "".join(said("sufsuf")[0]) == "".join(voice("en-us").phonemize("sufsuf")[0])


def test_where_a_stand_in_is_not_found_the_text_is_read_in_pieces() -> None:
    def deaf(text: str) -> list[Phones]:
        return [[*(text if text == "Sufsun." else text.replace("Sufsun", "x"))]]

    assert "".join(phonemize_given(f"a {GIVEN}, b", deaf)[0]) == "a  nwˈɛn , b"


def test_phones_of_several_signs_are_those_of_the_voice() -> None:
    clusters = frozenset(voice("en-us").config.vowel_clusters or ())
    assert split_phones("dʒˈoʊ", clusters) == ["dʒ", "ˈoʊ"]
    assert split_phones("ã") == ["a", "\u0303"]


def test_phones_that_a_voice_lacks_are_left_to_its_reading() -> None:
    text = f"Say {given_phones('ʘǂ', 'Xhosa')} and {GIVEN}."
    known = frozenset("nwˈɛ")
    with structlog.testing.capture_logs() as logs:
        assert sayable(text, known, frozenset()) == f"Say Xhosa and {GIVEN}."
    (told,) = logs
    assert told["count"] == 2
    assert not set("ʘǂ") & set(str(told))  # they may be of a customer's name


def test_a_voice_of_letters_says_the_word() -> None:
    assert without_phones(f"Say {GIVEN}, {VOWEL}.") == "Say Nguyen, Abel."


def test_two_full_stops_do_not_leak_into_the_next_text() -> None:
    """espeak keeps the second one; `spoken` never hands it two."""
    known = voice("en-us")
    plain = known.phonemize("unit")
    for text in ("at eight A.M..", "Wait...", "Joe Jr.."):
        known.phonemize(runs_of(text)[0].text)
        assert known.phonemize("unit") == plain
