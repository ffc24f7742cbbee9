"""Imported first of all: numpy's matrix products run in one thread each.

OpenBLAS starts a thread for each core when numpy is loaded, and they spin while they wait for each
other. The products of a call are small: a decode of 3 s took 34 ms of CPU with two threads and 8 ms
with one, on two busy cores. An operator's own value stays.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
