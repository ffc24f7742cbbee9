"""When the agent takes one more call, under a clock that the test moves."""

from collections.abc import Callable

import pytest

from appliance.session.admission import Admission, Resource, reason_of
from appliance.stt.load import Load

S = 1_000_000_000
TICK_S = 0.05


def box(calls: int = 0, sla_ms: float = 200, cores: int = 2) -> Admission:
    recognition = Load(workers=2, sla_ms=sla_ms)
    recognition.warm_up(2.0, 0.02)
    admission = Admission(recognition, sla_ms, cores)
    for _ in range(calls):
        admission.begin_call(0)
    return admission


def use(admission: Admission, resource: Resource, share: float, seconds: int = 600) -> None:
    """So much of a resource is used for some minutes."""
    for _ in range(seconds):
        admission.spent({resource: share}, 1.0)


def test_a_box_that_is_idle_takes_calls() -> None:
    admission = box(calls=3)
    assert admission.refusal(S) == ""
    assert admission.is_light(S)


Trouble = Callable[[Admission], None]


def late_loop(admission: Admission) -> None:
    for _ in range(20):
        admission.ticked(0.06, TICK_S, S)


def long_waits(admission: Admission) -> None:
    for _ in range(3):
        admission.waited(0.6, S)


def lost_frames(admission: Admission) -> None:
    admission.lost(26, S)


TROUBLES: list[tuple[str, Trouble]] = [
    ("the event loop is late", late_loop),
    ("sentences wait for the voice", long_waits),
    ("frames are lost", lost_frames),
]


@pytest.mark.parametrize(("why", "trouble"), TROUBLES)
def test_trouble_refuses_the_next_call_for_a_while(why: str, trouble: Trouble) -> None:
    admission = box(calls=1)
    trouble(admission)
    assert admission.refusal(S) == why
    assert reason_of(why) in ("loop", "voice", "frames")
    assert admission.refusal(32 * S) == ""


@pytest.mark.parametrize(("why", "trouble"), TROUBLES)
def test_the_first_call_is_taken_all_the_same(why: str, trouble: Trouble) -> None:
    """Nobody is served late by it, and it measures whether the trouble is over."""
    admission = box(calls=1)
    trouble(admission)
    admission.end_call(S)
    assert admission.refusal(S) == ""


def test_a_patient_box_bears_more() -> None:
    admission = box(calls=1, sla_ms=5000)
    late_loop(admission)
    long_waits(admission)
    assert admission.refusal(S) == ""


def test_a_loop_that_stood_still_was_late_for_all_that_time() -> None:
    """Half a second in ten: one tick, but one in twenty of all that should have been."""
    admission = box(calls=1)
    for _ in range(190):
        admission.ticked(0.0, TICK_S, S)
    admission.ticked(0.5, TICK_S, S)
    assert admission.standing(S).lag_ms == pytest.approx(0.0)
    admission.ticked(0.5, TICK_S, S)
    assert admission.refusal(S) == "the event loop is late"


@pytest.mark.parametrize("resource", ["loop", "voice", "box"])
def test_cpu_that_would_not_do_for_one_more_refuses(resource: Resource) -> None:
    admission = box(calls=10)
    use(admission, resource, 0.6 * (2 if resource == "box" else 1))
    assert admission.refusal(S) == ""
    use(admission, resource, 0.82 * (2 if resource == "box" else 1), 3000)
    assert admission.refusal(S) == f"no CPU left: {resource}"
    assert reason_of(admission.refusal(S)) == "cpu"


def test_a_dozen_calls_within_a_second_are_foreseen() -> None:
    """Each call counts when it is taken, long before it is seen in the CPU time."""
    admission = box(calls=2)
    use(admission, "box", 0.2)  # a tenth of a core each, of two cores
    taken = 2
    while not admission.refusal(S) and taken < 100:
        admission.begin_call(S)
        taken += 1
    assert 14 <= taken <= 17


def test_recognition_is_asked_too() -> None:
    recognition = Load(workers=1, sla_ms=200)
    recognition.warm_up(1.0, 30.0)
    admission = Admission(recognition, 200, 2)
    assert admission.refusal(0) == ""
    admission.begin_call(0)
    assert admission.refusal(0) == "its words would come late"
    assert reason_of(admission.refusal(0)) == "recognition"
    recognition.hang(1)
    admission.end_call(0)
    assert admission.refusal(0) == "its words would come late"


def test_partials_end_before_calls_are_refused() -> None:
    admission = box(calls=10)
    use(admission, "loop", 0.6)
    assert not admission.is_light(S)
    assert admission.refusal(S) == ""
    late = box(calls=1)
    for _ in range(20):
        late.ticked(0.03, TICK_S, S)
    assert not late.is_light(S)
    assert late.refusal(S) == ""


def test_a_crowded_box_has_no_partials() -> None:
    recognition = Load(workers=2, sla_ms=200)
    assert recognition.is_light(0)
    recognition.spare_time(there_is=False)
    assert not recognition.is_light(0)
    assert recognition.admits(0)


def test_figures_are_for_the_log() -> None:
    admission = box(calls=2)
    admission.lost(3, S)
    figures = admission.figures(S)
    assert figures["calls"] == figures["recognition"]["calls"] == 2
    assert figures["lost_frames"] == 3
