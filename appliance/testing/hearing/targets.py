"""What a recognizer must reach, against what was measured: the verdicts of a benchmark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from appliance.testing.hearing import lines
from appliance.testing.hearing.suite import OPEN
from appliance.types import Language

_AT = lines.REFERENCE.name
Measured = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One target and what was reached.

    Attributes:
        name: what is measured.
        wanted: the target in words.
        reached: the figure: a share, or milliseconds.
        interval: its 95% confidence interval, where it has one.
        kept: whether the figure itself keeps the target.
    """

    name: str
    wanted: str
    reached: float
    interval: tuple[float, float] | None
    kept: bool

    def as_json(self) -> dict[str, Any]:
        """For a file of figures."""
        return asdict(self)


def verdicts(measured: Measured, language: Language) -> list[Verdict]:
    """Every target whose measurement is there.

    Args:
        measured: what `suite.measure` returned.
        language: it was measured in: Spanish may be worse.
    """
    most = 0.08 if language == "en" else 0.12
    found = [
        _wer("unseen sentences, unseen voices", _at(measured, "sets", OPEN, "lines", _AT), most),
        _wer("unseen slot answers, unseen voices", _at(measured, "pooled", _AT), most),
    ]
    digits = _at(measured, "sets", "real-digits", "lines", _AT, "exact")
    found.append(_share("single digits, real speaker", digits, 0.97))
    found.append(_share("ZIP codes of real digits", _at(measured, "zip", _AT, "first"), 0.90))
    confirmed = _at(measured, "zip", _AT, "confirmed")
    found.append(_share("ZIP codes, said again once if wrong", confirmed, 0.97))
    found.append(_half(measured))
    found.append(_quiet(_at(measured, "quiet", "all")))
    found.append(_fast(measured.get("speed")))
    return [each for each in found if each is not None]


def _at(measured: Measured, *keys: str) -> Any:
    """What lies at the end of the keys; None where one is missing."""
    place: Any = measured
    for key in keys:
        place = place.get(key) if isinstance(place, dict) else None
    return place


def _verdict(name: str, wanted: str, share: Measured, holds: Callable[[float], bool]) -> Verdict:
    value = float(share["value"])
    return Verdict(name, wanted, value, (share["low"], share["high"]), holds(value))


def _wer(name: str, row: Measured | None, most: float) -> Verdict | None:
    if row is None:
        return None
    return _verdict(f"{name}, {_AT}", f"WER ≤ {most:.0%}", row["wer"], lambda value: value <= most)


def _share(name: str, share: Measured | None, least: float) -> Verdict | None:
    if share is None:
        return None
    return _verdict(f"{name}, {_AT}", f"≥ {least:.0%}", share, lambda value: value >= least)


def _half(measured: Measured) -> Verdict | None:
    """Read sentences of real people against the yardstick, on the same utterances."""
    books = _at(measured, "yardstick", "real-books")
    if books is None:
        return None
    theirs = float(books["theirs"]["wer"]["value"])
    return _verdict(
        f"read books, real speaker, {_AT}",
        f"WER ≤ half of the yardstick's {theirs:.1%}",
        books["ours"]["wer"],
        lambda value: value <= theirs / 2,
    )


def _quiet(all_clips: Measured | None) -> Verdict | None:
    if all_clips is None:
        return None
    name = "clips of noise, music and tones with text"
    return _verdict(name, "none", all_clips["share"], lambda value: value == 0)


def _fast(speed: Measured | None) -> Verdict | None:
    if not speed:
        return None
    p95 = float(speed["cpu_ms_p95"])
    return Verdict("final decode of 3 s, 95th percentile", "≤ 30 ms CPU", p95, None, p95 <= 30)
