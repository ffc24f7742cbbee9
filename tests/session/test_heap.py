"""Free memory goes back to the system, and collections are quick."""

import subprocess
import sys

from appliance.session.heap import Heap

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


S = 1_000_000_000


def test_it_trims_often_while_idle_and_seldom_else() -> None:
    trims: list[int] = []
    heap = Heap(lambda: trims.append(1))
    done = []
    for second, idle in ((1, True), (2, True), (6, False), (6, True), (7, True), (605, False),
                         (606, False), (607, False), (611, True)):  # fmt: skip
        heap.look(idle, second * S)
        done.append(len(trims))
    assert done == [1, 1, 1, 2, 2, 2, 3, 3, 4]


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
