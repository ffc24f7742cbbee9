"""Percentiles against numpy's, intervals against what is known of them."""

import numpy as np
import pytest

from appliance.testing.latency.estimates import percentiles, share_pct


def test_percentiles_are_of_all_values_together() -> None:
    found = percentiles([list(range(1, 51)), list(range(51, 101))])
    assert (found.n, found.calls, found.worst) == (100, 2, 100.0)
    assert (found.p50.value, found.p95.value, found.p99.value) == (50.5, 95.0, 99.0)


def test_interval_holds_the_truth_as_often_as_it_says() -> None:
    chance = np.random.default_rng(5)
    held = 0
    for _ in range(60):
        calls = [chance.exponential(100.0, 6) for _ in range(40)]
        p50 = percentiles(calls, draws=200).p50
        assert p50.low is not None
        assert p50.high is not None
        held += p50.low <= 100 * np.log(2) <= p50.high
    assert held >= 51  # 95% of 60 is 57; 51 or fewer have a chance of 1 in 200


def test_turns_of_a_call_are_not_independent() -> None:
    """Calls that differ make the interval wider than as many turns of calls that do not."""
    chance = np.random.default_rng(6)
    widths = {1.0: 0.0, 30.0: 0.0}
    for spread in widths:
        within = np.sqrt(30.0**2 - spread**2 + 1)
        for _ in range(10):
            calls = [chance.normal(m, within, 8) for m in chance.normal(300, spread, 20)]
            p50 = percentiles(calls, draws=200).p50
            assert p50.low is not None
            assert p50.high is not None
            widths[spread] += p50.high - p50.low
    assert widths[30.0] > 1.8 * widths[1.0]


def test_one_call_has_no_interval_and_none_has_no_figure() -> None:
    assert percentiles([[5.0, 7.0]]).p50.model_dump() == {"value": 6.0, "low": None, "high": None}
    assert percentiles([[], []]).p50.value is None


def test_the_same_calls_give_the_same_interval() -> None:
    calls = [[float(i), i + 3.0] for i in range(9)]
    assert percentiles(calls) == percentiles(calls)


@pytest.mark.parametrize(
    ("hits", "value", "low", "high"),
    [
        ([(0, 10), (0, 20)], 0.0, 0.0, 10.0),
        ([(10, 10), (20, 20)], 100.0, 90.0, 100.0),
        ([(1, 4)], 25.0, None, None),
        ([], None, None, None),
        ([(0, 0)], None, None, None),
    ],
)
def test_shares_at_their_ends(
    hits: list[tuple[int, int]], value: float | None, low: float | None, high: float | None
) -> None:
    assert share_pct(hits).model_dump() == {"value": value, "low": low, "high": high}


def test_share_with_its_interval() -> None:
    found = share_pct([(1, 5), (0, 5), (0, 5), (1, 5)])
    assert found.value == 10.0
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low < 10.0 < found.high <= 20.0
