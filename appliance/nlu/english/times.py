"""How a time of day is named in English."""

from __future__ import annotations

import re

from appliance.dialogue.words import cardinal
from appliance.nlu.dates import always, compiled
from appliance.nlu.grammar import DateReader, TimePatterns
from appliance.nlu.words import any_of

_HOURS = {cardinal(hour): hour for hour in range(1, 13)}
_HOURS |= {str(hour): hour for hour in range(1, 13)}
_MINUTES = {cardinal(minute): minute for minute in range(10, 60)}
_MINUTES |= {f"oh {cardinal(minute)}": minute for minute in range(1, 10)}
_MINUTES |= {f"{minute:02}": minute for minute in range(60)}
_HOUR, _MINUTE = any_of(_HOURS), any_of(_MINUTES)
_MORNING = r"a ?m|in the morning|this morning|tomorrow morning"
_LATER = r"p ?m|in the afternoon|in the evening|at night|tonight|this (afternoon|evening)"
_HALF = rf"(?P<morning>{_MORNING})|(?P<later>{_LATER})|o'?clock"
_CLOCK = rf"(?P<hour>{_HOUR})( (?P<minute>{_MINUTE}))?"
_NOT_A_TIME = (
    r"(?! (hundred|thousand|dollar|buck|percent|cent|day|week|month|year|hour|minute|people|time"
    r"|of|or (two|three|four)|and a half|\d|street|avenue|road)s?\b)"
)
_ANY = (
    r"any ?time|whenever( \w+)*|no preference|(it )?does not matter|any (hour|time) of (the )?day"
    r"|all day|(i am|we are) (flexible|home all day)|(either|both) (one|is|are|works?|would)"
    r"|you (choose|pick|decide)|up to you"
)
_BEFORE = (
    r"(?:^|(?<=no )|(?<=sorry )|(?<=mean )|(?<=actually )|(?<=; )|(?<=; at )"
    r"|^((yes|yeah|okay|um|uh|well|maybe|let us say|say|it is|how about|what about|i think"
    r"|probably|make it) )+)"
)
_BEHIND = r"(?=$|( (please|thanks|thank|works|is|would|sounds|will|if|no|sorry|actually|or|i|;)\b))"
"""What stands around a bare time: it is most of the reply, or a correction."""
_FIRST_AFTER_NOON, _LAST_AFTER_NOON, _NOON = 1, 6, 12
"""Nobody comes at three in the morning: an hour from one to six is in the afternoon."""


def _at(hour: int, minute: int, match: re.Match[str]) -> str:
    half = match.groupdict()
    if half.get("morning"):
        hour %= _NOON
    elif (half.get("later") and hour < _NOON) or (
        not half.get("later") and _FIRST_AFTER_NOON <= hour <= _LAST_AFTER_NOON
    ):
        hour += _NOON
    return f"{hour:02}:{minute:02}"


def _clock(match: re.Match[str]) -> str:
    return _at(_HOURS[match["hour"]], _MINUTES.get(match["minute"] or "", 0), match)


def _past(minute: int) -> DateReader:
    return lambda match: _at(_HOURS[match["hour"]], minute, match)


def _quarter_to(match: re.Match[str]) -> str:
    hour = _HOURS[match["hour"]]
    return _at(hour - 1 if hour > 1 else _NOON, 45, match)


TIMES = TimePatterns(
    clock=compiled((
        (rf"half past (?P<hour>{_HOUR})( ({_HALF}))?", _past(30)),
        (rf"(a )?quarter (past|after) (?P<hour>{_HOUR})( ({_HALF}))?", _past(15)),
        (rf"(a )?quarter (to|of|till) (?P<hour>{_HOUR})( ({_HALF}))?", _quarter_to),
        (rf"{_CLOCK} ({_HALF})", _clock),
        (rf"between {_CLOCK} and ({_HOUR})( ({_HALF}))?", _clock),
        (rf"(at|around|about|after|from|by|since|past) {_CLOCK}\b{_NOT_A_TIME}", _clock),
        (r"noon|midday|(around )?lunch ?time", always("12:00")),
    )),
    parts=compiled((
        (r"good (morning|afternoon|evening)", always("")),
        (r"before (noon|lunch)|mornings?", always("morning")),
        (r"after lunch|afternoons?", always("afternoon")),
        (r"after work|evenings?|tonight|at night", always("evening")),
        (_ANY, always("any")),
    )),
    asked=compiled(((rf"{_BEFORE}{_CLOCK}{_BEHIND}", _clock),)),
)  # fmt: skip
