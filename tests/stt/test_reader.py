"""Hints, guards and confidence, over the shipped language and sounds that are made up."""

from pathlib import Path

import numpy as np
import pytest

from appliance.stt.fitted import Fitted, Logistic, SearchKnobs
from appliance.stt.grammars import DIGITS, digit_language
from appliance.stt.guards import count_digits, is_repeated
from appliance.stt.language import load_language
from appliance.stt.phones import load_head
from appliance.stt.reader import PhoneReader
from appliance.stt.recognizer import Hint
from appliance.stt.search import WordSearch
from appliance.stt.tree import Plant

SHIPPED = Path(__file__).resolve().parents[2] / "models/stt/en"
READER = PhoneReader(SHIPPED)
LANGUAGE = load_language(SHIPPED / "language.npz")
PHONES = load_head(SHIPPED / "ctc.npz").phones
PLACES = {phone: place for place, phone in enumerate(PHONES)}


def said(words: str, sure: float = 0.95) -> np.ndarray:
    """Log-probabilities of words as the head would hear them, two frames a phone.

    What is left of a frame goes to the other phones, to rare ones less: so a head spreads it.
    """
    rows, usual = [], np.exp(-READER._rare)
    for word in words.split():
        phones = LANGUAGE.phones[LANGUAGE.words.index(word)]
        for phone in ["", *(each for one in phones for each in (one, ""))]:
            row = (1 - sure) * usual / usual.sum()
            row[PLACES.get(phone, 0) if phone else 0] = sure
            rows.append(row)
    return np.log(np.array(rows)).astype(np.float32)


def heard(words: str, hint: Hint = Hint(), sure: float = 0.95) -> str:  # noqa: B008 (immutable)
    return " ".join(READER.read_phones(said(words, sure), hint).words)


@pytest.mark.parametrize(
    "words", ["yes this is she", "please stop calling me", "one two three four five", "on friday"]
)
def test_clear_words_are_heard(words: str) -> None:
    assert heard(words) == words


def test_partial_words_are_heard_too() -> None:
    assert READER.read_phones(said("stop calling"), partial=True).words == ("stop", "calling")


def test_hint_forbids_no_words() -> None:
    for hint in (Hint("zip", digits=5), Hint("yes_no"), Hint("date")):
        assert heard("stop calling me", hint) == "stop calling me"


def test_digit_that_was_hardly_heard_is_found_where_five_are_asked_for() -> None:
    frames = said("nine four one two three")
    last = len(said("nine four one two"))
    frames[last:, 0] = np.log(0.7)  # the last digit is nearly covered
    for place in range(last, len(frames)):
        if frames[place].argmax():
            frames[place, frames[place, 1:].argmax() + 1] = np.log(0.05)
    found = READER.read_phones(frames, Hint("zip", digits=5))
    assert count_digits(found.words, "en") == 5
    assert found.stretched


def test_digits_that_were_heard_are_not_stretched() -> None:
    found = READER.read_phones(said("nine four one two three"), Hint("zip", digits=5))
    assert count_digits(found.words, "en") == 5
    assert not found.stretched
    assert not READER.read_phones(said("yes that's right"), Hint("zip", digits=5)).stretched


def test_digit_language_says_so_many_digits_and_nothing_else() -> None:
    noise = np.random.default_rng(3).normal(0, 2, (60, len(PHONES))).astype(np.float32)
    noise -= np.log(np.exp(noise).sum(axis=1, keepdims=True))
    knobs = SearchKnobs(weight=1.0, bonus=0.0, look=0.0).for_search()
    for digits in (1, 5):
        known = digit_language(LANGUAGE, "en", digits)
        words = WordSearch(known, Plant(known, PLACES), knobs).find(noise)[0].words
        assert sum(word in DIGITS["en"] for word in words) == digits


def test_name_outside_the_vocabulary_is_heard_with_the_account_before_it() -> None:
    assert "brunhilde" not in LANGUAGE.words
    spoken = READER._naming(("brunhilde",))._language  # its phones, from the voice
    phones = spoken.phones[spoken.words.index("brunhilde")]
    rows = [np.eye(len(PHONES))[[PLACES[phone], 0]] for phone in phones]
    name = np.log(np.concatenate(rows) * 0.95 + 0.05 / len(PHONES)).astype(np.float32)
    frames = np.concatenate([said("this is"), name])
    assert "brunhilde" not in READER.read_phones(frames).words
    found = READER.read_phones(frames, Hint("name", ("brunhilde",)))
    assert found.words == ("this", "is", "brunhilde")


@pytest.mark.parametrize("noise", [1.0, 2.0, 3.0])
def test_long_noisy_turn_is_heard_to_its_end(noise: float) -> None:
    """Noise makes tens of thousands of rows of words; the last words must find room too."""
    frames = said("please tell me how much i have to pay on friday " * 6, sure=0.5)
    frames += np.random.default_rng(1).normal(0, noise, frames.shape).astype(np.float32)
    frames -= np.log(np.exp(frames).sum(axis=1, keepdims=True))
    frames[-20:] = said("please stop calling me")[-20:]
    words = READER._general.find(frames)[0].words
    assert words[-2:] == ("calling", "me")
    assert len(words) > 50


def test_few_searches_with_names_are_kept() -> None:
    """A caller's names leave memory soon after the call."""
    for number in range(12):
        READER.rows(said("yes"), Hint("name", (f"{'abcdefghijkl'[number]}nna",)))
    assert READER._naming.cache_info().currsize <= 8


def test_confidence_falls_with_the_sound() -> None:
    clear = READER.read_phones(said("yes that's right"))
    blurred = READER.read_phones(said("yes that's right", sure=0.35))
    assert 0 <= blurred.confidence < clear.confidence <= 1


def test_silence_has_no_words() -> None:
    silence = np.full((40, len(PHONES)), np.log(1e-4), np.float32)
    silence[:, 0] = np.log(0.99)
    assert READER.read_phones(silence).words == ()
    assert READER.read_phones(silence[:0]).words == ()


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("nine four one oh two", 5),
        ("double two triple three", 5),
        ("twenty two fifty nineteen", 6),
        ("it's my zip code", 0),
    ],
)
def test_count_of_digits(words: str, digits: int) -> None:
    assert count_digits(words.split(), "en") == digits


def test_one_word_over_and_over_is_no_speech() -> None:
    assert is_repeated(("oh",) * 12)
    assert not is_repeated("no no no oh oh double oh".split())  # noqa: SIM905


def test_what_is_no_speech_has_no_words() -> None:
    deaf = Fitted(speech=Logistic(bias=-5.0))
    assert PhoneReader(SHIPPED, deaf).read_phones(said("yes no")).words == ()
    assert READER.read_phones(said("yes no")).words == ("yes", "no")
