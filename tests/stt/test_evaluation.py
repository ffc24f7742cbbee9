"""The figures are those of what was heard: counted here by hand, with a recognizer by rote."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from appliance.errors import EngineError
from appliance.stt.evaluation import Judged, Utterance, by_group, confusions, figures, judge
from appliance.stt.intervals import error_rate, rate
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.types import Transcript

SECOND = bytes(16000)


class ByRote:
    """Says what it was told to, in order; an EngineError for None."""

    def __init__(self, *texts: str | None) -> None:
        self._texts = iter([texts[0], *texts])  # the first is heard twice
        self.hints: list[Hint] = []

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        self.hints.append(hint)
        text = next(self._texts)
        if text is None:
            raise EngineError("broke")
        until = time.process_time() + 0.002
        while time.process_time() < until:
            pass
        return Transcript(text, 0.5)


def utterances(*said: str, group: str = "") -> Iterator[Utterance]:
    for number, text in enumerate(said):
        yield Utterance(f"{number}.wav", text, SECOND, Hint(slot="zip"), group)


def test_figures_of_a_set() -> None:
    recognizer = ByRote("nine oh two", "yes the please", "no", "")
    judged = judge(recognizer, utterances("nine zero two", "yes please", "no sir", "hello"))
    found = figures(judged)
    assert (found.utterances, found.seconds, found.failed) == (4, 4.0, 0)
    assert (found.substituted, found.lost, found.added) == (0, 2, 1)
    assert (found.wer.value, found.wer.count) == (3 / 8, 8)
    assert (found.exact.value, found.exact.count) == (1 / 4, 4)
    assert found.digits is not None
    assert (found.digits.value, found.digits.count) == (1.0, 1)
    assert found.cpu_ms[1] >= found.cpu_ms[0] >= 2
    assert found.cpu_share >= 0.002
    assert recognizer.hints == [Hint(slot="zip")] * 5
    assert confusions(judged) == {("sir", ""): 1, ("", "the"): 1, ("hello", ""): 1}
    assert found.as_json()["wer"] == {"value": 0.375, "low": round(found.wer.low, 4),
                                      "high": round(found.wer.high, 4), "count": 8}  # fmt: skip


def test_words_around_digits_do_no_harm_and_a_wrong_digit_does() -> None:
    heard = ByRote("it's nine oh two please", "nine oh three")
    first, second = judge(heard, utterances("nine oh two", "nine oh two"))
    assert (first.digits, second.digits) == (True, False)
    assert judge(ByRote("five"), utterances("give me five"))[0].digits is None


def test_an_engine_that_fails_has_heard_nothing() -> None:
    (only,) = judge(ByRote(None), utterances("yes"))
    assert (only.heard, only.failed, only.comparison.errors) == ("", "broke", 1)
    assert figures([only]).failed == 1


def test_what_is_not_said_and_heard_counts_as_added() -> None:
    found = figures(judge(ByRote("hello there"), utterances("")))
    assert (found.wer.value, found.added) == (2.0, 2)


def test_each_is_told_as_soon_as_it_is_heard() -> None:
    told: list[Judged] = []

    def watched() -> Iterator[Utterance]:
        for number, each in enumerate(utterances("a", "b", "c")):
            assert len(told) == number
            yield each

    assert judge(ByRote("a", "b", "c"), watched(), tell=told.append) == told


def test_groups_keep_their_order() -> None:
    every = [*utterances("a", group="lucas"), *utterances("b", group="ann"),
             *utterances("c", group="lucas")]  # fmt: skip
    groups = by_group(judge(ByRote("a", "b", "c"), every))
    assert {name: len(each) for name, each in groups.items()} == {"lucas": 2, "ann": 1}
    assert list(groups) == ["lucas", "ann"]


def test_nothing_cannot_be_counted() -> None:
    with pytest.raises(ValueError, match="no utterance"):
        figures([])
    with pytest.raises(ValueError, match="of nothing"):
        rate(0, 0)
    with pytest.raises(ValueError, match="of nothing"):
        error_rate([], [])


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (90, 100, 0.8256, 0.9448),
    ],
)
def test_wilsons_interval(hits: int, count: int, low: float, high: float) -> None:
    """By hand: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n) with z² = 3.8415."""
    found = rate(hits, count)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_the_bootstrap_agrees_with_theory_and_repeats() -> None:
    """One word an utterance: the interval is that of a share, about 1.96 standard errors wide."""
    rng = np.random.default_rng(1)
    errors = [int(each) for each in rng.random(2000) < 0.2]
    found = error_rate(errors, [1] * 2000)
    assert found == error_rate(errors, [1] * 2000)
    half = 1.96 * (found.value * (1 - found.value) / 2000) ** 0.5
    assert found.value - found.low == pytest.approx(half, rel=0.15)
    assert found.high - found.value == pytest.approx(half, rel=0.15)


def test_errors_that_come_together_widen_the_interval() -> None:
    """Ten errors in ten utterances say more than ten in one."""
    spread = error_rate([1] * 10 + [0] * 90, [10] * 100)
    together = error_rate([10] + [0] * 99, [10] * 100)
    assert spread.value == together.value
    assert together.high - together.low > spread.high - spread.low
