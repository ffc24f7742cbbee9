"""The pure parts of the recipe that hears examples: alignment, table, labels, files."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from appliance.training.examples import Example, read_examples
from appliance.training.noise import Noise
from models.intent.recipe.confusions import align, errors, kept, tabulate, write
from models.intent.recipe.labels import keeps_meaning, trainable, write_examples


def aligned(said: str, heard: str) -> list[str]:
    return [f"{word}>{' '.join(words)}" for word, words in align(said.split(), heard.split())]


@pytest.mark.parametrize(
    ("said", "heard", "found"),
    [
        ("call me", "call me", ["call>call", "me>me"]),
        ("call me now", "call now", ["call>call", "me>", "now>now"]),
        ("call me", "call on me", ["call>call on", "me>me"]),
        ("call me", "uh call me", ["call>uh call", "me>me"]),
        ("i cannot pay", "i can not pay", ["i>i", "cannot>can not", "pay>pay"]),
        ("it's my birthday", "it's mike pay", ["it's>it's", "my>mike", "birthday>pay"]),
        ("stop it", "", ["stop>", "it>"]),
        ("", "hello", []),
    ],
)
def test_each_word_has_what_was_heard_for_it(said: str, heard: str, found: list[str]) -> None:
    assert aligned(said, heard) == found


def test_of_two_words_the_one_more_alike_is_replaced() -> None:
    assert aligned("a furnace", "furnish") == ["a>", "furnace>furnish"]
    assert aligned("furnace a", "furnish") == ["furnace>furnish", "a>"]


def test_alignment_has_as_few_edits_as_there_can_be_and_keeps_every_word() -> None:
    draw = random.Random(1)
    for _ in range(500):
        said, heard = ([draw.choice("abc") for _ in range(draw.randrange(7))] for _ in range(2))
        pairs = align(said, heard)
        assert [word for word, _ in pairs] == said
        if said:
            assert [word for _, words in pairs for word in words] == heard
            edits = sum(max(1, len(words)) - (word in words) for word, words in pairs)
            assert edits == errors(said, heard) == levenshtein(said, heard)


def levenshtein(said: list[str], heard: list[str]) -> int:
    """By definition, slowly."""
    if not said or not heard:
        return len(said) + len(heard)
    if said[0] == heard[0]:
        return levenshtein(said[1:], heard[1:])
    return 1 + min(
        levenshtein(said[1:], heard),
        levenshtein(said, heard[1:]),
        levenshtein(said[1:], heard[1:]),
    )


def test_table_drops_what_happened_once_and_words_said_rarely(tmp_path: Path) -> None:
    pairs = [("pay it", "pay a"), ("pay it", "pay a"), ("pay it", "play it"), ("rare", "bear")]
    table = tabulate(pairs)
    assert table["pay"] == Counter({"pay": 2, "play": 1})
    rows = kept(table)
    assert rows == [("it", "a", 2), ("it", "it", 1), ("pay", "pay", 2)]
    write(tmp_path / "confusions.en.tsv", rows)
    assert (tmp_path / "confusions.en.tsv").read_text() == "it\ta\t2\nit\tit\t1\npay\tpay\t2\n"


def test_the_noise_model_reads_the_table(tmp_path: Path) -> None:
    table = tabulate([("can't pay", "can day"), ("can't pay", "can day")] * 3 + [("now", "")] * 3)
    write(tmp_path / "confusions.en.tsv", kept(table))
    noise = Noise.load(tmp_path)
    found = {noise.heard("can't pay now", "en", random.Random(seed)) for seed in range(200)}
    each = [("can't", "can"), ("pay", "day"), ("now", "")]
    assert found == {" ".join(filter(None, words)) for words in product(*each)}


@pytest.mark.parametrize(
    ("said", "heard", "true"),
    [
        ("i will pay it on friday", "i will pay a friday", True),
        ("i can't pay that", "i can pay that", False),
        ("i owe that debt", "i don't owe that debt", False),
        ("sounds good i'm interested", "how do i am a m", False),
        ("stop calling", "stop", True),
        ("stop", "", False),
    ],
)
def test_a_label_stays_where_enough_words_and_each_not_do(
    said: str, heard: str, true: bool
) -> None:
    assert keeps_meaning(said, heard) is true


def test_nothing_is_trained_twice_or_is_in_the_test() -> None:
    stop = Example("Stop calling me.", ("stop_request",), line="a:1")
    train = [stop, Example("stop calling", ("stop_request",), line="a:2")]
    heldout = [Example("um stop all the calls", ("stop_request",), line="b:1")]
    heard = [
        (stop, "stop calling me", "stop calling me"),  # right
        (stop, "stop calling me", "stop calling"),  # another example
        (stop, "stop all those calls", "stop all the calls"),  # in the test
        (stop, "please stop calling me", "please stop call in me"),
        (stop, "please stop calling me", "Please stop call in me"),  # the same again
    ]
    found = trainable(heard, train, heldout)
    assert [(each.text, each.intents) for each in found] == [
        ("please stop call in me", ("stop_request",))
    ]


def test_written_examples_are_read_again(tmp_path: Path) -> None:
    examples = [
        Example("yes", ("affirmation",), "yes_no"),
        Example("no way", ("negation", "angry")),
        Example("oh", ()),
        Example("it's null", ("content",), "text"),
    ]
    path = tmp_path / "heard" / "en_heard.yaml"
    write_examples(path, examples, "Title.")
    found = {(each.text, each.intents, each.slot, each.language) for each in read_examples(path)}
    assert found == {(each.text, each.intents, each.slot, "en") for each in examples}


def test_the_line_of_heard_examples_has_noise_and_a_pause_on_both_sides() -> None:
    heard = pytest.importorskip("models.intent.recipe.heard")
    tone = np.sin(np.arange(8000) * 0.5).astype(np.float32)
    sound = heard.over_line(tone, random.Random(1))
    assert len(sound) == 800 + 8000 + 2400
    assert np.abs(sound).max() <= 1
    assert 0 < np.abs(sound[-2000:]).mean() < 0.1 * np.abs(sound[2000:7000]).mean()
