from appliance.sources.breaker import Breaker
from appliance.testing.clock import VirtualClock


def opened(clock: VirtualClock, after: int = 3) -> Breaker:
    breaker = Breaker(after, 30, clock)
    for _ in range(after):
        assert breaker.admit()
        breaker.failed()
    return breaker


def test_opens_after_so_many_failures_in_a_row() -> None:
    breaker = Breaker(3, 30, VirtualClock())
    assert [breaker.admit() and breaker.failed() for _ in range(3)] == [False, False, True]
    assert breaker.is_open
    assert not breaker.admit()
    assert breaker.left_s == 30


def test_a_success_between_begins_the_count_anew() -> None:
    breaker = Breaker(2, 30, VirtualClock())
    for _ in range(5):
        breaker.failed()
        breaker.succeeded()
    assert breaker.admit()
    assert breaker.failures == 0


def test_half_open_lets_one_probe_through() -> None:
    clock = VirtualClock()
    breaker = opened(clock)
    clock.advance(29_999)
    assert not breaker.admit()
    clock.advance(1)
    assert breaker.admit()
    assert not breaker.admit()


def test_a_good_probe_closes_it() -> None:
    clock = VirtualClock()
    breaker = opened(clock)
    clock.advance(30_000)
    assert breaker.admit()
    breaker.succeeded()
    assert breaker.admit()
    assert breaker.admit()
    assert not breaker.is_open


def test_a_bad_probe_opens_it_for_the_whole_time_again() -> None:
    clock = VirtualClock()
    breaker = opened(clock)
    clock.advance(40_000)
    assert breaker.admit()
    assert breaker.failed()
    assert breaker.left_s == 30
    assert not breaker.admit()


def test_a_probe_that_is_withdrawn_leaves_room_for_another() -> None:
    clock = VirtualClock()
    breaker = opened(clock)
    clock.advance(30_000)
    assert breaker.admit()
    breaker.withdrew()
    assert breaker.admit()


def test_calls_that_were_under_way_do_not_prolong_it() -> None:
    clock = VirtualClock()
    breaker = opened(clock)
    clock.advance(20_000)
    assert not breaker.failed()
    assert breaker.left_s == 10
