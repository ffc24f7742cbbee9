"""The gauges measure a real event loop, real threads and real processes."""

import asyncio
import contextlib
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from appliance.clock import SystemClock
from appliance.session.admission import Admission
from appliance.session.gauges import Gauges
from appliance.session.metered import Apart, Meter, MeteredWorkers
from appliance.stt.load import Load
from appliance.testing.clock import VirtualClock

pytestmark = pytest.mark.anyio


@contextlib.asynccontextmanager
async def measured(switch: Any, meter: Meter, load: Load, cores: int = 2) -> Any:
    clock = SystemClock()
    admission = Admission(load, 200, cores)
    admission.begin_call(clock.monotonic_ns())
    task = asyncio.create_task(Gauges(admission, meter, load, clock).run(switch))
    try:
        yield admission
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_loop_that_stands_still_is_seen() -> None:
    switch = SimpleNamespace(line_cpu_s=0.0, dropped_frames=0, open_calls=1)
    load = Load(workers=2, sla_ms=200)
    async with measured(switch, Meter(), load) as admission:
        for _ in range(8):
            await asyncio.sleep(0.06)
            time.sleep(0.25)  # noqa: ASYNC251 (this is the trouble)
        now_ns = time.monotonic_ns()
        assert admission.refusal(now_ns) == "the event loop is late"
        assert admission.standing(now_ns).lag_ms > 50
        for _ in range(200):
            if not load.is_light(now_ns):
                break
            await asyncio.sleep(0.02)
        assert not load.is_light(now_ns)


async def test_lost_frames_and_cpu_are_read_once_a_look() -> None:
    switch = SimpleNamespace(line_cpu_s=0.0, dropped_frames=100, open_calls=0)
    async with measured(switch, Meter(), Load(workers=2, sla_ms=200), cores=1) as admission:
        await asyncio.sleep(0)
        switch.dropped_frames = 130
        ended_s = time.monotonic() + 20
        while admission.standing(time.monotonic_ns()).lost_frames == 0:
            sum(range(20_000))  # some CPU
            await asyncio.sleep(0.001)
            assert time.monotonic() < ended_s
        assert admission.standing(time.monotonic_ns()).lost_frames == 30
        guess = Admission(Load(workers=2, sla_ms=200), 200, 1)
        guess.begin_call(0)
        assert admission.standing(0).box != guess.standing(0).box


async def test_cpu_of_the_lines_counts() -> None:
    switch = SimpleNamespace(line_cpu_s=50.0, dropped_frames=0, open_calls=1)
    async with measured(switch, Meter(), Load(workers=2, sla_ms=200), cores=1) as admission:
        await asyncio.sleep(0)
        switch.line_cpu_s = 350.0
        ended_s = time.monotonic() + 20
        while admission.standing(time.monotonic_ns()).box < 1:
            await asyncio.sleep(0.01)
            assert time.monotonic() < ended_s


def compute() -> None:
    """50 ms of this thread's CPU time."""
    until_s = time.thread_time() + 0.05
    while time.thread_time() < until_s:
        pass


def test_workers_tell_waits_and_work() -> None:
    clock, meter = VirtualClock(), Meter()
    first_runs, may_end = threading.Event(), threading.Event()

    def first() -> str:
        first_runs.set()
        may_end.wait()
        compute()
        return "done"

    with MeteredWorkers("speaking", 1, clock, meter) as workers:
        one = workers.submit(first)
        first_runs.wait()
        two = workers.submit(int, "7")
        clock.advance(300)
        may_end.set()
        assert (one.result(), two.result()) == ("done", 7)
        failed = workers.submit(int, "x")
        with pytest.raises(ValueError, match="invalid literal"):
            failed.result()
    busy_s, waits = meter.take()
    assert [wait_s for wait_s, _ in waits] == [0.0, pytest.approx(0.3), 0.0]
    assert 0.05 <= busy_s < 0.1
    assert meter.take() == (0.0, [])


def test_work_of_no_call_is_told_apart() -> None:
    """A flow that is loaded while a call is on makes no call dearer."""
    meter = Meter()
    with MeteredWorkers("speaking", 1, VirtualClock(), meter) as workers:
        workers.submit(Apart(compute)).result()
    assert meter.take()[0] == 0.0
    assert 0.05 <= meter.take_apart() < 0.1
    assert meter.take_apart() == 0.0
