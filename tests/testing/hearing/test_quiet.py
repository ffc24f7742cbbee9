from __future__ import annotations

import numpy as np

from appliance.errors import EngineError
from appliance.stt.recognizer import NO_HINT, Hint
from appliance.testing.hearing.quiet import CLIP_S, HINTS, KINDS, TALK, clips, judge_quiet
from appliance.types import Transcript


class Deaf:
    """Says the same of everything, or fails."""

    def __init__(self, text: str, confidence: float = 0.5, fails: bool = False) -> None:
        self.text, self.confidence, self.fails = text, confidence, fails

    def recognize(self, pcm: bytes, hint: Hint = NO_HINT, partial: bool = False) -> Transcript:
        if self.fails:
            raise EngineError("out of order")
        return Transcript(self.text, self.confidence)


def test_minutes_of_every_kind_and_repeatable() -> None:
    minutes = len(KINDS) * 2 * CLIP_S / 60
    drawn = list(clips(minutes, seed=3))
    assert {clip.kind for clip in drawn} == set(KINDS)
    assert sum(len(clip.pcm) for clip in drawn) / 16000 == minutes * 60
    assert drawn == list(clips(minutes, seed=3))
    assert drawn != list(clips(minutes, seed=4))
    assert {clip.hint for clip in drawn} == set(HINTS[:2])


def test_talk_comes_on_top() -> None:
    talk = [np.sin(np.arange(8000) / 5).astype(np.float32)]
    drawn = list(clips(len(KINDS) * CLIP_S / 60, seed=3, talk=talk))
    assert [clip.kind for clip in drawn[len(KINDS) :]] == [TALK]


def test_counts_text_and_what_is_acted_on() -> None:
    talk = [np.sin(np.arange(8000) / 5).astype(np.float32)]
    minutes = len(KINDS) * CLIP_S / 60
    unsure = judge_quiet(Deaf("yes", 0.2), clips(minutes, 3, talk), surest=0.25)
    assert unsure["all"]["clips"] == len(KINDS)  # talk is not among them
    assert unsure["all"]["with_text"] == len(KINDS)
    assert unsure["all"]["acted_on"] == 0
    assert unsure[TALK]["with_text"] == 1
    assert unsure["hiss"]["words"] == ["yes"]
    sure = judge_quiet(Deaf("yes", 0.3), clips(minutes, 3), surest=0.25)
    assert sure["all"]["acted_on"] == len(KINDS)
    assert judge_quiet(Deaf(""), clips(minutes, 3), 0.25)["all"]["with_text"] == 0


def test_a_failure_is_seen() -> None:
    found = judge_quiet(Deaf("", fails=True), clips(CLIP_S / 60, 3), 0.25)
    assert "silence: out of order" in found
