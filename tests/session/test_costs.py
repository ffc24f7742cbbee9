"""What calls cost, how late things are: under times that the test hands in."""

import pytest

from appliance.session.costs import Cost, Counted, Lateness

S = 1_000_000_000


def test_a_guess_holds_until_something_is_measured() -> None:
    cost = Cost(2.0, 0.1)
    assert cost.share(4) == pytest.approx(0.2)
    for _ in range(600):
        cost.spend(0.05, 1.0, 1)
    assert cost.per_call == pytest.approx(0.05, rel=0.2)


def test_idle_use_is_not_taken_for_the_calls() -> None:
    """One call beside a quarter of a core that is used anyway; twelve would fit."""
    cost = Cost(1.0, 0.05)
    for _ in range(200):
        cost.spend(0.25, 1.0, 0)
    for _ in range(300):
        cost.spend(0.30, 1.0, 1)
    assert cost.per_call == pytest.approx(0.05, rel=0.05)
    assert cost.share(12) == pytest.approx(0.85, rel=0.05)


def test_a_busy_idle_minute_is_forgotten_while_a_call_is_on() -> None:
    """An index was built when nobody called; since then one caller has never hung up."""
    cost = Cost(1.0, 0.004)
    for _ in range(60):
        cost.spend(1.0, 1.0, 0)
    assert cost.share(1) > 0.9
    for _ in range(120):
        cost.spend(0.03, 1.0, 1)
    assert cost.share(2) < 0.1


def test_a_moment_of_quiet_does_not_end_the_idle_use() -> None:
    cost = Cost(1.0, 0.05)
    for _ in range(200):
        cost.spend(0.25, 1.0, 0)
    for second in range(600):
        cost.spend(0.0 if second % 10 == 0 else 0.33, 1.0, 1)  # 0.3 on average
    assert cost.per_call == pytest.approx(0.05, rel=0.7)


def test_what_was_long_ago_counts_little() -> None:
    cost = Cost(1.0, 0.01)
    for busy_s in (0.5, 0.02):
        for _ in range(1500):
            cost.spend(busy_s, 1.0, 1)
    assert cost.per_call == pytest.approx(0.02, rel=0.25)


def test_no_time_costs_nothing() -> None:
    cost = Cost(1.0, 0.01)
    cost.spend(5.0, 0.0, 1)
    assert cost.per_call == pytest.approx(0.01)


def test_one_that_is_late_is_forgiven() -> None:
    late = Lateness(10.0)
    assert late.high_s(0) == 0
    late.add(1.0, 0)
    assert late.high_s(0) == 0
    late.add(2.0, 0)
    assert late.high_s(0) == 1.0


def test_one_in_twenty_may_be_late() -> None:
    late = Lateness(1000.0)
    for at in range(100):
        late.add(1.0 if at % 20 == 0 else 0.0, at * S)
    assert late.high_s(100 * S) == 0.0
    late.add(1.0, 100 * S)
    assert late.high_s(100 * S) == 1.0


def test_lateness_and_counts_are_forgotten() -> None:
    late, counted = Lateness(10.0), Counted(10.0)
    for _ in range(2):
        late.add(1.0, 0)
        counted.add(3, 0)
    counted.add(0, 0)
    assert (late.high_s(10 * S), counted.lately(10 * S)) == (1.0, 6)
    assert (late.high_s(10 * S + 1), counted.lately(10 * S + 1)) == (0.0, 0)


def test_early_is_not_late() -> None:
    late = Lateness(10.0)
    for _ in range(3):
        late.add(-1.0, 0)
    assert late.high_s(0) == 0.0
