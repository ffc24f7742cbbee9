"""The queue of frames that wait to be said."""

from __future__ import annotations

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


def test_flush_drops_what_waits_and_keeps_the_count() -> None:
    queue = PlayQueue()
    for number in range(5):
        queue.push(frame(number))
    queue.next_frame()
    queue.flush()
    assert queue.next_frame() is None
    assert (queue.played, queue.dropped) == (1, 0)
