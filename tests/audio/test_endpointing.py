from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from appliance.audio.endpointing import Endpointer, Patience
from appliance.types import (
    FRAME_BYTES,
    AudioFrame,
    SpeechEnded,
    SpeechEvent,
    SpeechPaused,
    SpeechResumed,
    SpeechStarted,
)

LOUD, QUIET = b"\x10" * FRAME_BYTES, b"\0" * FRAME_BYTES
FRAME_NS = 20_000_000


def run(pattern: Iterable[bool], patience: Patience | None = None) -> list[SpeechEvent]:
    endpointer = Endpointer(lambda pcm: pcm == LOUD, patience or Patience())
    events = []
    for index, loud in enumerate(pattern):
        frame = AudioFrame(LOUD if loud else QUIET, index * FRAME_NS)
        events += endpointer.push(frame)
    return events


def frames(*runs: tuple[bool, int]) -> list[bool]:
    return [flag for flag, ms in runs for _ in range(ms // 20)]


def kinds(events: list[SpeechEvent]) -> list[type]:
    return [type(event) for event in events]


def test_one_utterance() -> None:
    events = run(frames((False, 400), (True, 600), (False, 1000)))
    assert kinds(events) == [SpeechStarted, SpeechPaused, SpeechEnded]
    start, _, end = events
    assert isinstance(start, SpeechStarted)
    assert start.at_ns == 20 * FRAME_NS
    assert isinstance(end, SpeechEnded)
    assert end.ended_ns == 49 * FRAME_NS  # the frame that holds the last speech
    assert end.at_ns - end.ended_ns == 600_000_000


def test_short_click_is_no_speech() -> None:
    assert run(frames((False, 400), (True, 40), (False, 1000))) == []


def test_onset_with_a_gap_is_speech() -> None:
    events = run(frames((False, 200), (True, 60), (False, 20), (True, 60), (False, 800)))
    assert kinds(events)[0] is SpeechStarted


def test_pause_and_resume() -> None:
    events = run(frames((True, 400), (False, 300), (True, 400), (False, 700)))
    assert kinds(events) == [
        SpeechStarted, SpeechPaused, SpeechResumed, SpeechPaused, SpeechEnded,
    ]  # fmt: skip


def test_patience_can_change_during_a_turn() -> None:
    endpointer = Endpointer(lambda pcm: pcm == LOUD, Patience())
    events = []
    for index, loud in enumerate(frames((True, 400), (False, 400))):
        if index == 28:  # 160 ms into the pause: the answer is complete
            endpointer.patience = Patience(patience_ms=200)
        events += endpointer.push(AudioFrame(LOUD if loud else QUIET, index * FRAME_NS))
    assert kinds(events) == [SpeechStarted, SpeechPaused, SpeechEnded]
    assert not endpointer.speaking


def test_turn_has_a_longest_length() -> None:
    events = run(frames((True, 3000)), Patience(max_turn_ms=1000))
    ended = [event for event in events if isinstance(event, SpeechEnded)]
    assert all(len(event.pcm) <= 50 * FRAME_BYTES for event in ended)
    assert len(ended) >= 2


def test_utterance_keeps_margins_only() -> None:
    events = run(frames((False, 1000), (True, 600), (False, 1000)))
    ended = events[-1]
    assert isinstance(ended, SpeechEnded)
    assert 600 <= len(ended.pcm) // 16 <= 600 + 240 + 60 + 200


@given(st.lists(st.booleans(), max_size=400))
def test_every_turn_that_starts_either_ends_or_is_open(pattern: list[bool]) -> None:
    names = kinds(run(pattern))
    depth = 0
    for name in names:
        if name is SpeechStarted:
            depth += 1
        if name is SpeechEnded:
            depth -= 1
        assert depth in (0, 1)
