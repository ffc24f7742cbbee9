"""The pure parts of the recognizer's training recipe: texts, voices, channel, shards."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

from models.stt.recipe import (
    channel,
    corpora,
    shards,
    speakers,
    texts,
)
from models.stt.recipe.english import numbers


def tone(seconds: float, level: float = 0.3) -> np.ndarray:
    """A 440 Hz tone, float32 at 8 kHz."""
    places = np.arange(int(seconds * channel.RATE_HZ)) / channel.RATE_HZ
    return (level * np.sin(2 * np.pi * 440 * places)).astype(np.float32)


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        ("zip", 1900),
        ("digits", 1000),
        ("yesno", 300),
        ("date", 500),
        ("amount", 900),
        ("time", 200),
        ("name", 1200),
        ("call", 1200),
        ("general", 1900),
        ("words", 1700),
    ],
)
def test_grammar_makes_many_different_sentences(kind: str, least: int) -> None:
    source, rng = texts.TextSource([], []), random.Random(1)
    drawn = {source.draw(rng, kind)[1] for _ in range(2000)}
    assert len(drawn) >= least


def test_texts_are_plain_words_without_numerals() -> None:
    source, rng = texts.TextSource(["fixed sentence"], ["word"]), random.Random(2)
    for _ in range(5000):
        kind, text = source.draw(rng)
        assert re.fullmatch(r"[a-z']+( [a-z']+)*", text), (kind, text)


def test_every_pattern_expands_without_leftover_marks() -> None:
    rng = random.Random(3)
    for kind in ("yesno", "name", "general", "call"):
        for pattern in texts.grammar("en").patterns[kind]:
            for _ in range(20):
                text = texts.grammar("en").expand(rng, pattern)
                assert not re.search(r"[\[\]{}|]", text), pattern


def test_held_out_draws_never_meet_training_draws() -> None:
    source, rng = texts.TextSource([], []), random.Random(4)
    trained = {source.draw_split(rng, held_out=False)[1] for _ in range(4000)}
    judged = {source.draw_split(rng, held_out=True, kind="zip")[1] for _ in range(200)}
    assert not trained & judged
    assert len(judged) > 150


def test_short_answers_are_never_held_out() -> None:
    assert not any(texts.is_held_out(text) for text in ("yes", "no", "that's right", "not me"))


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "zero"), (13, "thirteen"), (40, "forty"), (90210, "ninety thousand two hundred ten")],
)
def test_cardinal(number: int, words: str) -> None:
    assert numbers.cardinal(number) == words


@pytest.mark.parametrize(
    ("number", "words"), [(1, "first"), (20, "twentieth"), (23, "twenty third"), (30, "thirtieth")]
)
def test_ordinal(number: int, words: str) -> None:
    assert numbers.ordinal(number) == words


def test_read_digits_says_every_digit() -> None:
    values = {word: str(i) for i, word in enumerate(numbers.ONES)} | {"oh": "0"}
    rng = random.Random(5)
    plain = 0
    for _ in range(500):
        given = [rng.randrange(10) for _ in range(5)]
        words = numbers.read_digits(rng, given).split()
        if set(words) <= values.keys():
            plain += 1
            assert "".join(values[word] for word in words) == "".join(map(str, given))
    assert plain > 250


def test_callers_of_the_tests_are_no_training_voices() -> None:
    rng = random.Random(6)
    trained = {speakers.draw_voice(rng, piper=True).name for _ in range(5000)}
    assert not any("slt" in name for name in trained)
    assert not trained & {"+".join(pair) for pair in speakers.ESPEAK_HELD_OUT}
    assert speakers.FLITE_WEIGHTS.keys().isdisjoint(speakers.FLITE_HELD_OUT)
    assert speakers.draw_held_out(rng, "flite").name == "slt"


def test_held_out_real_speakers_are_few_but_some() -> None:
    labels = [f"so762-{n:04d}" for n in range(2000)]
    share = sum(map(corpora.is_held_out_speaker, labels)) / len(labels)
    assert 0.05 < share < 0.2
    assert corpora.is_held_out_speaker("fsdd-lucas")
    assert not corpora.is_held_out_speaker("fsdd-george")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Press # now", "press hash now"),
        ("Steels, etc.", "steels et cetera"),
        ("Don't - STOP!", "don't stop"),
        ("call 911", None),
        ("50% off", None),
    ],
)
def test_transcript(written: str, words: str | None) -> None:
    assert corpora.transcript(written) == words


def test_channel_keeps_length_and_bounds() -> None:
    rng, speech = np.random.default_rng(7), tone(1.0)
    room = np.eye(1, 800, dtype=np.float32)[0]
    noise, ring, talk = tone(2.0, 0.1), tone(0.5), tone(3.0)
    kit = channel.Kit((noise,), (room,), (ring,), (talk,), (talk,))
    for _ in range(150):
        heard = channel.simulate(rng, speech, kit)
        assert heard.dtype == np.float32
        assert 1.0 / 1.26 <= len(heard) / channel.RATE_HZ <= 1.0 / 0.88 + 3.6
        assert np.isfinite(heard).all()
        assert np.abs(heard).max() <= 1.5
        assert len(channel.transmit(rng, speech)) == len(speech)


def test_calls_without_speech_have_a_bounded_length() -> None:
    rng = np.random.default_rng(8)
    for _ in range(30):
        wave = channel.simulate_no_speech(rng, channel.Kit())
        assert np.isfinite(wave).all()
        assert 0.4 <= len(wave) / channel.RATE_HZ <= 4.0


def test_shards_round_trip_and_hide_until_complete(tmp_path: Path) -> None:
    rows = [
        shards.Row("yes", "yesno", "espeak:en-us"),
        shards.Row("no", "yesno", "flite:rms", held_out=True),
    ]
    audio = [np.arange(500, dtype=np.int16), np.arange(7, dtype=np.int16)]
    shards.write_shard(tmp_path / "one", audio, rows)
    (tmp_path / "half.npz").write_bytes(b"not yet")
    assert shards.list_shards(tmp_path) == [tmp_path / "one"]
    read, read_rows = shards.read_shard(tmp_path / "one")
    assert read_rows == rows
    assert all((a == b).all() for a, b in zip(read, audio, strict=True))


def test_shard_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="0/0"):
        shards.write_shard(tmp_path / "none", [], [])
