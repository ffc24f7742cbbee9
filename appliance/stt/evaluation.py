"""How well and how fast a recognizer hears: word error rate, exact rate, digits, processor time.

    utterances -> recognizer (timed) -> judged, one by one -> figures with confidence intervals

The audio must be as the line would give it: whoever judges a telephone sends it through
`appliance.audio.channel` first. `appliance models eval`, the benchmark and the recipe all count
here.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from appliance.errors import EngineError
from appliance.stt.intervals import Rate, error_rate, rate
from appliance.stt.recognizer import NO_HINT, Hint, Recognizer
from appliance.stt.scoring import Comparison, Pair, compare, digits_of, is_digits
from appliance.types import LINE_RATE_HZ, Language

Told = Callable[["Judged"], None]
"""Is told of each utterance as soon as it is heard."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What is to be heard.

    Attributes:
        name: of the file, or whatever finds it again.
        said: its words.
        pcm: s16le mono at LINE_RATE_HZ.
        hint: what the dialogue would know.
        group: corpus, voice or kind, for tables.
    """

    name: str
    said: str
    pcm: bytes
    hint: Hint = NO_HINT
    group: str = ""

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.pcm) / 2 / LINE_RATE_HZ


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one utterance.

    Attributes:
        name: as in the utterance.
        group: as in the utterance.
        heard: the text as the recognizer gave it.
        comparison: with what was said.
        digits: whether all digits are right; None where what was said is not digits alone.
        confidence: in 0..1.
        seconds: length of the audio.
        cpu_ms: processor time of this process.
        failed: why the engine failed; then nothing was heard.
    """

    name: str
    group: str
    heard: str
    comparison: Comparison
    digits: bool | None
    confidence: float
    seconds: float
    cpu_ms: float
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a set of utterances.

    Attributes:
        utterances: how many.
        seconds: of audio.
        wer: errors a word that was said, which may pass 1. Its interval is a bootstrap over the
            utterances (Bisani and Ney 2004): speakers are not drawn, so it knows nothing of them.
        exact: utterances without an error; Wilson's interval, as for all rates of utterances.
        digits: digit strings that are right to the last digit; None without any.
        substituted: words taken for another.
        lost: words not heard.
        added: words heard that were not said.
        failed: utterances on which the engine failed; they count as not heard.
        cpu_ms: processor time an utterance: median and 95th percentile.
        cpu_share: processor time divided by the length of the audio.
    """

    utterances: int
    seconds: float
    wer: Rate
    exact: Rate
    digits: Rate | None
    substituted: int
    lost: int
    added: int
    failed: int
    cpu_ms: tuple[float, float]
    cpu_share: float

    def as_json(self) -> dict[str, object]:
        """For a file of figures."""
        return {
            "utterances": self.utterances,
            "seconds": round(self.seconds, 1),
            "wer": self.wer.as_json(),
            "exact": self.exact.as_json(),
            "digits": self.digits.as_json() if self.digits else None,
            "substituted": self.substituted,
            "lost": self.lost,
            "added": self.added,
            "failed": self.failed,
            "cpu_ms_p50": round(self.cpu_ms[0], 2),
            "cpu_ms_p95": round(self.cpu_ms[1], 2),
            "cpu_share": round(self.cpu_share, 4),
        }


def judge(
    recognizer: Recognizer,
    utterances: Iterable[Utterance],
    language: Language = "en",
    tell: Told | None = None,
) -> list[Judged]:
    """Hear everything, one after the other.

    The first utterance is heard twice, untimed at first: memory is touched and code compiled then.

    Args:
        recognizer: what is judged.
        utterances: may be made while they are heard; their audio is not kept.
        language: of what is said, for its number words.
        tell: is told of each one.
    """
    found: list[Judged] = []
    for utterance in utterances:
        if not found:
            _hear(recognizer, utterance)
        began = time.process_time()
        text, confidence, failed = _hear(recognizer, utterance)
        cpu_ms = 1e3 * (time.process_time() - began)
        comparison = compare(utterance.said, text, language)
        judged = Judged(
            name=utterance.name,
            group=utterance.group,
            heard=text,
            comparison=comparison,
            digits=_same_digits(comparison, language),
            confidence=confidence,
            seconds=utterance.seconds,
            cpu_ms=cpu_ms,
            failed=failed,
        )
        found.append(judged)
        if tell:
            tell(judged)
    return found


def _hear(recognizer: Recognizer, utterance: Utterance) -> tuple[str, float, str]:
    """Text, confidence, and why it failed."""
    try:
        heard = recognizer.recognize(utterance.pcm, utterance.hint)
    except EngineError as error:
        return "", 0.0, str(error)
    return heard.text, heard.confidence, ""


def _same_digits(comparison: Comparison, language: Language) -> bool | None:
    """Words beside the digits that were heard do no harm: the dialogue reads past them."""
    if not is_digits(comparison.said, language):
        return None
    return digits_of(comparison.said, language) == digits_of(comparison.heard, language)


def figures(judged: Sequence[Judged]) -> Figures:
    """Count.

    Raises:
        ValueError: there is nothing to count.
    """
    if not judged:
        raise ValueError("no utterance was judged")
    kinds = Counter(_kind(pair) for each in judged for pair in each.comparison.wrong)
    strings = [each.digits for each in judged if each.digits is not None]
    times = np.array([each.cpu_ms for each in judged])
    seconds = sum(each.seconds for each in judged)
    p50, p95 = np.percentile(times, (50, 95))
    return Figures(
        utterances=len(judged),
        seconds=seconds,
        wer=error_rate(
            [each.comparison.errors for each in judged],
            [len(each.comparison.said) for each in judged],
        ),
        exact=rate(sum(not each.comparison.errors for each in judged), len(judged)),
        digits=rate(sum(strings), len(strings)) if strings else None,
        substituted=kinds["substituted"],
        lost=kinds["lost"],
        added=kinds["added"],
        failed=sum(bool(each.failed) for each in judged),
        cpu_ms=(float(p50), float(p95)),
        cpu_share=float(times.sum()) / 1e3 / max(seconds, 1e-9),
    )


def by_group(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The judged by their group, in the order in which groups first appear."""
    groups: dict[str, list[Judged]] = {}
    for each in judged:
        groups.setdefault(each.group, []).append(each)
    return groups


def confusions(judged: Iterable[Judged]) -> Counter[Pair]:
    """How often which word was taken for which; lost ones are ("word", ""), added ("", "word")."""
    return Counter(pair for each in judged for pair in each.comparison.wrong)


def _kind(pair: Pair) -> str:
    said, heard = pair
    if not heard:
        return "lost"
    return "substituted" if said else "added"
