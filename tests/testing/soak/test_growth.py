"""What the soak takes for a leak, and what it does not."""

import mmap
import os
import random
import socket
import subprocess
import sys

import pytest

from appliance.testing.soak.growth import Growth, Sample, growth_of, slope
from appliance.testing.soak.vitals import Vitals, read_vitals


def samples(
    kib_a_call: float, descriptors: int = 17, *, leaking_descriptors: bool = False
) -> list[Sample]:
    """Forty looks, one every 25 calls; memory jitters by 300 KiB and rises in the first calls."""
    chance = random.Random(1)
    found = []
    for calls in range(25, 1025, 25):
        warm = 4000 * min(1.0, calls / 150)
        kib = round(400_000 + warm + kib_a_call * calls + chance.uniform(-300, 300))
        more = calls // 100 if leaking_descriptors else chance.choice((0, 0, 1))
        found.append(Sample(calls, Vitals(kib, kib + 160_000, descriptors + more, 11)))
    return found


def leaking(found: list[Growth]) -> list[str]:
    return [each.figure for each in found if each.leaks]


@pytest.mark.parametrize(("kib_a_call", "said"), [(0.0, []), (1.0, []), (8.0, ["anonymous_kib"])])
def test_memory_by_its_slope(kib_a_call: float, said: list[str]) -> None:
    found = growth_of(samples(kib_a_call), kib_a_call=4.0)
    assert leaking(found) == said
    assert found[0].per_call == pytest.approx(kib_a_call, abs=0.3)


def test_descriptors_that_stay_open() -> None:
    assert leaking(growth_of(samples(0.0, leaking_descriptors=True), 4.0)) == ["descriptors"]


def test_too_few_looks_tell_nothing() -> None:
    for few in ([], samples(0.0)[:8]):
        with pytest.raises(ValueError, match="samples are too few"):
            growth_of(few, 4.0)


def test_a_slope_of_points_and_an_outlier() -> None:
    line = [(float(x), 2.0 * x + 1) for x in range(20)]
    assert slope(line) == pytest.approx(2.0)
    line[7] = (7.0, 500.0)
    assert slope(line) == pytest.approx(2.0)
    with pytest.raises(ValueError, match="two places"):
        slope([(1.0, 1.0), (1.0, 2.0)])


def test_vitals_of_a_process() -> None:
    before = read_vitals(os.getpid())
    assert before.resident_kib >= before.anonymous_kib > 1000
    kept = [socket.socket() for _ in range(3)]
    held = mmap.mmap(-1, 8 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # not of the heap
    held.write(b"x" * len(held))
    after = read_vitals(os.getpid())
    assert after.descriptors == before.descriptors + len(kept)
    assert after.anonymous_kib - before.anonymous_kib >= 7 * 1024
    held.close()
    for each in kept:
        each.close()


def test_a_process_that_has_ended_has_none() -> None:
    done = subprocess.Popen([sys.executable, "-c", "pass"])
    done.wait()
    with pytest.raises(ProcessLookupError):
        read_vitals(done.pid)
