"""How well recognizers understand recordings, copies and the voice: the same sentences by each.

Word error rates tell whether a voice is understood, not whether it sounds natural. Forty sentences
prove little, so every rate has its interval, and the voice is compared with the recordings
sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from appliance.stt.intervals import error_rate
from appliance.stt.scoring import compare
from appliance.types import Language
from models.voice.recipe.recognition import Floats, Recognizer, telephone

BANDS: Mapping[str, Callable[[Floats], Floats]] = {
    "wide": lambda audio: audio,
    "telephone": telephone,
}
VOICE, RECORDINGS = "voice", "recordings"
_DRAWS, _SEED = 2000, 11


def listen(
    recognizers: Mapping[str, Recognizer],
    texts: Sequence[str],
    sources: Mapping[str, Sequence[Floats]],
    language: Language,
) -> dict[str, Any]:
    """Word error rates by recognizer, band and source.

    Args:
        recognizers: who listens, by name.
        texts: what is said.
        sources: audio of each text at 16 kHz, by who speaks; `voice` is what is judged.
        language: of the texts.

    Returns:
        recognizer → band → source → value, low, high, count (of words); beside the sources, what
        the voice adds to each other one: `voice - recordings` → value, low, high.
    """
    return {
        name: {
            band: _rates(
                {
                    source: _errors(recognize, through, texts, audios, language)
                    for source, audios in sources.items()
                }
            )
            for band, through in BANDS.items()
        }
        for name, recognize in recognizers.items()
    }


def _errors(
    recognize: Recognizer,
    through: Callable[[Floats], Floats],
    texts: Sequence[str],
    audios: Sequence[Floats],
    language: Language,
) -> list[tuple[int, int]]:
    """(errors, words) of every sentence."""
    found = []
    for text, audio in zip(texts, audios, strict=True):
        comparison = compare(text, recognize(through(audio)), language)
        found.append((comparison.errors, len(comparison.said)))
    return found


def _rates(by_source: Mapping[str, list[tuple[int, int]]]) -> dict[str, Any]:
    rates: dict[str, Any] = {
        source: error_rate([e for e, _ in counts], [n for _, n in counts]).as_json()
        for source, counts in by_source.items()
    }
    for other, counts in by_source.items():
        if other != VOICE and VOICE in by_source:
            rates[f"{VOICE} - {other}"] = difference(by_source[VOICE], counts)
    return rates


def difference(
    one: Sequence[tuple[int, int]], other: Sequence[tuple[int, int]]
) -> dict[str, float]:
    """Word error rate of one less the other's, with a 95% interval (paired bootstrap).

    Args:
        one: (errors, words) of every sentence.
        other: of the same sentences in the same order.
    """
    wrong = np.array([a - b for (a, _), (b, _) in zip(one, other, strict=True)])
    words = np.array([count for _, count in one])
    drawn = np.random.default_rng(_SEED).integers(len(words), size=(_DRAWS, len(words)))
    spread = wrong[drawn].sum(1) / words[drawn].sum(1)
    low, high = np.percentile(spread, (2.5, 97.5))
    value = float(wrong.sum() / words.sum())
    return {"value": round(value, 4), "low": round(float(low), 4), "high": round(float(high), 4)}
