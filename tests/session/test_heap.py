"""Free memory goes back to the system, at idle moments only."""

import subprocess
import sys

from appliance.session.heap import EVERY_S, Heap

FREED = """
import os, threading
from appliance.session.heap import trim
from appliance.testing.soak.vitals import read_vitals
pieces = [bytearray(os.urandom(60_000)) for _ in range(1000)]
kept = pieces[::50]
del pieces
before = read_vitals(os.getpid()).anonymous_kib
trim()
print(before - read_vitals(os.getpid()).anonymous_kib)
"""


def test_it_trims_at_most_once_a_minute() -> None:
    trims: list[int] = []
    heap = Heap(lambda: trims.append(1))
    every_ns = int(EVERY_S * 1e9)
    for now_ns in (5, 6, every_ns, every_ns + 5, every_ns + 6, 3 * every_ns):
        heap.idle(now_ns)
    assert len(trims) == 3


def test_free_memory_between_pieces_in_use_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    assert int(done.stdout) > 30_000


SETTLED = """
import gc
from appliance.session.heap import settle
loaded = [[each] for each in range(100_000)]
settle()
print(gc.get_freeze_count(), len(gc.get_objects()))
"""


def test_collections_look_at_what_came_after_loading_only() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SETTLED], capture_output=True, text=True, check=True
    )
    aside, looked_at = map(int, done.stdout.split())
    assert aside > 100_000
    assert looked_at < 1000
