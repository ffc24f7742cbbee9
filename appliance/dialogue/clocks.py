"""Times of day in a running text: "5:30", "17:00", "8:00 AM", "9am-5pm", "9:00-17:00".

    clock_en() / clock_es() ── Rule ──> "eight AM", "five PM", "nueve a diecisiete horas"

A time that stands alone may be of a clock of twelve hours; one past twelve tells its half of day.
"AM" is written so because a voice takes "a m" for an article and an m.
"""

from __future__ import annotations

import re
from datetime import time

from appliance.dialogue.grammar_es import feminine
from appliance.dialogue.readout import STOP, Rule, rule
from appliance.dialogue.speech import speak_number, speak_time

_ALONE = r"(?![\w]|[.,:/-]\w)"
_AM_PM = re.compile(
    rf"(?<![\w'’.])([ap])(?:\. ?m| m)\b{STOP}|(?<=\d)(?<! ) ?([ap])m\b", re.IGNORECASE
)
_SOUNDS = {"a": "ˌeɪˈɛm", "p": "pˌiːˈɛm"}
"""Written in letters, "a m" would be an article and an m."""


_LOOSE = (
    r"(?P<hour{0}>\d{{1,2}})(?::(?P<minute{0}>\d{{2}}))?"
    r"(?: ?(?P<half{0}>[ap])(?:m\b|\.m\b))?"
)
_CLOCKED = r"(?P<hour{0}>\d{{1,2}}):(?P<minute{0}>\d{{2}})"


def clock_en() -> list[Rule]:
    """English: ranges, noon and midnight, then single times and the marks of their halves."""
    clocked = r"(?=[\d: ]+(?:[ap]\.?m| ?[-–] ?\d{1,2}:)|\d{1,2}:)"
    return [
        rule(
            rf"(?<![\w:.,$/-]){clocked}{_LOOSE.format(1)}\.? ?[-–] ?{_LOOSE.format(2)}(?![\w:/-])",
            _range_en, small=True,
        ),
        rule(rf"(?<![\w:.,$/-])12(?::00)? ?(?P<half>[ap])(?:\. ?m|m)\b{STOP}",
             lambda found: "midnight" if found["half"].lower() == "a" else "noon", small=True),
        rule(r"\b(?P<hour>\d{1,2}):(?P<minute>\d{2})(?![\d:]|[.,]\d)"
             rf"(?P<half> ?[ap]\.? ?m\b{STOP})?",
             _single_en, small=True),
        Rule(_AM_PM, lambda found: _SOUNDS[(found[1] or found[2]).lower()], "phoneme"),
    ]  # fmt: skip


def clock_es() -> list[Rule]:
    """Spanish: ranges, times with their part of the day, then single times."""
    return [
        rule(rf"(?<![\w:.,$/-]){_CLOCKED.format(1)}(?: ?h)? ?[-–] ?"
             rf"{_CLOCKED.format(2)}(?: ?h\b)?{_ALONE}", _range_es),
        rule(
            r"\b(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>[ap])(?:\. ?m|m)\b" + STOP,
            _half_es, small=True,
        ),
        rule(rf"\b(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?: ?h\b)?{_ALONE}",
             lambda found: _single_es(int(found["hour"]), int(found["minute"]))),
    ]  # fmt: skip


def _single_en(found: re.Match[str]) -> str:
    """5:30 is "five thirty", 17:00 "five PM", 5:00 "five o'clock", but "five" before "PM"."""
    hour, minute = int(found["hour"]), int(found["minute"])
    said = _bare_en(hour, minute)
    if found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no time of a clock of twelve hours")
        return f"{said} {found['half'].strip()[0].upper()}M"
    if 1 <= hour <= 12:
        return said if minute else f"{said} o'clock"
    return _with_half(hour, minute)


def _with_half(hour: int, minute: int) -> str:
    if not minute and hour in (0, 12):
        return "noon" if hour else "midnight"
    return f"{_bare_en(hour, minute)} {'AM' if hour < 12 else 'PM'}"


def _bare_en(hour: int, minute: int) -> str:
    time(hour, minute)
    if not minute:
        return speak_number(hour % 12 or 12)
    return speak_time(time(hour % 12 or 12, minute)).rsplit(" ", 2)[0]


def _range_en(found: re.Match[str]) -> str:
    ends = []
    for number in (1, 2):
        hour, minute = int(found[f"hour{number}"]), int(found[f"minute{number}"] or 0)
        half = found[f"half{number}"]
        if half:
            hour = hour % 12 + (12 if half.lower() == "p" else 0)
        ends.append((hour, minute, bool(half) or not 1 <= hour <= 12))
    told = any(tells for _, _, tells in ends)
    said = []
    for hour, minute, tells in ends:
        whole = tells or (told and not found["half1"] and not found["half2"])
        said.append(_with_half(hour, minute) if whole else _bare_en(hour, minute))
    return f"{said[0]} to {said[1]}"


def _half_es(found: re.Match[str]) -> str:
    """A time with its part of the day: "3:30 p. m." is "tres y treinta de la tarde"."""
    hour = int(found["hour"])
    if not 1 <= hour <= 12:
        raise ValueError("no time of a clock of twelve hours")
    late = 12 if found["half"].lower() == "p" else 0
    said = speak_time(time(hour % 12 + late, int(found["minute"] or 0)), "es")
    return re.sub(r"^las? ", "", said)  # the text has its own article


def _single_es(hour: int, minute: int) -> str:
    time(hour, minute)
    part = f" y {speak_number(minute, 'es')}" if minute else " en punto"
    return feminine(speak_number(hour, "es")) + part


def _range_es(found: re.Match[str]) -> str:
    ends = []
    for number in (1, 2):
        hour, minute = int(found[f"hour{number}"]), int(found[f"minute{number}"])
        ends.append(_single_es(hour, minute).removesuffix(" en punto"))
    late = int(found["hour2"]) > 12 and found["minute2"] == "00"
    return f"{ends[0]} a {ends[1]}" + (" horas" if late else "")
