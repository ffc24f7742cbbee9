from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from appliance.testing.engines import ToneVoice
from appliance.testing.speaking.material import as_prompt
from appliance.testing.speaking.realtime import Line, say_all
from appliance.tts.cache import PromptCache
from appliance.tts.voices import Voices

FRAME = bytes(320)
SLOTTED = 'Pay <slot name="amount">ten</slot>.'


def played(line: Line, pattern: str) -> None:
    """A frame arrives before the periods that are marked `x`."""
    for each in pattern:
        if each == "x":
            line.send(FRAME)
        line.period()


@pytest.mark.parametrize(
    ("pattern", "gap_ms"),
    [
        ("xxxx", 0),
        ("..xxx", 0),  # before the first frame nothing is missing
        ("xx.xx", 20),
        ("xx...x.x", 60),
        ("xxx...", 0),  # after the last one neither
    ],
)
def test_silence_counts_only_inside_a_sentence(pattern: str, gap_ms: int) -> None:
    line = Line()
    played(line, pattern)
    assert line.gap_ms == gap_ms
    assert line.played == pattern.count("x")


def test_each_sentence_is_measured_anew() -> None:
    line = Line()
    played(line, "x..x")
    line.begin()
    assert (line.gap_ms, line.first_at) == (0, None)
    played(line, ".x.x")
    assert line.gap_ms == 20


def test_sentences_are_said_to_their_end_by_the_real_parts(tmp_path: Path) -> None:
    cache = PromptCache(ToneVoice(), tmp_path)
    cache.prepare(["Hi."], lambda *_: None)
    prompts = [as_prompt(text, at, "default") for at, text in enumerate(("Hi.", SLOTTED))]
    heard = asyncio.run(say_all(Voices(cache), prompts))
    assert [each.failed for each in heard] == ["", ""]
    assert all(each.first_ms > 0 for each in heard)


def test_a_sentence_that_cannot_be_said_is_a_failure(tmp_path: Path) -> None:
    cache = PromptCache(ToneVoice(failing=["Oh."]), tmp_path)
    heard = asyncio.run(say_all(Voices(cache), [as_prompt("Oh.", 1, "default")]))
    assert "told to fail" in heard[0].failed
