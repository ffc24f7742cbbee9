"""Processor time is that of the family, and of nobody else."""

import os
import subprocess
import sys

from appliance.testing.latency.processor import Meter

BURN = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ninput()"


def test_work_of_a_child_counts_as_the_appliances() -> None:
    meter = Meter(os.getpid(), [])
    meter.begin()
    with subprocess.Popen(
        [sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        busy = meter.end()
        child.kill()
    assert busy.appliance * busy.seconds >= 0.25
    assert busy.callers == 0
    assert busy.memory_mb is None or busy.memory_mb > 1


def test_process_that_is_gone_counts_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    meter = Meter(gone.pid, [gone.pid])
    meter.begin()
    busy = meter.end()
    assert (busy.appliance, busy.callers, busy.memory_mb) == (0, 0, None)
