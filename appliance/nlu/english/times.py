"""How a time of day is named in English.

Nobody is visited at three in the morning: an hour from one to six, without its half of the day, is
in the afternoon.
"""

from __future__ import annotations

import re

from appliance.dialogue.words import cardinal
from appliance.nlu.dates import always, compiled
from appliance.nlu.grammar import DateReader, TimePatterns
from appliance.nlu.times import NOON_HOUR, clock_time
from appliance.nlu.words import any_of

_HOURS = {cardinal(hour): hour for hour in range(1, 13)}
_HOURS |= {str(hour): hour for hour in range(1, 13)} | {f"0{hour}": hour for hour in range(1, 10)}
_LATE_HOURS = {cardinal(hour): hour for hour in range(13, 24)}
_LATE_HOURS |= {str(hour): hour for hour in range(13, 24)}
_ALL_HOURS = _HOURS | _LATE_HOURS
_MINUTES = {cardinal(minute): minute for minute in range(10, 60)}
_MINUTES |= {
    f"{zero} {cardinal(minute)}": minute for minute in range(1, 10) for zero in ("oh", "o")
}
_MINUTES |= {f"{minute:02}": minute for minute in range(60)}
_COUNTS = {cardinal(count): count for count in range(1, 30)}
_COUNTS |= {str(count): count for count in range(1, 30)}
_ROUND = {
    "five": 5,
    "ten": 10,
    "twenty": 20,
    "twenty five": 25,
    "5": 5,
    "10": 10,
    "20": 20,
    "25": 25,
}
_ROUND |= {
    "fifteen": 15,
    "15": 15,
    "quarter": 15,
    "a quarter": 15,
    "half": 30,
    "three quarters": 45,
}
_COUNTED = _COUNTS | _ROUND | {"thirty": 30, "30": 30}
"""Minutes before or after an hour; those of `_ROUND` need no word for minutes."""
_HOUR, _MINUTE, _LATE_HOUR = any_of(_HOURS), any_of(_MINUTES), any_of(_LATE_HOURS)
_MORNING = r"a ?m|(early )?in the morning|this morning|tomorrow morning|morning"
_NIGHT = r"in the night|at night|midnight|tonight"
_LATER = (
    r"p ?m|(late )?in the afternoon|in the evening|this (afternoon|evening)|(tomorrow )?afternoon"
    r"|(tomorrow )?evening"
)
_HALF = (
    rf"(o'?clock )?((?P<morning>{_MORNING})|(?P<night>{_NIGHT})|(?P<later>{_LATER}))"
    r"|o'?clock( lunch ?time)?"
)
_CLOCK = rf"(?P<hour>{_HOUR})(( colon)? (?P<minute>{_MINUTE})| ?ish)?"
_FIGURES = r"(?P<hour>\d{1,2}) (colon|h) (?P<minute>\d\d)"
_NOT_A_TIME = (
    r"(?! (hundred|thousand|dollar|buck|percent|cent|day|week|month|year|hour|minute|people|time"
    r"|of|oh|or (two|three|four)|and a half|\d|street|avenue|road|slash|colon)s?\b| \w+"
    r" (street|avenue|road|drive|lane|court|way|boulevard)\b)"
)
_ANY = (
    r"any ?time|whenever( \w+)*|no preference|(it )?does not matter|any (hour|time) of (the )?day"
    r"|all day|(i am|we are) (flexible|home all day)|(either|both) (one|is|are|works?|would)"
    r"|you (choose|pick|decide)|up to you|makes no difference|^i do not (mind|care)$|i do"
    r" not (mind|care) (when|what time)"
)
_BEFORE = (
    r"(?:^|(?<=no )|(?<=sorry )|(?<=mean )|(?<=actually )|(?<=; )|(?<=; at )"
    r"|^((yes|yeah|okay|um|uh|well|maybe|let us say|say|it is|how about|what about|i think"
    r"|probably|make it) )+)"
)
_BEHIND = (
    r"(?! or \w+ (day|week|hour|month|minute|dollar|people|time)s?)"
    r"(?=$|( (please|thanks|thank|works|is|would|sounds|will|if|no|sorry|actually|or|i|;|sharp)\b))"
)
"""What stands around a bare time: it is most of the reply, or a correction."""
_AT = r"(at|around|about|after|from|by|since|past|no (earlier|later) than)"


def _at(hour: int, minute: int, match: re.Match[str]) -> str:
    half = match.groupdict()
    if half.get("morning"):
        return clock_time(hour, minute, "morning")
    if half.get("night"):
        return clock_time(hour, minute, "night")
    return clock_time(hour, minute, "later" if half.get("later") else "")


def _clock(match: re.Match[str]) -> str:
    minute = match.groupdict().get("minute")
    return _at(_ALL_HOURS[match["hour"]], _MINUTES[minute] if minute else 0, match)


def _figures(match: re.Match[str]) -> str:
    return _at(int(match["hour"]), int(match["minute"]), match)


def _compact(match: re.Match[str]) -> str:
    """340 p m is 15:40."""
    hour, minute = divmod(int(match["figures"]), 100)
    return _at(hour, minute, match)


def _moved(direction: int) -> DateReader:
    """Minutes past (1) or to (-1) an hour, or another time."""

    def read(match: re.Match[str]) -> str:
        minute = match.groupdict().get("minute")
        shift = direction * _COUNTED[match["count"]]
        hour = _ALL_HOURS[match["hour"]]
        total = (hour * 60 + (_MINUTES[minute] if minute else 0) + shift) % (24 * 60)
        if hour == 1 and shift < 0 and total < 60:
            total += NOON_HOUR * 60
        return _at(*divmod(total, 60), match)

    return read


_COUNT_MINUTES = rf"(?P<count>{any_of(_COUNTED)}) (minutes?|mins?|min)"
_COUNT_ROUND = rf"(?P<count>{any_of(_ROUND)})"
_PAST, _TO = r"(past|after)", r"(to|of|till|before|until)"
_END = rf"( ({_HALF}))?"

TIMES = TimePatterns(
    clock=compiled(
        (
            (
                (
                    rf"(from|between) {_CLOCK} (and|to|till|until|through) ({_HOUR}|noon|midnight)("
                    rf" ({_MINUTE}))?{_END}"
                ),
                _clock,
            ),
            *(
                (rf"(at |a |from )?{count} {word} {_CLOCK}{_END}", _moved(direction))
                for count in (_COUNT_MINUTES, _COUNT_ROUND)
                for word, direction in ((_PAST, 1), (_TO, -1))
            ),
            (rf"{_FIGURES}{_END}", _figures),
            (rf"(?P<figures>\d{{3,4}}) ({_HALF})", _compact),
            (
                r"(at |around )?(?P<hour>twelve|12) (?P<night>midnight|at night|in the night)",
                _clock,
            ),
            (r"(at |around )?(twelve|12) (noon(ish)?|midday)", always("12:00")),
            (rf"{_CLOCK} ({_HALF})", _clock),
            (rf"(?P<hour>{_LATE_HOUR}) (?P<minute>{_MINUTE}) (p ?m|hours)", _clock),
            (
                (
                    rf"(at )?(?P<hour>{_LATE_HOUR}|{_HOUR}) hundred hours|at"
                    rf" (?P<late>{_LATE_HOUR}) hundred(?! dol)"
                ),
                lambda match: f"{_ALL_HOURS[match['hour'] or match['late']]:02}:00",
            ),
            (rf"at (?P<hour>{_LATE_HOUR})( (?P<minute>{_MINUTE}))?\b{_NOT_A_TIME}", _clock),
            (rf"for (?P<hour>{_HOUR}) (?P<minute>{_MINUTE})\b{_NOT_A_TIME}", _clock),
            (rf"{_AT} {_CLOCK}\b{_NOT_A_TIME}", _clock),
            (rf"(?P<hour>{_HOUR}) ?ish\b", _clock),
            (
                (
                    r"((?<!before )(?<!after )|(?<=not before ))(high )?noon(ish)?|mid ?day"
                    r"|(around )?lunch ?time(?! \d)"
                ),
                always("12:00"),
            ),
            (r"mid ?night", always("00:00")),
        )
    ),
    parts=compiled(
        (
            (r"good (morning|afternoon|evening|night)", always("")),
            (
                (
                    r"before (noon|lunch|work|(eight|nine|ten|eleven|8|9|10|11))|(mid ?)?mornings?"
                    r"|first thing(?! (you|that|we|i|is|they|he|she)\b)|crack of dawn"
                ),
                always("morning"),
            ),
            (r"after (lunch|school|noon)|(mid ?)?afternoons?", always("afternoon")),
            (
                (
                    r"after (work|dinner|supper)|evenings?|tonight|(at|in the) night|dinner"
                    r" ?time"
                ),
                always("evening"),
            ),
            (_ANY, always("any")),
        )
    ),
    asked=compiled(
        (
            (rf"{_BEFORE}{_CLOCK}{_BEHIND}", _clock),
            (
                rf"{_BEFORE}(?P<hour>{_LATE_HOUR}) (?P<minute>{_MINUTE}|hundred){_BEHIND}",
                lambda match: (
                    f"{_ALL_HOURS[match['hour']]:02}:{_MINUTES.get(match['minute'], 0):02}"
                ),
            ),
        )
    ),
)
