"""Everything that is measured of a recognizer, in one run and as one JSON object.

test sets -> lines -> recognizer -> figures by set, line and voice
                                 -> slots, ZIP codes with a retry, confusions, confidence
noise, music, tones -> recognizer -> words out of nothing
the same samples -> yardstick -> figures beside ours
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from appliance.audio.level import Samples
from appliance.stt.evaluation import Judged, Utterance, by_group, confusions, figures, judge
from appliance.stt.recognizer import Recognizer
from appliance.testing.hearing import lines, quiet
from appliance.testing.hearing.calibration import calibration
from appliance.testing.hearing.lines import Line
from appliance.testing.hearing.meaning import slot_rate, zip_rates
from appliance.testing.hearing.sets import Spoken, read_set, set_names
from appliance.types import LINE_RATE_HZ, Language

OPEN, FLOWS, ZIP, ZIP_AGAIN = "open", "flows", "real-zip", "real-zip-again"
ON_EVERY_LINE = (OPEN, ZIP, ZIP_AGAIN)
"""Sets that pass through every line; the others through the noise levels."""
BESIDE = (OPEN, "flows-zip", "real-digits", ZIP, "real-books", "real-adults", "real-children")
"""Sets that the yardstick hears: it is slow."""
_TALK = ("real-adults", "real-children", OPEN)
_SPEED_S = 3.0
_MOST_CONFUSIONS = 25
_SEED = 20

Told = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What to measure.

    Attributes:
        folder: of the test sets.
        language: of the sets.
        most: utterances of each set at most; None: all.
        quiet_minutes: of noise, music and tones.
        yardstick_most: utterances of each set that the yardstick hears.
        surest: confidence from which the dialogue acts on words (hearing.min_confidence).
    """

    folder: Path
    language: Language = "en"
    most: int | None = None
    quiet_minutes: float = 30.0
    yardstick_most: int = 60
    surest: float = 0.25


@dataclass
class Heard:
    """What was heard so far: by set, then by line."""

    judged: dict[str, dict[str, list[Judged]]] = field(default_factory=dict)

    def on(self, line: Line, *names: str) -> list[Judged]:
        """All of these sets on a line; a name may be the beginning of names ("flows")."""
        return [
            each
            for name, by_line in self.judged.items()
            if any(name == wanted or name.startswith(f"{wanted}-") for wanted in names)
            for each in by_line.get(line.name, [])
        ]


def measure(
    recognizer: Recognizer, plan: Plan, yardstick: Recognizer | None, tell: Told
) -> dict[str, Any]:
    """All measurements.

    Args:
        recognizer: what is judged.
        plan: what to measure.
        yardstick: another recognizer to set beside it, on `lines.REFERENCE`.
        tell: is told what is being done.

    Returns:
        Figures ready for JSON: sets, pooled, slots, zip, confusions, confidence, quiet, speed and
        yardstick.

    Raises:
        ConfigError: a set cannot be read.
    """
    sets = {name: read_set(plan.folder, name, plan.most) for name in set_names(plan.folder)}
    talk = _talk(sets)
    heard = Heard()
    for name, spoken in sets.items():
        every = (*lines.LEVELS, *(lines.OTHERS if name in ON_EVERY_LINE else ()))
        for line in every:
            tell(f"{name}: {line.name}")
            through = lines.utterances(name, spoken, line, talk)
            heard.judged.setdefault(name, {})[line.name] = judge(recognizer, through, plan.language)
    tell(f"{plan.quiet_minutes:g} minutes without words")
    noises = quiet.clips(plan.quiet_minutes, _SEED, talk)
    return {
        "sets": {name: _by_line(by_line) for name, by_line in heard.judged.items()},
        "pooled": _pooled(heard),
        "slots": _slots(sets, heard, plan.language),
        "zip": _zip(heard, plan.language),
        "confusions": _confusions(heard),
        "confidence": calibration(heard.on(lines.REFERENCE, *heard.judged), plan.surest),
        "quiet": quiet.judge_quiet(recognizer, noises, plan.surest),
        "speed": _speed(recognizer, sets, talk, plan.language),
        "yardstick": _beside(yardstick, sets, talk, heard, plan, tell) if yardstick else None,
    }


def _talk(sets: dict[str, list[Spoken]]) -> list[Samples]:
    """Speech for background talk: real people where there are any."""
    name = next((name for name in _TALK if sets.get(name)), None)
    return [each.wave for each in sets[name]] if name else []


def _by_line(by_line: dict[str, list[Judged]]) -> dict[str, Any]:
    """Figures by line, and on the reference line by voice where there are several."""
    found: dict[str, Any] = {
        "lines": {name: figures(part).as_json() for name, part in by_line.items() if part}
    }
    groups = by_group(by_line.get(lines.REFERENCE.name, []))
    if len(groups) > 1:
        found["voices"] = {name: figures(part).as_json() for name, part in groups.items()}
    return found


def _pooled(heard: Heard) -> dict[str, Any]:
    """All sentences of the grammars together, by line."""
    parts = {line.name: heard.on(line, FLOWS) for line in lines.LEVELS}
    return {name: figures(part).as_json() for name, part in parts.items() if part}


def _slots(
    sets: dict[str, list[Spoken]], heard: Heard, language: Language
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, spoken in sets.items():
        slot = spoken[0].hint.slot if spoken and name.startswith(FLOWS) else None
        if slot is None:
            continue
        said = [each.said for each in spoken]
        for line in lines.LEVELS:
            texts = [each.heard for each in heard.judged[name][line.name]]
            share = slot_rate(said, texts, slot, language)  # type: ignore[arg-type]  # from a file
            if share:
                found.setdefault(slot, {})[line.name] = share.as_json()
    return found


def _zip(heard: Heard, language: Language) -> dict[str, Any]:
    first, again = heard.judged.get(ZIP, {}), heard.judged.get(ZIP_AGAIN, {})
    return {
        name: {
            key: share.as_json() for key, share in zip_rates(part, again[name], language).items()
        }
        for name, part in first.items()
        if part and name in again
    }


def _confusions(heard: Heard) -> dict[str, list[tuple[str, str, int]]]:
    """The commonest on the reference line: of sentences unseen, of real people."""
    parts = {"open": (OPEN,), "flows": (FLOWS,), "real": ("real",)}
    found: dict[str, list[tuple[str, str, int]]] = {}
    for key, names in parts.items():
        counted: Counter[tuple[str, str]] = confusions(heard.on(lines.REFERENCE, *names))
        found[key] = [(*pair, times) for pair, times in counted.most_common(_MOST_CONFUSIONS)]
    return found


def _speed(
    recognizer: Recognizer, sets: dict[str, list[Spoken]], talk: list[Samples], language: Language
) -> dict[str, Any]:
    """Processor time of a final decode of exactly three seconds of the telephone, hints and all."""
    length = int((_SPEED_S - 0.7) * LINE_RATE_HZ)  # the line adds 0.7 s of silence
    synthetic = [each for name, part in sets.items() if name.startswith((OPEN, FLOWS))
                 for each in part]  # fmt: skip
    short = [each for each in synthetic if 0.6 * length < len(each.wave) <= length]
    cut = [
        Spoken(each.name, each.said, np.resize(np.pad(each.wave, (0, length)), length),
               each.speaker, each.hint)
        for each in short
    ]  # fmt: skip
    if not cut:
        return {}
    line = lines.REFERENCE
    ready: list[Utterance] = list(lines.utterances("speed", cut, line, talk))
    times = [each.cpu_ms for each in judge(recognizer, ready, language)]
    return {
        "utterances": len(times),
        "seconds": _SPEED_S,
        "cpu_ms_p50": round(float(np.percentile(times, 50)), 1),
        "cpu_ms_p95": round(float(np.percentile(times, 95)), 1),
    }


def _beside(
    yardstick: Recognizer,
    sets: dict[str, list[Spoken]],
    talk: list[Samples],
    heard: Heard,
    plan: Plan,
    tell: Told,
) -> dict[str, Any]:
    """The yardstick's figures and ours on the same utterances of the reference line."""
    found: dict[str, Any] = {}
    for name, spoken in sets.items():
        if name not in BESIDE:
            continue
        tell(f"yardstick: {name}")
        most = plan.yardstick_most
        through = lines.utterances(name, spoken[:most], lines.REFERENCE, talk)
        theirs = judge(yardstick, through, plan.language)
        ours = heard.judged[name][lines.REFERENCE.name][:most]
        if theirs:
            found[name] = {"theirs": figures(theirs).as_json(), "ours": figures(ours).as_json()}
    return found
