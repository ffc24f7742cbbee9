"""The word search on sounds that are made up."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.stt import beam
from appliance.stt.language import Language
from appliance.stt.search import sounding
from tests.stt.made_up import PHONES, WORDS, language, searching, sound, trigram


def find(log_probs: np.ndarray, known: Language | None = None) -> tuple[str, ...]:
    return searching(known).find(log_probs)[0].words


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


def test_phone_may_end_one_word_and_begin_the_next() -> None:
    assert find(sound("-aba-"), language(trigram({("ab", "ba"): -0.1}))) in {("ab", "ba"), ("ab",)}
    assert find(sound("-abba-")) == ("ab", "ba")


def test_nothing_is_no_words() -> None:
    assert find(np.zeros((0, len(PHONES)), np.float32)) == ()


def test_word_cut_short_is_left_out() -> None:
    assert find(sound("-dc")) == ("d",)


def blurred(phones: str, places: slice, one: str, other: str) -> np.ndarray:
    """A sound whose frames at `places` are as likely one phone as the other."""
    frames = sound(phones)
    frames[places, PHONES.index(one)] = frames[places, PHONES.index(other)] = np.log(0.48)
    return frames


def test_pairs_decide_where_the_sound_does_not() -> None:
    unclear = blurred("ab-", slice(4, 6), "", "d")
    short = language(trigram({("<s>", "ab"): -0.1, ("<s>", "abd"): -6.0}))
    long = language(trigram({("<s>", "ab"): -6.0, ("<s>", "abd"): -0.1}))
    assert find(unclear, short) == ("ab",)
    assert find(unclear, long) == ("abd",)


def test_triples_decide_where_pairs_do_not() -> None:
    unclear = blurred("-d-d-ab-", slice(14, 16), "", "d")
    pairs = {("<s>", "d"): -0.5, ("d", "d"): -0.5, ("d", "ab"): -2.0, ("d", "abd"): -2.0}
    for word in ("ab", "abd"):
        order = trigram(pairs, {("d", "d", word): -0.1})
        assert find(unclear, language(order)) == ("d", "d", word)


def test_slot_decides_where_its_share_is_large() -> None:
    unclear = blurred("ab-", slice(4, 6), "", "d")
    general = trigram({("<s>", "ab"): -0.1, ("<s>", "abd"): -4.0})
    slot = trigram({("<s>", "ab"): -8.0, ("<s>", "abd"): -0.1})
    search = searching(language(general, {"date": slot}))
    assert search.find(unclear, 1, "date", 0.95)[0].words == ("abd",)
    assert search.find(unclear, 1, "date", 0.01)[0].words == ("ab",)
    assert search.find(unclear, 1, "amount", 0.95)[0].words == ("ab",), "no such slot"


def test_rows_come_best_first_and_differ() -> None:
    rows = searching().find(blurred("ab-", slice(4, 6), "", "d"), 4)
    assert {rows[0].words, rows[1].words} == {("ab",), ("abd",)}
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
    assert len({row.words for row in rows}) == len(rows)


def test_new_word_is_heard_as_a_name() -> None:
    search = searching()
    heard = sound("-e-f-")
    assert search.find(heard)[0].words != ("ef",)
    more = search.with_words([("ef", ("e", "f"))], ("first", "last"), -1.0)
    assert more.find(heard)[0].words == ("ef",)
    assert more.find(sound("-ab-"))[0].words == ("ab",)
    assert search.find(heard)[0].words != ("ef",), "the search that it came from is as it was"


def test_word_with_a_phone_that_the_head_lacks_is_left_out() -> None:
    more = searching().with_words([("ax", ("a", "x"))], ("first",), 0.0)
    assert more.find(sound("-ab-"))[0].words == ("ab",)


def test_sure_blanks_cost_nothing_and_doubt_lowers_the_others() -> None:
    frames = sound("a-----b", sure=0.99)
    assert len(sounding(frames, 0.0)) == 5, "of the blanks, the first is kept"
    assert sounding(frames, 2.0)[0, 0] == pytest.approx(frames[0, 0] - 2.0)
    assert frames[0, 0] == pytest.approx(np.log(0.01 / 8), abs=1e-4), "the input stays as it was"


@pytest.mark.parametrize(("better", "kept"), [(0, 3), (2, 3), (3, 3)])
def test_equal_scores_do_not_widen_the_beam(better: int, kept: int) -> None:
    """Of twelve prefixes the better ones stay, then as many of the equal ones as have room."""
    search = searching(beam=3)
    old, new = beam._new_prefixes(32), beam._new_prefixes(32)
    histories = beam._new_histories(32)
    histories.cost[0] = 0.0
    new.used[0] = 12
    new.history[:12], new.node[:12] = 0, 0
    new.blank[:12], new.phone[:12] = -2.0, -1e30
    new.blank[12 - better : 12] = -1.0
    beam._keep_best(new, old, histories, search._tree, search._knobs)
    assert old.used[0] == kept
    assert sorted(old.blank[:kept]) == [-2.0] * (3 - better) + [-1.0] * better


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=5))
def test_clear_sentence_is_found(sentence: list[str]) -> None:
    """The words found are spelled as those spoken and are no more."""
    phones = "-".join(WORDS[word].replace(" ", "-") for word in sentence)
    found = searching().find(sound(f"-{phones}-"))[0].words
    spoken = "".join(WORDS[word].replace(" ", "") for word in sentence)
    assert "".join(WORDS[word].replace(" ", "") for word in found) == spoken
    assert len(found) <= len(sentence)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_sound_is_the_sum_over_all_alignments(seed: int, length: int) -> None:
    """Against trying every row of phones for a single word (CTC's definition)."""
    frames = np.random.default_rng(seed).normal(0, 1, (length, len(PHONES))).astype(np.float32)
    frames -= np.log(np.exp(frames).sum(axis=1, keepdims=True))
    wide = searching(beam=4000, width=1e9, look=0.0)
    wanted = {row.words: row.sound for row in wide.find(frames, 50)}
    places = {"ab": (1, 2), "d": (4,)}
    for word, phones in places.items():
        total = -np.inf
        for path in itertools.product((0, *sorted(set(phones))), repeat=length):
            if tuple(p for i, p in enumerate(path) if p and (not i or path[i - 1] != p)) == phones:
                total = np.logaddexp(total, sum(frames[t, p] for t, p in enumerate(path)))
        assert wanted[word,] == pytest.approx(total, abs=1e-3)
