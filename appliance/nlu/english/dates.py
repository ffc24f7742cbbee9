"""How a day is named in English."""

from __future__ import annotations

import re

from appliance.nlu.dates import always, compiled, figured, holiday, with_weekday
from appliance.nlu.english.date_readers import (
    ahead,
    beside,
    counted_from,
    day,
    figures,
    month_day,
    named,
    next_to,
    nth,
    part_of_month,
    start,
    week,
    weekdays_ahead,
)
from appliance.nlu.english.date_spans import LOOSE
from appliance.nlu.english.date_words import (
    BARE_DAY,
    COUNT,
    COUNTS,
    DAY,
    DAYS,
    FIGURED_YEAR,
    FIGURES,
    FULL_MONTH,
    HOLIDAY,
    MONTH,
    NO_ORDINAL,
    NOT_A_DAY,
    NOT_MONEY,
    NTH,
    NUMBER,
    SHORT_WEEKDAY,
    SURE_MONTH,
    UNIT,
    UNITS,
    WEEKDAY,
    WEEKDAY_VALUES,
    YEAR,
    on_weekday,
)
from appliance.nlu.english.holidays import HOLIDAYS
from appliance.nlu.grammar import DatePatterns, DateReader
from appliance.nlu.words import any_of

_NEXT = r"(next|the (next|following|coming|upcoming))"
_COMING = r"(this|this coming|this upcoming|the coming|this here)"
_A_DAY = rf"(the )?(({MONTH}) (the )?({DAY})|({DAY})( of ({MONTH}))?)"
_START = (
    rf"now|today|tomorrow|yesterday|((this coming|this|next|on) )?({WEEKDAY})|{HOLIDAY}|{_A_DAY}"
)
"""What days are counted from."""
_FROM_NOW = r"(from (now|today)|hence|later$)"
_MONTH_PART = {
    r"(early|first thing) (in )?|(beginning|start|first part|first few days|early part) of ":
        "start_of_month",
    r"mid(way)? ?((through|in) )?|(middle|middle part) of ": "mid_month",
    r"late (in )?|(end|tail end|latter part|last part|last day|final day|last few days"
    r"|last) (of |in )":
        "end_of_month",
}  # fmt: skip
_WHICH_MONTH = (
    rf"(?P<month>(the |this |this coming )?month|(the )?(next|following|coming) month|{FULL_MONTH})"
)
_POLITE = r"(um|uh|yes|yeah|okay|sure|well|maybe|i can do|how about)"


def _on(pattern: str, read: DateReader) -> tuple[str, DateReader]:
    return on_weekday(pattern), with_weekday(read, WEEKDAY_VALUES)


_PAST: tuple[tuple[str, DateReader], ...] = (
    (rf"(last|previous|past) ({WEEKDAY}|week( ({WEEKDAY}))?|month|year|night|weekend)", always("")),
    (
        (
            rf"({COUNT}|few|several|couple( of)?) (day|week|month|year)s?( (and"
            rf" )?({COUNT}) days?)? "
            r"(ago|before yesterday|earlier|back)"
        ),
        always(""),
    ),
    (r"(the )?day before yesterday", always("")),
    (rf"since ({WEEKDAY}|{FULL_MONTH}|{HOLIDAY})", always("")),
)
_EXCEPT: tuple[tuple[str, DateReader], ...] = (
    (
        rf"any ?(day|time) (but|except|other than|besides)( for)? (on )?({_START})",
        always("vague"),
    ),
)
_NTH_OF_MONTH: tuple[tuple[str, DateReader], ...] = (
    (
        (
            rf"(the )?(?P<nth>{any_of(NTH)}) (?P<weekday>{WEEKDAY}) (of|in|for) "
            r"(?P<month>(the |this |this coming )?month|(the )?(next|following) month"
            rf"|{FULL_MONTH})"
        ),
        nth,
    ),
    (
        rf"({any_of(NTH)}) ({WEEKDAY}) (of|in) (the )?(last|previous|past) month",
        always(""),
    ),
    (
        (
            rf"(the |^)(?P<nth>first|second|third|fourth) (?P<weekday>{WEEKDAY})(?P<month>)"
            r"(?! (of|in)\b)"
        ),
        lambda match: f"nth:{NTH[match['nth']]}:{WEEKDAY_VALUES[match['weekday']]}",
    ),
    (
        (
            rf"(the )?(first|second|third|fourth|last) (week|weekend|half|few days) (of|in) "
            rf"({FULL_MONTH}|(the|this|next) month)"
        ),
        always("vague"),
    ),
)
_COUNTED: tuple[tuple[str, DateReader], ...] = (
    (
        (
            r"in (a|one|two|three) (day|week|month)?s?( )?(or|to) (two|three|four|so)( (day"
            r"|week|month)s?)?"
        ),
        always("vague"),
    ),
    (
        rf"(in|within) (?P<count>{COUNT}) (business|working|work|week) ?days?",
        lambda match: f"in_workdays:{COUNTS[match['count']]}",
    ),
    (
        rf"(?P<count>{COUNT}) (business|working|work|week) ?days? {_FROM_NOW}",
        lambda match: f"in_workdays:{COUNTS[match['count']]}",
    ),
    (
        (
            rf"(?P<count>{COUNT}) (?P<unit>{UNIT})s? (?P<way>from|after|following|before) "
            rf"(?P<start>{_START})"
        ),
        counted_from,
    ),
    (
        rf"(?P<way>a )(?P<unit>week|fortnight) (on )?(?P<start>today|tomorrow|{WEEKDAY})",
        lambda match: f"after:{start(match['start'])}:{UNITS[match['unit']]}",
    ),
    (rf"(?P<start>today|tomorrow|((this|on) )?({WEEKDAY})) week(?! (day|end|after))", next_to(7)),
    (
        (
            rf"(?P<weekday>{WEEKDAY}) (right )?(?P<way>after|before|following)"
            rf" (?P<start>{HOLIDAY}|{_A_DAY})"
        ),
        beside,
    ),
    (rf"(the )?day (right )?(after|following) (?P<start>{_START})(?<!tomorrow)", next_to(1)),
    (rf"(the )?day (right )?before (?P<start>{_START})", next_to(-1)),
    (rf"(the )?week(end)? (of|before|after|following) ({HOLIDAY}|{_A_DAY})", always("vague")),
    (rf"(?P<count>{COUNT}) (?P<weekday>{WEEKDAY})s? {_FROM_NOW}", weekdays_ahead),
    (
        (
            rf"(in|within) ((?P<about>about|around|like|maybe) |another )?(?P<count>{COUNT}) "
            rf"(?P<unit>{UNIT}|month)s?( time)?"
        ),
        ahead,
    ),
    (rf"(?P<count>{COUNT}) (?P<unit>{UNIT}|month|year)s? {_FROM_NOW}", ahead),
    (rf"in (?P<count>{COUNT}) (?P<unit>year)s? time", ahead),
)
_SPECIFIC: tuple[tuple[str, DateReader], ...] = (
    (
        r"(?P<year>\d{4}) slash (?P<month>\d{1,2}) slash (?P<day>\d{1,2})",
        lambda match: f"date:{match['year']}-{int(match['month'])}-{int(match['day'])}",
    ),
    _on(rf"(?P<first>{NUMBER}) slash (?P<second>{NUMBER}){FIGURED_YEAR}", figures),
    (
        (
            rf"between (the )?({DAY}|{BARE_DAY}) and (the )?({DAY}|{BARE_DAY})(?! (dollar|buck"
            r"|p ?m|a ?m))"
        ),
        lambda match: "vague" if re.search(rf"\b({DAY})\b", match[0]) else "",
    ),
    (rf"the ({DAY}) (to|through|thru|until) (the )?({DAY})", always("vague")),
    (
        rf"the (?P<first>{DAY}) or (the )?(?P<second>{DAY}){NOT_A_DAY}",
        lambda match: f"or:day:{DAYS[match['first']]}|day:{DAYS[match['second']]}",
    ),
    *((rf"({name})( (of )?(?P<year>20\d\d))?", holiday(key)) for name, key in HOLIDAYS.items()),
    _on(rf"(?P<month>{MONTH}) (the )?(?P<day>{DAY}|{BARE_DAY})\b{NOT_MONEY}{YEAR}", month_day),
    _on(rf"(the )?(?P<day>{DAY}|{BARE_DAY})( day)? of (?P<month>{MONTH}){YEAR}", month_day),
    _on(rf"(the )?(?P<day>{DAY}|{BARE_DAY}) (?P<month>{SURE_MONTH}){YEAR}", month_day),
    (
        r"(the )?(first|1st)( day)? (of|in) (the )?(next|following|coming) month",
        always("next_month"),
    ),
    (
        rf"(the )?(?P<day>{DAY})( day)? (of|in) (the )?(next|following|coming) month",
        lambda match: f"next_month:{DAYS[match['day']]}",
    ),
    *(
        (
            rf"(by |around )?(the |very )*({part}){_WHICH_MONTH}",
            part_of_month(name),
        )
        for part, name in _MONTH_PART.items()
    ),
    _on(rf"(on )?the (?P<day>{DAY})( day)?( of (this|the) month)?{NOT_A_DAY}", day),
    (rf"(?P<named>{WEEKDAY}) (the )?(?P<day>{DAY}){NOT_A_DAY}", with_weekday(day, WEEKDAY_VALUES)),
    (
        rf"(?P<named>{WEEKDAY}) the (?P<day>{BARE_DAY})\b{NOT_MONEY}",
        with_weekday(day, WEEKDAY_VALUES),
    ),
    (rf"(?P<day>{DAY})( day)? of (this|the) month", day),
)
_RELATIVE: tuple[tuple[str, DateReader], ...] = (
    (r"(the )?day after tomorrow", always("overmorrow")),
    (rf"every (other )?({WEEKDAY}|week|month)", always("vague")),
    (
        (
            rf"not (this|this coming) (?P<weekday>{WEEKDAY}) (but )?(the )?"
            r"(next( one)?|following( one)?|one after( that)?)"
        ),
        lambda match: f"after:weekday:{WEEKDAY_VALUES[match['weekday']]}:7",
    ),
    (
        rf"(?P<weekday>{WEEKDAY}) (of )?(the )?week after next",
        lambda match: f"week:2:{WEEKDAY_VALUES[match['weekday']]}",
    ),
    (r"(the )?week after( next| that)?(?! \w+day)", always("week:2")),
    (rf"(?P<weekday>{WEEKDAY}) after next", named("next")),
    (rf"(?P<weekday>{WEEKDAY}) (of |in )?{_NEXT} week", week),
    (rf"{_NEXT} week (on )?(?P<weekday>{WEEKDAY})", week),
    (rf"(?P<weekday>{WEEKDAY}) (of )?this( coming)? week", named("this")),
    (rf"this week (on )?(?P<weekday>{WEEKDAY})", named("this")),
    (rf"{_COMING} (?P<weekday>{WEEKDAY}|{SHORT_WEEKDAY})", named("this")),
    (rf"{_NEXT} (?P<weekday>{WEEKDAY}|{SHORT_WEEKDAY})", named("next")),
    (rf"(?P<weekday>{WEEKDAY})s?", named("weekday")),
    (
        rf"(?<=on )(?P<weekday>{SHORT_WEEKDAY})|(?<=by )(?P<by>{SHORT_WEEKDAY})",
        lambda match: f"weekday:{WEEKDAY_VALUES[match['weekday'] or match['by']]}",
    ),
    (r"tomorrow|tmrw", always("tomorrow")),
    (
        r"today|tonight|this (morning|afternoon|evening)|by (the )?end of (the |business )?day",
        always("today"),
    ),
    (r"(?<=pay )(it )?(right )?now|(?<=do it )(right )?now", always("today")),
    (r"yesterday", always("yesterday")),
    (r"((the )?end of month|month end)", always("end_of_month")),
    (r"(the )?end of (the|this) week", always("end_of_week")),
    (r"(the )?end of next week", always("next:4")),
    (r"(the )?end of (the|this) year|year end", always("end_of_year")),
    (r"(the )?middle of (the|this) week|mid ?week(?! (after|next))", always("mid_week")),
)
_ASKED: tuple[tuple[str, DateReader], ...] = (
    (rf"{NO_ORDINAL}(?P<day>{DAY})\b{NOT_A_DAY}", day),
    (
        rf"^({_POLITE} )*(by |on )?(?P<weekday>{SHORT_WEEKDAY})( (please|works|is fine|thanks))?$",
        named("weekday"),
    ),
    (rf"^({_POLITE} )*(right )?now( please)?$|^({_POLITE} )*right away$", always("today")),
    (
        (
            rf"(the|on|on the|by|by the|for the) (?P<day>{BARE_DAY})\b{NOT_MONEY}(?! slash|"
            r" \d\d?\b|\.\d)"
        ),
        day,
    ),
    (
        rf"(?P<month>{FIGURES})\.(?P<day>{FIGURES})\b(?! (dollar|buck))",
        lambda match: figured(int(match["month"]), int(match["day"]), None, day_first=False),
    ),
    (
        (
            rf"(?<= on )(?P<month>{FIGURES}) (?P<day>{FIGURES})$"
            rf"|(?<= at )(?P<m>{FIGURES}) (?P<d>{FIGURES})$"
        ),
        lambda match: figured(
            int(match["month"] or match["m"]),
            int(match["day"] or match["d"]),
            None,
            day_first=False,
        ),
    ),
    (
        rf"^((um|uh|er|well|maybe|say|so|probably|yes|yeah|okay) )*(?P<day>{BARE_DAY})( please)?$",
        day,
    ),
    (rf"(in )?(?P<count>{COUNT}) (?P<unit>{UNIT}|month|year)s?", ahead),
    (r"(the )?(next|following) day", always("tomorrow")),
)

DATES = DatePatterns(
    anywhere=compiled(
        (*_EXCEPT, *_NTH_OF_MONTH, *_PAST, *_COUNTED, *_SPECIFIC, *_RELATIVE, *LOOSE)
    ),
    asked=compiled(_ASKED),
    correction=re.compile(r"\b(no|sorry|mean|rather|actually|wait|scratch)\b"),
    about=re.compile(
        r"\b((right |somewhere |sometime |maybe |probably )?(around|roughly|approximately)"
        r"|(or|be|is|say|maybe|probably|until) about|sometime about)$"
    ),
    either=re.compile(r"or|or maybe|or else|or (on|by)"),
    span=re.compile(r"between\|and|from\|(to|through|thru|until|till)|\w*\|(through|thru)"),
)
