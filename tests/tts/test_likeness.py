"""Small words before a slot, as espeak-ng reads them with other words behind them."""

import pytest

from appliance.tts.likeness import counterpart

CASES = [
    ("æt ", "æɾ ˈeɪt zˈiəɹoʊ", "æɾ "),  # at | eight
    ("æt ", "æt zˈiəɹoʊ", "æt "),
    ("fɔːɹ ", "fɚðə kˈɪtʃən?", "fɚ"),  # for | the kitchen
    ("fɔːɹ ", "fɚɹə nˈuː ɹˈuːf?", "fɚɹ"),  # for | a new roof
    ("ʌv ", "əvə nˈuː ɹˈuːf.", "əv"),  # of | a new roof
    ("ʌv ", "ʌvðə kˈɪtʃən.", "ʌv"),  # of | the kitchen
    ("wɪð ", "wɪððə kˈɪtʃən.", "wɪð"),  # with | the kitchen
    ("ɐbˌaʊt ", "ɐbˈaʊt ˌʌs.", "ɐbˈaʊt "),  # about | us
    ("ðə ", "ðɪ ˈæpəl.", "ðɪ "),  # the | apple
    ("tə ", "tʊ ˈɑːlɪs.", "tʊ "),  # to | Alice
    ("", "ˈɑːlɪs.", ""),
    ("æt ", "", ""),
]


@pytest.mark.parametrize(("head", "sentence", "same"), CASES)
def test_the_words_of_the_head_are_found(head: str, sentence: str, same: str) -> None:
    assert sentence[: counterpart(head, sentence)] == same
