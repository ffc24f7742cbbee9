import numpy as np
import pytest

from appliance.audio.clicks import find_clicks
from appliance.audio.level import to_float
from appliance.session.playout import LEAD, Clip, Playout, Said
from appliance.telephony.outlet import Outlet
from appliance.telephony.playout import PlayQueue
from appliance.types import FRAME_BYTES


class Line:
    """Plays one frame a tick, as the line process does."""

    def __init__(self) -> None:
        self.queue: list[bytes] = []
        self.played: list[bytes] = []
        self.said: list[Said] = []
        self.playout = Playout(self.queue.append, self.queue.clear, self.said.append)
        self.deepest = 0

    def tick(self, count: int = 1) -> None:
        for _ in range(count):
            self.deepest = max(self.deepest, len(self.queue))
            if self.queue:
                self.played.append(self.queue.pop(0))
            self.playout.tick(len(self.played))


def clip(name: str, frames: int, *, protected: bool = False, last: bool = True) -> Clip:
    return Clip(name, bytes([frames % 256]) * FRAME_BYTES * frames, protected, last)


@pytest.fixture
def line() -> Line:
    return Line()


def test_first_frame_goes_out_at_once(line: Line) -> None:
    line.playout.add(clip("hello", 10))
    assert len(line.queue) == LEAD


def test_plays_everything_in_order_and_reports_it(line: Line) -> None:
    line.playout.add(clip("one", 10))
    line.playout.add(clip("two", 5))
    line.tick(16)
    assert line.said == [Said("one", 200, 200, False), Said("two", 100, 100, False)]
    assert not line.playout.speaking


def test_never_runs_far_ahead_of_the_line(line: Line) -> None:
    line.playout.add(clip("long", 500))
    line.tick(400)
    assert line.deepest <= LEAD


def test_stop_says_how_much_was_heard(line: Line) -> None:
    line.playout.add(clip("long", 100))
    line.tick(30)
    line.playout.stop()
    assert line.said == [Said("long", 600, 2000, True)]
    assert line.queue == []
    line.tick(50)
    assert len(line.played) == 30


def test_stop_reports_prompts_that_never_began(line: Line) -> None:
    line.playout.add(clip("one", 100))
    line.playout.add(clip("two", 100))
    line.tick(10)
    line.playout.stop()
    assert line.said == [Said("one", 200, 2000, True), Said("two", 0, 2000, True)]


def test_protected_prompt_plays_on_when_told_to(line: Line) -> None:
    line.playout.add(clip("disclosure", 50, protected=True))
    line.playout.add(clip("question", 50))
    line.tick(10)
    line.playout.stop(keep=line.playout.protected)
    line.playout.add(clip("answer", 5))
    line.tick(60)
    assert [said.prompt for said in line.said] == ["question", "disclosure", "answer"]
    assert line.said[1] == Said("disclosure", 1000, 1000, False)
    assert len(line.played) == 55


def test_prompt_in_several_clips_is_one_prompt(line: Line) -> None:
    line.playout.add(clip("two sentences", 5, last=False))
    line.tick(20)
    assert line.playout.speaking  # the second sentence is still being rendered
    line.playout.add(clip("two sentences", 5))
    line.tick(20)
    assert line.said == [Said("two sentences", 200, 200, False)]


def test_frame_played_after_a_stop_does_not_disturb_the_next_prompt(line: Line) -> None:
    line.playout.add(clip("one", 50))
    line.tick(10)
    in_flight = line.queue[0]
    line.playout.stop()
    line.played.append(in_flight)  # it was played while the stop was on its way
    line.playout.add(clip("two", 5))
    line.tick(10)
    assert line.said[-1] == Said("two", 100, 100, False)
    assert line.deepest <= LEAD + 1


def test_frames_lost_by_the_line_do_not_stall_the_call(line: Line) -> None:
    line.playout.add(clip("one", 50))
    line.tick(10)
    line.queue.clear()
    line.tick(80)
    assert not line.playout.speaking
    assert line.said[0].interrupted is False


def test_odd_tail_is_padded_to_a_frame(line: Line) -> None:
    line.playout.add(Clip("x", b"\1" * (FRAME_BYTES + 2)))
    line.tick(5)
    assert [len(frame) for frame in line.played] == [FRAME_BYTES, FRAME_BYTES]


def test_what_was_not_sent_can_be_taken_back_and_go_on_otherwise(line: Line) -> None:
    line.playout.add(clip("one", 4, last=False))
    line.playout.add(clip("one", 10, last=False))
    line.tick(5)
    assert line.playout.take_back(10) == 14 - 5 - LEAD
    line.playout.add(clip("one", 7))
    line.tick(20)
    assert line.said == [Said("one", (5 + LEAD + 7) * 20, (5 + LEAD + 7) * 20, False)]
    assert line.played[-7:] == [bytes([7]) * FRAME_BYTES] * 7


def test_no_more_is_taken_back_than_was_added_last(line: Line) -> None:
    line.playout.add(clip("one", 20, last=False))
    line.playout.add(clip("two", 10, last=False))
    assert line.playout.take_back(10) == 10
    assert not line.playout.dry
    line.tick(20)
    assert line.playout.dry
    assert line.playout.take_back(10) == 0


def test_barge_in_fades_out_on_the_line_and_the_count_stays_right() -> None:
    queue, outlet, said = PlayQueue(), Outlet(), []
    playout = Playout(queue.push, queue.flush, said.append)
    wire = []

    def tick(count: int) -> None:
        for _ in range(count):
            wire.append(outlet.next_frame(queue.next_frame()))
            playout.tick(queue.played)

    hum = (8000 * np.cos(2 * np.pi * 440 * np.arange(8000) / 8000)).astype("<i2").tobytes()
    playout.add(Clip("long", hum))
    tick(20)
    playout.stop()
    tick(5)
    playout.add(Clip("answer", hum[: 10 * FRAME_BYTES]))
    tick(12)
    assert said == [Said("long", 400, 1000, True), Said("answer", 200, 200, False)]
    heard = to_float(b"".join(wire))
    assert find_clicks(heard) == ()
    assert np.abs(heard[19 * 160 : 20 * 160]).max() > 0.2
    assert not heard[21 * 160 + 40 : 25 * 160].any(), "it is over within a frame"
