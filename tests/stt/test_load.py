"""When a box takes one more call, under a clock that the test moves."""

import pytest

from appliance.stt.load import Load, Mean

S = 1_000_000_000


def busy_box(decode_s: float, late_s: float = 0.0, calls: int = 1, minutes: int = 5) -> Load:
    """A box after minutes with so many calls, each with a 2 s utterance every 5 s."""
    load = Load(workers=2, sla_ms=200)
    for _ in range(calls):
        load.begin_call(0)
    for second in range(0, minutes * 60, 5):
        for _ in range(calls):
            load.decoded(2.0, decode_s, second * S)
            load.answered(late_s, second * S)
    return load


END = 300 * S


def test_first_call_is_always_taken() -> None:
    load = Load(workers=1, sla_ms=200)
    load.warm_up(2.0, 60.0)
    assert load.admits(0)
    load.begin_call(0)
    assert not load.admits(1)
    load.end_call(2 * S)
    assert load.admits(2 * S)


def test_a_fast_box_takes_many() -> None:
    load = busy_box(decode_s=0.02, calls=20)
    assert load.admits(END)
    assert load.is_light(END)


def test_a_box_whose_workers_are_busy_takes_no_more() -> None:
    load = busy_box(decode_s=0.5, calls=15)
    assert load.figures(END).busy > 0.6
    assert not load.admits(END)


def test_a_box_that_is_late_takes_no_more() -> None:
    assert busy_box(decode_s=0.02, late_s=0.15).admits(END)
    assert not busy_box(decode_s=0.02, late_s=0.3).admits(END)


def test_a_longer_queue_counts_before_it_is_there() -> None:
    """Nothing is late yet; with one call more the waits would be."""
    load = busy_box(decode_s=1.0, calls=5)
    figures = load.figures(END)
    assert figures.late_ms == 0
    assert figures.next_late_ms > 200
    assert not load.admits(END)


def test_cost_is_measured_not_guessed() -> None:
    """A box that the warm-up took for slow is found to be fast, and the other way round."""
    for warm_up_s, decode_s, taken in ((2.0, 0.02, True), (0.02, 1.0, False)):
        load = Load(workers=2, sla_ms=200)
        load.warm_up(1.0, warm_up_s)
        for _ in range(5):
            load.begin_call(0)
        assert load.admits(1) is not taken
        for second in range(0, 300, 5):
            for _ in range(5):
                load.decoded(2.0, decode_s, second * S)
        assert load.admits(END) is taken


def test_lateness_is_forgiven() -> None:
    load = busy_box(decode_s=0.02, late_s=1.0)
    assert not load.admits(END)
    assert load.admits(END + 180 * S)


def test_partials_end_before_calls_are_refused() -> None:
    load = busy_box(decode_s=0.02, late_s=0.15)
    assert load.admits(END)
    assert not load.is_light(END)


def one_call(*late_s: float) -> Load:
    """A box with one call, whose finals were so late, one every 5 s."""
    load = Load(workers=2, sla_ms=200)
    load.begin_call(0)
    for at, each in enumerate(late_s):
        load.decoded(2.0, 0.02, at * 5 * S)
        load.answered(each, at * 5 * S)
    return load


@pytest.mark.parametrize("late_s", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("before", [0, 10])
def test_one_late_final_refuses_nobody(late_s: float, before: int) -> None:
    """The first of all, or one among many."""
    load = one_call(*[0.0] * before, late_s)
    assert load.admits(before * 5 * S)
    assert load.is_light(before * 5 * S)


def test_two_late_finals_refuse_for_half_a_minute() -> None:
    load = one_call(0.0, 0.0, 0.3, 0.3)
    assert not load.admits(15 * S)
    assert not load.admits(30 * S)
    assert load.admits(46 * S)


def test_finals_in_time_outweigh_late_ones() -> None:
    """20 finals of a busy box are seconds."""
    load = one_call()
    for at in range(21):
        load.answered(1.0 if at < 2 else 0.0, S + at)
        assert load.admits(S + at) is (at in (0, 20))


def test_a_box_whose_workers_hang_takes_no_call() -> None:
    load = Load(workers=2, sla_ms=200)
    load.warm_up(1.0, 0.02)
    load.hang(2)
    assert not load.admits(0)
    assert not load.is_light(0)
    assert load.figures(0).hanging == 2
    load.hang(1)
    assert load.admits(0)
    load.begin_call(0)
    assert load.admits(0)


def test_a_worker_that_hangs_hears_nobody() -> None:
    load = busy_box(decode_s=0.3, calls=8)
    assert load.admits(END)
    load.hang(1)
    assert not load.admits(END)


def test_the_mean_follows() -> None:
    mean = Mean()
    mean.add(8.0)
    assert mean.mean == pytest.approx(8.0)
    mean.add(0.0)
    assert mean.mean == pytest.approx(7.0)
