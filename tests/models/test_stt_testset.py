"""What keeps the judged apart from the learned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from appliance.testing.hearing.sets import read_set
from models.stt.recipe import corpora, lines, testset, texts


@pytest.mark.parametrize("language", ["en", "es"])
def test_open_lines_are_those_that_intents_are_judged_by(language: str) -> None:
    judged = testset.held_out_lines(language)
    assert len(judged) > 1500
    trained = {texts.normalize(line, language) for line in lines.intent_lines(language)}
    # What everybody says ("yes") is in both; what is longer is not.
    both = [line for line in judged if line in trained and len(line.split()) > 4]
    assert len(both) < 0.02 * len(judged)


def test_unseen_sentences_are_of_the_held_out_half_and_not_of_the_dev_sets() -> None:
    dev = frozenset(testset.unseen("en", "zip", 10, frozenset()))
    drawn = testset.unseen("en", "zip", 30, dev)
    assert len(set(drawn)) == 30
    assert all(texts.is_held_out(text) for text in drawn)
    assert not dev & set(drawn)


def test_half_of_the_held_out_recordings_is_for_testing() -> None:
    share = sum(corpora.is_for_test(f"file_{n}.flac") for n in range(2000)) / 2000
    assert 0.45 < share < 0.55


def test_joined_digits_are_said_twice_with_other_recordings() -> None:
    digits = [
        testset.Spoken(np.full(800, 100 * n + take, np.int16), word, "s")
        for n, word in enumerate(testset._DIGITS)
        for take in range(3)
    ]
    for first, again in testset.joined(digits, 20):
        assert first.text == again.text
        assert len(first.text.split()) == 5
        assert not set(first.samples) & set(again.samples) - {0}


def test_sets_can_be_read_by_the_benchmark(tmp_path: Path) -> None:
    samples = (8000 * np.sin(np.arange(4000) / 3)).astype(np.int16)
    testset.write_set(tmp_path, "open", [testset.Spoken(samples, "sí señor", "s", "zip", "5")])
    (spoken,) = read_set(tmp_path, "open")
    assert (spoken.said, spoken.hint.slot, spoken.hint.digits) == ("sí señor", "zip", 5)
    assert np.abs(spoken.wave * 32768 - samples).max() <= 1
