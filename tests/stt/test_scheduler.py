"""Who is decoded next: with an executor that runs when the test says so, and with real threads."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from appliance.clock import SystemClock
from appliance.errors import EngineError
from appliance.stt.load import Load
from appliance.stt.scheduler import Scheduler
from appliance.testing.clock import VirtualClock

MS = 1_000_000
WAIT_S = 10.0


class SteppedExecutor(Executor):
    """Keeps what it is given until a thread is free, which is when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.waiting.append(lambda: fn(*args, **kwargs))
        return Future()

    def run(self) -> None:
        while self.waiting:
            self.waiting.pop(0)()


class Box:
    """A scheduler whose decodes take time of a virtual clock and note who was decoded."""

    def __init__(self, sla_ms: float = 200) -> None:
        self.clock, self.executor = VirtualClock(), SteppedExecutor()
        self.load = Load(workers=1, sla_ms=sla_ms)
        self.scheduler = Scheduler(self.executor, self.clock, self.load)
        self.done: list[str] = []

    def decode(self, name: str, took_ms: float = 10) -> Callable[[], str]:
        def work() -> str:
            self.clock.advance(took_ms)
            self.done.append(name)
            return name

        return work

    def final(self, name: str, due_ms: float, took_ms: float = 10) -> Future[str]:
        due_ns = self.clock.monotonic_ns() + int(due_ms * MS)
        return self.scheduler.final(name, 1.0, due_ns, self.decode(name, took_ms))

    def partial(self, call: str, name: str = "") -> Future[str | None]:
        return self.scheduler.partial(call, 1.0, self.decode(name or call))

    def run(self) -> list[str]:
        self.executor.run()
        return self.done


def test_finals_go_by_their_deadline() -> None:
    box = Box()
    results = [box.final("c", 300), box.final("a", 100), box.final("b", 200)]
    assert box.run() == ["a", "b", "c"]
    assert [each.result(0) for each in results] == ["c", "a", "b"]


def test_finals_of_one_deadline_go_in_order() -> None:
    box = Box()
    for name in "abc":
        box.final(name, 100)
    assert box.run() == ["a", "b", "c"]


def test_a_final_goes_before_partials() -> None:
    box = Box()
    partial = box.partial("talker")
    box.final("a", 1000)
    assert box.run() == ["a", "talker"]
    assert partial.result(0) == "talker"


def test_a_partial_is_dropped_while_a_final_waits() -> None:
    box = Box()
    box.final("a", 1000)
    dropped = box.partial("talker")
    assert dropped.result(0) is None
    assert box.run() == ["a"]


def test_a_newer_partial_replaces_the_older_of_its_call() -> None:
    box = Box()
    older, other, newer = box.partial("x", "x1"), box.partial("y"), box.partial("x", "x2")
    assert older.result(0) is None
    assert box.run() == ["y", "x2"]
    assert (other.result(0), newer.result(0)) == ("y", "x2")


def test_a_final_voids_the_partial_of_its_call() -> None:
    box = Box()
    partial = box.partial("x", "so far")
    box.final("x", 100)
    assert partial.result(0) is None
    assert box.run() == ["x"]


def test_a_forgotten_partial_is_dropped() -> None:
    box = Box()
    partial = box.partial("x")
    box.scheduler.forget("x")
    assert partial.result(0) is None
    assert box.run() == []


def test_partials_end_where_the_box_is_late() -> None:
    box = Box()
    box.load.begin_call(0)
    for _ in range(2):
        box.final("slow", due_ms=0, took_ms=500)
    box.run()
    assert box.partial("talker").result(0) is None


def test_cancelled_work_is_skipped() -> None:
    box = Box()
    box.final("a", 100).cancel()
    box.final("b", 200)
    box.partial("y").cancel()
    assert box.run() == ["b"]


def test_a_failure_reaches_who_waits_and_nobody_else() -> None:
    box = Box()

    def fail() -> str:
        raise EngineError("broken")

    failed = box.scheduler.final("a", 1.0, 0, fail)
    box.final("b", 100)
    box.run()
    with pytest.raises(EngineError, match="broken"):
        failed.result(0)
    assert box.done == ["b"]


def test_what_decodes_cost_and_how_late_they_are_is_measured() -> None:
    box = Box()
    for _ in range(2):
        box.final("a", due_ms=50, took_ms=100)
        box.run()
    figures = box.load.figures(box.clock.monotonic_ns())
    assert figures.decode_ms == pytest.approx(100)
    assert figures.late_ms == pytest.approx(50)


def test_decodes_that_hang_close_the_box(threads: Scheduler) -> None:
    """Calls that are taken would be deaf; once the decodes end, it is open again."""
    now_ns = SystemClock().monotonic_ns
    threads.load.begin_call(now_ns())
    gates = [Gate(), Gate()]
    due_ns = now_ns() - 5_000 * MS
    running = [threads.final("a", 1.0, due_ns, gate) for gate in gates]
    assert all(gate.begun.wait(WAIT_S) for gate in gates)
    waiting = threads.final("b", 1.0, due_ns, lambda: None)
    assert threads.load.admits(now_ns())
    threads.give_up(running[0], due_ns)
    assert threads.load.figures(now_ns()).hanging == 1
    assert threads.load.admits(now_ns())
    threads.give_up(running[1], due_ns)
    assert not threads.load.admits(now_ns())
    assert waiting.cancel()
    threads.give_up(waiting, due_ns)
    for gate, each in zip(gates, running, strict=True):
        gate.let_go.set()
        each.result(WAIT_S)
    figures = threads.load.figures(now_ns())
    assert figures.hanging == 0
    assert figures.late_ms >= 5000  # all three were late, and none is counted twice
    assert not threads.load.admits(now_ns())
    assert threads.load.admits(now_ns() + 31_000 * MS)


def test_what_ended_before_it_was_given_up_is_late_once() -> None:
    box = Box()
    decode = box.final("a", due_ms=0, took_ms=900)
    box.run()
    box.scheduler.give_up(decode, 0)
    figures = box.load.figures(box.clock.monotonic_ns())
    assert (figures.hanging, figures.late_ms) == (0, 0)


def test_close_drops_what_waits() -> None:
    box = Box()
    final, partial = box.final("a", 100), box.partial("y")
    box.scheduler.close()
    assert final.cancelled()
    assert partial.result(0) is None
    assert box.run() == []


class Gate:
    """Work that begins, and ends when it is let go."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        assert self.let_go.wait(WAIT_S)


@pytest.fixture
def threads() -> Any:
    clock = SystemClock()
    scheduler = Scheduler(ThreadPoolExecutor(2), clock, Load(workers=2, sla_ms=200))
    yield scheduler
    scheduler.close()


def test_no_partial_begins_while_a_final_runs(threads: Scheduler) -> None:
    final, begun = Gate(), threading.Event()
    running = threads.final("a", 1.0, SystemClock().monotonic_ns() + 10_000 * MS, final)
    assert final.begun.wait(WAIT_S)
    partial = threads.partial("b", 1.0, begun.set)
    threads.final("c", 1.0, 0, lambda: None).result(WAIT_S)  # the other thread has looked
    assert not begun.is_set()
    final.let_go.set()
    running.result(WAIT_S)
    partial.result(WAIT_S)


def test_a_partial_leaves_a_thread_for_finals(threads: Scheduler) -> None:
    partial = Gate()
    threads.partial("a", 1.0, partial)
    assert partial.begun.wait(WAIT_S)
    second = threads.partial("b", 1.0, lambda: "b")
    assert threads.final("c", 1.0, 0, lambda: "c").result(WAIT_S) == "c"
    assert not second.done()
    partial.let_go.set()
    assert second.result(WAIT_S) == "b"


def test_many_threads_ask_at_once(threads: Scheduler) -> None:
    results: list[Future[int]] = []

    def ask(first: int) -> None:
        for number in range(first, first + 50):
            threads.partial(str(number % 7), 0.1, lambda: None)
            results.append(threads.final(str(number), 0.1, number, lambda each=number: each))

    askers = [threading.Thread(target=ask, args=(50 * each,)) for each in range(4)]
    for each in askers:
        each.start()
    for each in askers:
        each.join(WAIT_S)
    assert sorted(each.result(WAIT_S) for each in results) == list(range(200))
