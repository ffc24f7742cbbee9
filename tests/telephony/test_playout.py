"""The queue of frames that wait to be said."""

from __future__ import annotations

import numpy as np
import pytest

from appliance.telephony.outlet import faded_out
from appliance.telephony.playout import MAX_QUEUED_MS, PlayQueue

ROOM = MAX_QUEUED_MS // 20


def frame(number: int) -> bytes:
    return number.to_bytes(2, "little") * 160


def test_first_in_first_out() -> None:
    queue = PlayQueue()
    for number in range(3):
        queue.push(frame(number))
    assert [queue.next_frame() for _ in range(4)] == [frame(0), frame(1), frame(2), None]
    assert (queue.played, queue.dropped) == (3, 0)


def test_overflow_drops_the_oldest() -> None:
    queue = PlayQueue()
    for number in range(ROOM + 4):
        queue.push(frame(number))
    assert len(queue) == ROOM
    assert queue.next_frame() == frame(4)
    assert (queue.played, queue.dropped) == (1, 4)


def test_flush_drops_what_waits_and_what_sounds_fades_out() -> None:
    queue = PlayQueue()
    for _ in range(5):
        queue.push(frame(8000))
    queue.next_frame()
    queue.flush()
    tail = np.frombuffer(queue.next_frame() or b"", "<i2")
    assert tail[0] == pytest.approx(8000, abs=10)
    assert abs(tail[-1]) < 10
    assert (np.diff(tail) <= 0).all()
    assert queue.next_frame() is None
    assert (queue.played, queue.dropped) == (1, 0), "the fade is no frame of the agent's"


def test_flush_of_what_has_not_begun_is_silent() -> None:
    queue = PlayQueue()
    queue.push(frame(8000))
    queue.flush()
    assert queue.next_frame() is None
    queue.flush()
    assert (len(queue), queue.played) == (0, 0)


def test_flush_upon_flush_fades_once_and_what_comes_next_follows() -> None:
    queue = PlayQueue()
    for _ in range(3):
        queue.push(frame(8000))
    queue.next_frame()
    queue.flush()
    queue.flush()
    queue.push(frame(1))
    assert queue.next_frame() == faded_out(frame(8000))
    assert queue.next_frame() == frame(1)
    assert queue.played == 2
