"""The shipped recognizers write nothing where nobody speaks: noise, music, tones, silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.config import HearingConfig
from appliance.stt.whisper import WhisperRecognizer
from appliance.testing.hearing.quiet import CLIP_S, HINTS, KINDS, clips, judge_quiet
from appliance.types import Language

MODELS = Path(__file__).parents[2] / "models" / "stt"
SHIPPED: list[Language] = [each for each in ("en", "es") if (MODELS / each / "model.bin").is_file()]


def words_of(language: Language, minutes: float, seed: int) -> dict[str, object]:
    """Kinds with text, and the words."""
    config = HearingConfig()
    recognizer = WhisperRecognizer(MODELS / language, config, language)
    found = judge_quiet(recognizer, clips(minutes, seed), config.min_confidence)
    assert found.keys() == {"all", *KINDS}  # nothing failed
    return {kind: row["words"] for kind, row in found.items() if row["with_text"]}


@pytest.mark.parametrize("language", SHIPPED)
def test_no_words_out_of_one_clip_of_each_kind_and_hint(language: Language) -> None:
    assert not words_of(language, len(KINDS) * len(HINTS) * CLIP_S / 60, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("language", SHIPPED)
def test_no_words_in_half_an_hour(language: Language) -> None:
    assert not words_of(language, 30, seed=2)
