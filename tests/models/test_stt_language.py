"""The recipe's trigrams, and what is fitted to a model."""

import itertools

import numpy as np
import pytest

from appliance.stt.confidence import FEATURES, chance
from appliance.stt.language import END, START, Trigram
from models.stt.recipe import language, ngrams, odds

A, B, C, D = 3, 4, 5, 6  # 2 is the unknown word
TOKENS = 7
DIGITS = [[A, B, A], [B, A, B, A], [A, A], [B, B, A]] * 5
WORDS = [[C, D], [C, D, C], [D], [C, C, D]] * 5


def likely(order: Trigram, history: tuple[int, ...], token: int) -> float:
    """P(token | history) of a back-off model, the slow way."""
    before = history[-1]
    row = slice(order.pair_starts[before], order.pair_starts[before + 1])
    pairs = dict(zip(order.pair_tokens[row].tolist(), range(row.start, row.stop), strict=True))
    if len(history) > 1:
        first, second = history
        start, stop = order.pair_starts[first], order.pair_starts[first + 1]
        places = [p for p in range(start, stop) if order.pair_tokens[p] == second]
        for place in places:
            row = slice(order.triple_starts[place], order.triple_starts[place + 1])
            found = np.flatnonzero(order.triple_tokens[row] == token)
            if len(found):
                return float(np.exp(order.triple_costs[row][found[0]]))
            return float(np.exp(order.pair_back[place])) * likely(order, history[1:], token)
    if token in pairs:
        return float(np.exp(order.pair_costs[pairs[token]]))
    return float(np.exp(order.first_back[before] + order.first[token]))


@pytest.mark.parametrize("least", [1, 4])
def test_chances_sum_to_one_after_every_history(least: int) -> None:
    sources = [ngrams.Source(DIGITS, TOKENS), ngrams.Source(WORDS, TOKENS)]
    order = ngrams.mix(sources, [0.5, 0.5], least)
    seen = [(START,), *((a,) for a in (A, B, C, D)), *itertools.product((A, B, C, D), repeat=2)]
    for history in seen:
        total = sum(likely(order, history, token) for token in range(TOKENS))
        assert total == pytest.approx(1, abs=0.03), history


def test_a_source_weighs_more_after_its_own_words() -> None:
    sources = [ngrams.Source(DIGITS, TOKENS), ngrams.Source(WORDS * 50, TOKENS)]
    order = ngrams.mix(sources, [0.1, 0.9], 1)
    assert likely(order, (START,), C) > likely(order, (START,), A)
    assert likely(order, (A,), B) + likely(order, (A,), A) + likely(order, (A,), END) > 0.9


def test_perplexity_is_lower_for_what_is_like_the_text() -> None:
    sources = [ngrams.Source(DIGITS, TOKENS)]
    known, strange = (ngrams.perplexity(sources, [1.0], [row]) for row in ([A, B, A], [D, C, C]))
    assert known < 4 < strange


def test_names_become_classes() -> None:
    said = "this is maria lopez and may i ask for grace".split()  # noqa: SIM905
    assert language._classed(said, "en", False)[:4] == ["this", "is", "<first>", "<last>"]
    assert language._classed(said, "en", False)[4:] == said[4:]
    assert language._classed(["this", "is", "grace"], "en", True)[-1] == "<first>"


def test_logistic_model_finds_what_decides() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(0, 2, (4000, len(FEATURES)))
    y = (rng.random(4000) < 1 / (1 + np.exp(-(1.0 + 2.0 * x[:, 0])))).astype(float)
    fitted = odds.fit_logistic(x, y, np.ones(len(x)))
    assert fitted.weights["margin"] == pytest.approx(2.0, abs=0.25)
    assert max(abs(w) for name, w in fitted.weights.items() if name != "margin") < 0.15
    assert odds.calibration_error(fitted, x, y) < 0.03
    inverted = fitted.model_copy(update={"bias": -fitted.bias - 3})
    assert odds.calibration_error(inverted, x, y) > 0.1
    assert 0 <= chance(dict.fromkeys(FEATURES, 50.0), fitted) <= 1
