"""The word search on sounds that are made up: phones as clear or as blurred as a test wants."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.errors import ConfigError
from appliance.stt.grammars import DIGITS, zip_language
from appliance.stt.phones import Language, PhoneHead, WordSearch, load_head, load_language

PHONES = ("", *"abcdefgh")
HEAD = PhoneHead(np.eye(len(PHONES), dtype=np.float32), np.zeros(len(PHONES), np.float32), PHONES)
WORDS = {"ab": "a b", "ba": "b a", "cc": "c c", "d": "d", "abd": "a b d"}


def language(pairs: dict[tuple[str, str], float] | None = None) -> Language:
    """WORDS, all equally likely, but for the log-probabilities of `pairs` ("" is the start)."""
    words = list(WORDS)
    followers, costs, starts = [], [], [0]
    for context in [*words, ""]:
        for (before, word), cost in (pairs or {}).items():
            if before == context:
                followers.append(words.index(word))
                costs.append(cost)
        starts.append(len(followers))
    return Language(
        words=tuple(words),
        phones=tuple(tuple(phones.split()) for phones in WORDS.values()),
        first=np.full(len(words), -2.0, np.float32),
        back_off=np.zeros(len(words) + 1, np.float32),
        starts=np.array(starts, np.int32),
        followers=np.array(followers, np.int32),
        costs=np.array(costs, np.float32),
        last=np.zeros(len(words), np.float32),
    )


def sound(phones: str, sure: float = 0.97, frames: int = 2) -> np.ndarray:
    """Log-probabilities of a row of phones; "-" is a blank."""
    rows = []
    for phone, _ in itertools.product(phones, range(frames)):
        row = np.full(len(PHONES), (1 - sure) / (len(PHONES) - 1))
        row[0 if phone == "-" else PHONES.index(phone)] = sure
        rows.append(row)
    return np.log(np.array(rows)).astype(np.float32)


def find(log_probs: np.ndarray, known: Language | None = None) -> tuple[str, ...]:
    return WordSearch(known or language(), HEAD, 1.0, 0.0).find(log_probs).words


@pytest.mark.parametrize(
    ("phones", "words"),
    [
        ("-ab-", ("ab",)),
        ("ab", ("ab",)),
        ("-a-b-", ("ab",)),
        ("--ab--ba--", ("ab", "ba")),
        ("ab-ba", ("ab", "ba")),
        ("-c-c-", ("cc",)),
        ("d-d-d", ("d", "d", "d")),
        ("-abd-", ("abd",)),
        ("----", ()),
    ],
)
def test_clear_sound(phones: str, words: tuple[str, ...]) -> None:
    assert find(sound(phones)) == words


def test_held_phone_is_one_phone() -> None:
    assert find(sound("d", frames=20)) == ("d",)


def test_language_decides_where_the_sound_does_not() -> None:
    unclear = sound("ab-", sure=0.97)
    unclear[4:6, PHONES.index("d")] = unclear[4:6, 0] = np.log(0.48)
    after_d = language({("", "ab"): -0.1, ("", "abd"): -6.0})
    after_e = language({("", "ab"): -6.0, ("", "abd"): -0.1})
    assert find(unclear, after_d) == ("ab",)
    assert find(unclear, after_e) == ("abd",)


def test_confidence_falls_with_the_sound() -> None:
    search = WordSearch(language(), HEAD, 1.0, 0.0)
    clear, foreign = search.find(sound("-ab-")), search.find(sound("-efgh-"))
    assert clear.confidence > 0.95
    assert foreign.confidence < 0.2


def test_nothing_is_no_words() -> None:
    assert find(np.zeros((0, len(PHONES)), np.float32)) == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=5))
def test_search_agrees_with_trying_every_sentence(sentence: list[str]) -> None:
    """The found words' score is at least that of the sentence that was spoken."""
    phones = "-".join(WORDS[word].replace(" ", "-") for word in sentence)
    search = WordSearch(language(), HEAD, 1.0, 0.0)
    found = search.find(sound(f"-{phones}-"))
    spoken = "".join(WORDS[word].replace(" ", "") for word in sentence)
    assert "".join(WORDS[word].replace(" ", "") for word in found.words) == spoken
    assert len(found.words) <= len(sentence)


SHIPPED = Path(__file__).resolve().parents[2] / "models/stt/en"


def test_zip_language_says_five_digits_and_nothing_else() -> None:
    general, head = load_language(SHIPPED / "language.npz"), load_head(SHIPPED / "ctc.npz")
    search = WordSearch(zip_language(general), head, 1.0, 0.0)
    noise = np.random.default_rng(3).normal(0, 2, (60, len(head.phones))).astype(np.float32)
    noise -= np.log(np.exp(noise).sum(axis=1, keepdims=True))
    words = search.find(noise).words
    assert sum(word in DIGITS for word in words) == 5


def test_general_language_has_the_words_of_the_flow() -> None:
    words = set(load_language(SHIPPED / "language.npz").words)
    needed = {"yes", "no", "stop", "calling", "person", "robot", "goodbye", "friday", "dollars"}
    assert needed | set(DIGITS) <= words


@pytest.mark.parametrize("name", ["ctc.npz", "language.npz"])
def test_broken_file_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"garbage")
    load = load_head if name == "ctc.npz" else load_language
    with pytest.raises(ConfigError, match=name):
        load(path)  # type: ignore[operator]
