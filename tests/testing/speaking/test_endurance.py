from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from appliance.audio.level import Samples
from appliance.testing.engines import ToneVoice
from appliance.testing.speaking.endurance import (
    Endured,
    Played,
    badly_cut,
    endure,
    growth,
    has_click,
    listen,
)
from appliance.testing.speaking.material import Material
from appliance.tts.cache import PromptCache
from appliance.tts.slots import SlotSentence

HEAD = 2400
NOTHING = np.zeros(0, np.float32)


def tone(samples: int = 8000) -> Samples:
    """400 Hz that swells and fades: nothing in it is sudden."""
    swell = np.minimum(1, np.minimum(np.arange(samples), np.arange(samples)[::-1]) / 800)
    return (0.3 * swell * np.sin(2 * np.pi * 0.05 * np.arange(samples))).astype(np.float32)


def heard(before: Samples, played: Played) -> tuple[int, int]:
    found = Endured(sentences=1)
    listen(before, played, found)
    return found.at_joins, found.of_voice


def test_a_smooth_join_is_none() -> None:
    sound = tone()
    assert heard(tone()[-1600:], Played(sound, sound[:HEAD], sound)) == (0, 0)


def test_a_step_that_only_the_caller_hears_is_the_joins() -> None:
    sound = tone()
    joined = sound.copy()
    joined[3000:3200] *= -1
    at_joins, of_voice = heard(tone()[-1600:], Played(joined, sound[:HEAD], sound))
    assert at_joins > 0
    assert of_voice == 0


@pytest.mark.parametrize("place", [1000, 5000])
def test_a_step_that_was_rendered_is_the_voices(place: int) -> None:
    sound = tone()
    sound[place : place + 200] *= -1
    head = sound[:HEAD]
    longer = np.concatenate([np.zeros(160, np.float32), sound]).astype(np.float32)
    at_joins, of_voice = heard(tone()[-1600:], Played(sound, head, longer))
    assert at_joins == 0
    assert of_voice > 0


def test_the_cut_end_of_a_head_excuses_nothing() -> None:
    sound = tone()
    gap = np.zeros(160, np.float32)
    joined = np.concatenate([sound[:HEAD], gap, sound[HEAD:]]).astype(np.float32)
    assert heard(NOTHING, Played(joined, sound[:HEAD], sound))[0] > 0


def test_the_border_to_the_sentence_before_is_listened_to() -> None:
    sound = tone()
    cut_off = tone()[:3005]
    assert heard(cut_off[-1600:], Played(sound, sound[:HEAD], sound))[0] > 0


def test_a_control_is_found() -> None:
    sound = tone()
    cut = badly_cut(Played(sound, sound[:HEAD], sound, left_at=HEAD - 100))
    assert cut is not None
    assert has_click(cut, HEAD - 100)
    assert not has_click(sound, HEAD - 100)


def test_no_control_is_made_in_a_pause_or_after_the_end() -> None:
    quiet = np.zeros(8000, np.float32)
    assert badly_cut(Played(quiet, quiet[:HEAD], quiet, left_at=HEAD)) is None
    assert badly_cut(Played(tone(), tone()[:HEAD], tone()[:HEAD], left_at=HEAD)) is None


@pytest.mark.parametrize(
    ("looks", "grown"),
    [([100.0], 0.0), ([100.0, 100.0, 100.0], 0.0), ([100.0, 101.0, 102.0], 2.0), ([9, 8, 7], -2.0)],
)
def test_growth_is_that_of_a_straight_line(looks: list[float], grown: float) -> None:
    assert growth(looks) == grown


def test_one_peak_is_hardly_growth() -> None:
    assert growth([100.0] * 50 + [110.0] + [100.0] * 50) == pytest.approx(0, abs=0.01)


def test_voices_take_turns_and_all_is_counted(tmp_path: Path) -> None:
    template = 'Now pay <slot name="amount"/>.'
    samples = (
        'Now pay <slot name="amount">ten</slot>.',
        'Now pay <slot name="amount">six</slot>.',
    )
    voices = {name: PromptCache(ToneVoice(), tmp_path / name) for name in ("default", "bob")}
    voices["bob"].prepare([SlotSentence(template, samples)], lambda *_: None)
    material = Material("en", voices, (), (template,), {"amount": "number"})
    told: list[int] = []
    found = endure([material], 5, told.append)
    assert told == [1, 2, 3, 4, 5]
    assert found.sentences == 5
    assert found.joined == 2  # the default voice has no head ready
    assert len(found.memory_mb) == 5
    assert found.as_json()["joined"] == 2
