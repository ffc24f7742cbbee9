"""How a day is named in Spanish.

"En ocho días" is a week and "en quince días" two to most, eight and fifteen days to some: either
may be meant, so that the caller is asked. "De mañana en ocho" is a week from tomorrow everywhere.
"""

from __future__ import annotations

import re

from appliance.nlu.dates import always, compiled, holiday, with_weekday
from appliance.nlu.grammar import DatePatterns, DateReader
from appliance.nlu.spanish.date_readers import (
    ahead,
    beside,
    counted,
    day,
    eight_days,
    figures,
    idiom,
    month_day,
    named,
    next_month_day,
    next_to,
    nth,
    part_of_month,
    week,
)
from appliance.nlu.spanish.date_spans import LOOSE
from appliance.nlu.spanish.date_words import (
    COUNT,
    COUNTS,
    DAY,
    DAYS,
    FIGURED_YEAR,
    FIGURES,
    HOLIDAY,
    MONTH,
    MONTH_NUMBERS,
    NEXT_MONTH,
    NEXT_WEEK,
    NOT_A_DAY,
    NTH,
    NTH_DAY,
    SHORT_MONTH,
    WEEKDAY,
    WEEKDAY_VALUES,
    YEAR,
    on_weekday,
)
from appliance.nlu.spanish.holidays import HOLIDAYS
from appliance.nlu.words import any_of

_EDGE = r"((a|para|el|al|hasta|por) )*"
_LEAD = r"(para|el|dia|si|no|eh|pues|como|tal vez|bueno|seria|mejor|este|hasta|al)"
_IN = r"(en|dentro de|de aqui a|de hoy en)"
_START = rf"hoy|manana|((el|este|proximo) )*({WEEKDAY})|(el )?(dia )?({DAY})|{HOLIDAY}"
"""What days are counted from."""
_OF_MONTH = (
    rf"(de(l| este| el| la)?( mes de)? (?P<month>mes(?! (que|prox|entr|sig))|{NEXT_MONTH}|{MONTH}))"
)
_AFTER = r"(despues|luego|a partir|pasad[oa]s?|siguiente|antes)"

_PAST = (
    rf"((el|la) )?({WEEKDAY}|semana|mes|ano|quincena) (pasad[oa]|anterior)(?! manana)"
    rf"|el ultimo ({WEEKDAY})(?! del? )|({WEEKDAY}) de la (ultima|pasada) semana"
    rf"|({WEEKDAY}) de la semana pasada"
)
_AGO = (
    rf"hace (como |mas de )?({COUNT}|unos|unas|varios|varias) \w+|antier|anteayer|antes de ayer"
    r"|(el )?dia antes de ayer|desde (hace|el ano|el mes)"
)
_FAREWELL = r"^((bueno|gracias|adios|ok|si|no) )*hasta manana$"
_COUNT_FROM = (
    rf"(?P<count>{COUNT}) (?P<unit>semana|dia)s? (?P<way>{_AFTER}|desde|antes)( de| del)? "
    rf"(?P<start>{_START})"
)
_COUNT_AHEAD = (
    rf"{_IN} (como |unos |unas |l[oa]s )?(proxim[oa]s )?(?P<count>{COUNT}) "
    r"(?P<unit>dia|semana|mes|ano)(e?s)?( mas)?"
)
_RIGHT_NOW = r"((?<=pagar )|(?<=pago )|(?<=pagarlo )|(?<=hacerlo ))(ahora|ahorita|ya)( mismo)?"


def _on(pattern: str, read: DateReader) -> tuple[str, DateReader]:
    return on_weekday(pattern), with_weekday(read, WEEKDAY_VALUES)


_EXCEPT: tuple[tuple[str, DateReader], ...] = (
    (
        rf"(cualquier|todos los) dias? (menos|excepto|salvo|que no sea) ({_START})",
        always("vague"),
    ),
)
_NTH_OF_MONTH: tuple[tuple[str, DateReader], ...] = (
    (
        (
            rf"(el )?(?P<nth>{any_of(NTH)}) (?P<weekday>{WEEKDAY}) "
            rf"(de|del) (?P<month>{NEXT_MONTH}|(este )?mes( de (?P<of>{MONTH}))?|{MONTH})"
        ),
        lambda match: (
            nth(match) if not match["of"] else f"{nth(match)}:{MONTH_NUMBERS[match['of']]}"
        ),
    ),
    (
        (
            r"(la )?(primera|segunda|tercera|ultima) (semana|quincena) (de|del)( (este|el))?"
            rf" (mes|{MONTH})"
        ),
        always("vague"),
    ),
)
_COUNTED: tuple[tuple[str, DateReader], ...] = (
    (_PAST, always("")),
    (_AGO, always("")),
    (_FAREWELL, always("")),
    (
        (
            rf"(de |del )?(?P<start>hoy|manana|((el|este) )?({WEEKDAY})) en (?P<days>ocho"
            r"|quince|8|15)( dias)?"
        ),
        idiom,
    ),
    (_COUNT_FROM, counted),
    (
        (
            rf"(?P<weekday>{WEEKDAY}) (?P<way>despues|antes|siguiente) (de |del |a"
            rf" )?(?P<start>{HOLIDAY})"
        ),
        beside,
    ),
    (rf"(el )?dia (siguiente (de|a)|despues de) (?P<start>{HOLIDAY}|({WEEKDAY}))", next_to(1)),
    (
        rf"(el )?(dia antes|dia anterior|vispera) (de|a|del) (?P<start>{HOLIDAY}|({WEEKDAY}))",
        next_to(-1),
    ),
    (rf"{_IN} (unos |como )?(?P<days>ocho|quince|8|15) dias", eight_days),
    (
        (
            rf"{_IN} (un|una|dos|tres) (o (un|una|dos|tres|cuatro)|a (dos|tres|cuatro)) "
            r"(dias|semanas|meses)"
        ),
        always("vague"),
    ),
    (
        rf"{_IN} (unos |como )?(?P<count>{COUNT}) dias (habiles|laborables|laborales)",
        lambda match: f"in_workdays:{COUNTS[match['count']]}",
    ),
    (
        rf"{_IN} (?P<count>dos|tres|cuatro|2|3|4) (?P<weekday>{WEEKDAY})",
        lambda match: f"after:{named('weekday')(match)}:{7 * DAYS[match['count']] - 7}",
    ),
    (_COUNT_AHEAD, ahead),
)


_SPECIFIC: tuple[tuple[str, DateReader], ...] = (
    (
        r"(?P<year>\d{4}) slash (?P<month>\d{1,2}) slash (?P<day>\d{1,2})",
        lambda match: f"date:{match['year']}-{int(match['month'])}-{int(match['day'])}",
    ),
    _on(rf"((el|dia|al) )*(?P<first>\d{{1,2}}) slash (?P<second>\d{{1,2}}){FIGURED_YEAR}", figures),
    (
        (
            rf"entre el ({DAY}) y el ({DAY})( de(l)? ({MONTH}|mes))?|del? ({DAY}) al ({DAY})("
            rf" de ({MONTH}))?"
        ),
        always("vague"),
    ),
    *((rf"({name})( (del? )?(?P<year>20\d\d))?", holiday(key)) for name, key in HOLIDAYS.items()),
    _on(
        rf"((el|dia|al) )*(?P<day>{DAY}|{NTH_DAY}) de(l mes de)? (?P<month>{MONTH}"
        rf"|{SHORT_MONTH}){YEAR}",
        month_day,
    ),
    _on(rf"((el|dia|al) )*(?P<day>{DAY}) (?P<month>{MONTH}){YEAR}", month_day),
    _on(rf"((el|dia|al) )*(?P<day>{FIGURES}) (?P<month>{SHORT_MONTH}){YEAR}", month_day),
    _on(rf"(?P<month>{MONTH}) ((el|dia) )*(?P<day>{DAY}){NOT_A_DAY}{YEAR}", month_day),
    (rf"((a|para|el|al|dia) )*(?P<day>{DAY}) (de|del) {NEXT_MONTH}", next_month_day),
    (rf"{_EDGE}(mediados|mitad) {_OF_MONTH}", part_of_month("mid_month")),
    (
        rf"{_EDGE}(los )?((principio|inicio|comienzo)s?|primeros( dias)?) {_OF_MONTH}",
        part_of_month("start_of_month"),
    ),
    (
        rf"{_EDGE}(los )?(fin(es|al|ales)?|ultimo( dia)?|ultimos( dias)?) {_OF_MONTH}",
        part_of_month("end_of_month"),
    ),
    (r"cuando (acabe|termine) el mes|fin de mes", always("end_of_month")),
    (r"((a|para|hasta|al) )*(fin(es|al|ales)?) (de|del|de este) ano", always("end_of_year")),
    (
        rf"(el )?(?P<named>{WEEKDAY}) ((el|dia) )*(?P<day>{DAY}){NOT_A_DAY}",
        with_weekday(day, WEEKDAY_VALUES),
    ),
    (
        (
            rf"(el dia|el|al|dia|(?<=ahi )del|(?<=alrededor )del|(?<=cerca )del"
            rf"|(antes|despues|partir|pasado|luego) del?( dia)?) (?P<day>{DAY})"
            rf"( de este( mes)?| del( presente| actual)?( mes)?)?{NOT_A_DAY}(?!\.\d| \d\d?$)"
        ),
        day,
    ),
)
_RELATIVE: tuple[tuple[str, DateReader], ...] = (
    (r"pasado manana|(el )?dia despues de manana", always("overmorrow")),
    (rf"(cada|todos los|todas las|los) ({WEEKDAY}|semanas?|mes(es)?|quincenas?)", always("vague")),
    (
        rf"(este|el) (?P<weekday>{WEEKDAY}) no ;? ?(si no |sino )?el (otro|siguiente|que sigue)",
        lambda match: f"after:{named('weekday')(match)}:7",
    ),
    (
        rf"este (mismo )?(proximo )?(?P<weekday>{WEEKDAY})( (que viene|proximo|entrante))?",
        named("this"),
    ),
    (rf"(el )?(?P<weekday>{WEEKDAY}) (este|de esta( misma)? semana)", named("this")),
    (rf"esta( misma)? semana (el )?(?P<weekday>{WEEKDAY})", named("this")),
    (rf"(el )?(proximo|siguiente|otro) (?P<weekday>{WEEKDAY})", named("next")),
    (rf"(el )?(?P<weekday>{WEEKDAY}) de {NEXT_WEEK}", week),
    (
        rf"(el )?(?P<weekday>{WEEKDAY}) (proximo|siguiente|entrante|que (viene|entra|sigue))",
        named("next"),
    ),
    (rf"{NEXT_WEEK} (el )?(?P<weekday>{WEEKDAY})", week),
    (rf"(el )?(?P<weekday>{WEEKDAY})", named("weekday")),
    (r"hoy( dia| mismo)?|esta (tarde|noche|manana|tardecita|nochecita)", always("today")),
    (r"(?<!la )(?<!las )mananita|(?<!la )(?<!las )(?<!una )manana", always("tomorrow")),
    (_RIGHT_NOW, always("today")),
    (r"ayer|anoche", always("yesterday")),
    (
        rf"{_EDGE}fin(es|al|ales)? de (la|esta) semana|(a|para) finales de semana",
        always("end_of_week"),
    ),
    (rf"{_EDGE}fin(es|al|ales)? de {NEXT_WEEK}", always("next:4")),
    (rf"{_EDGE}(mediados|mitad) de (la |esta )?semana", always("mid_week")),
)
_ASKED: tuple[tuple[str, DateReader], ...] = (
    (rf"^({_LEAD} )*(?P<day>{DAY})( por favor)?$", day),
    (rf"^({_LEAD} )*(ahora|ahorita|ya)( mismo)?( por favor)?$", always("today")),
    (r"un par de (dias|semanas|meses)", always("vague")),
    (r"(?P<days>ocho|quince|8|15) dias", eight_days),
    (rf"(?P<count>{COUNT}) (?P<unit>dia|semana|mes|ano)(e?s)?", ahead),
    (r"((el|al) )?(proximo dia|dia siguiente)|al otro dia", always("tomorrow")),
    (rf"(?P<first>{FIGURES})\.(?P<second>{FIGURES})\b(?P<year>)(?P<short_year>)", figures),
    (rf"(?<=el )(?P<first>{FIGURES}) (?P<second>{FIGURES})(?P<year>)(?P<short_year>)$", figures),
)

DATES = DatePatterns(
    anywhere=compiled((*_EXCEPT, *_NTH_OF_MONTH, *_COUNTED, *_SPECIFIC, *_RELATIVE, *LOOSE)),
    asked=compiled(_ASKED),
    correction=re.compile(
        r"\b(no|perdon|digo|mejor|mas bien|quise decir|esper[ae]|disculpe|o sea|corrijo|sino)\b"
    ),
    about=re.compile(
        r"\b(alrededor( de)?|por ahi( de)?|mas o menos( para)?|aproximadamente|hacia|tipo"
        r"|como( para)?|cerca( de)?|tal vez como)$"
    ),
    either=re.compile(r"o|u|o (tal vez|quizas|si no|para|a mas tardar)|o bien"),
    span=re.compile(r"entre\|y|(de|desde)\|(a|hasta)|\w*\|hasta"),
)
