"""What a patience makes of a reply's pauses."""

import numpy as np

from appliance.audio.ending import EndJudge
from appliance.dialogue.turn import Listen
from appliance.nlu.rules import RuleUnderstander
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.testing.turntaking.pausing import (
    AFTER_MS,
    Ears,
    Outcome,
    Pause,
    Reply,
    outcome,
    pauses_of,
)
from appliance.testing.turntaking.replies import last_sound_ms
from appliance.types import FRAME_BYTES, Transcript, Understanding

LOUD, QUIET = b"\x10" * FRAME_BYTES, b"\0" * FRAME_BYTES
MEANT = Understanding("yes")


class Constant(EndJudge):
    def __init__(self) -> None:
        super().__init__({})

    def continues(self, pcm: bytes) -> float:
        return 0.25


class Lengths:
    """Hears how long the turn is so far."""

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        return Transcript(f"{len(pcm) // FRAME_BYTES} frames", 0.9)


def reply(*runs: tuple[bytes, int], ends_ms: int) -> Reply:
    pcm = b"".join(frame * (ms // 20) for frame, ms in runs)
    return Reply("text", "made", "", pcm, ends_ms, hesitates=True)


def paused(quiet_from_ms: int, lasts_ms: int | None) -> Pause:
    return Pause(quiet_from_ms, lasts_ms, MEANT, 0.5, stretched=False)


def fixed(wait_ms: int, reply: Reply, *pauses: Pause) -> Outcome:
    def wait(listen: Listen, pause: Pause) -> int:
        return wait_ms

    return outcome(reply, pauses, wait, pause_ms=100)


TWICE = reply((LOUD, 600), (QUIET, 400), (LOUD, 600), (QUIET, 2000), ends_ms=1600)
PAUSES = (paused(600, 400), paused(1600, None))


def test_who_is_not_waited_for_is_cut_off() -> None:
    assert fixed(300, TWICE, *PAUSES).cut_off


def test_who_is_waited_for_has_dead_air_at_his_end() -> None:
    assert fixed(500, TWICE, *PAUSES) == Outcome(cut_off=False, dead_air_ms=500)


def test_a_pause_as_long_as_the_patience_is_no_end() -> None:
    assert not fixed(400, TWICE, *PAUSES).cut_off


def test_no_patience_is_shorter_than_the_pause_that_is_noticed() -> None:
    assert fixed(0, TWICE, paused(1600, None)).dead_air_ms == 100


def test_an_end_that_is_not_noticed() -> None:
    assert fixed(300, TWICE, paused(600, 100)).dead_air_ms == AFTER_MS


def test_pauses_are_those_of_the_endpointer() -> None:
    ears = Ears(
        detector=lambda: lambda pcm: pcm == LOUD,
        recognizer=Lengths(),
        understander=RuleUnderstander(),
        judge=Constant(),
        pause_ms=100,
    )
    first, last = pauses_of(TWICE, ears)
    assert (first.quiet_from_ms, first.lasts_ms) == (600, 400)
    assert (last.quiet_from_ms, last.lasts_ms) == (1600, None)
    assert first.heard.text == "35 frames"  # 600 ms and the 100 ms in which the pause was noticed
    assert first.continues == 0.25


def test_the_last_sound() -> None:
    wave = np.zeros(8000, np.float32)
    wave[800:4000] = 0.1 * np.sin(np.arange(3200))
    assert last_sound_ms(wave) == 500
