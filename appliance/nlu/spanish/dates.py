"""How a day is named in Spanish.

"En ocho días" is a week and "en quince días" two to most, eight and fifteen days to some: they are
vague, so that the caller is asked. "De mañana en ocho" is a week from tomorrow everywhere.
"""

from __future__ import annotations

import re

from appliance.dialogue.words_es import FIRST, MONTHS, WEEKDAYS
from appliance.nlu.dates import always, compiled, weekday_as
from appliance.nlu.grammar import DatePatterns, DateReader
from appliance.nlu.spanish.numbers import spoken_numbers
from appliance.nlu.words import any_of

_FIGURES = {str(number): number for number in range(1, 61)}
_COUNTS = spoken_numbers(60) | _FIGURES
_DAYS = {name: day for name, day in _COUNTS.items() if day <= 31 and name not in ("un", "una")}
_DAYS |= {FIRST[0]: 1}
_YEARS = {f"dos mil veinti{unit}": f"202{digit}" for unit, digit in
          (("cinco", 5), ("seis", 6), ("siete", 7), ("ocho", 8), ("nueve", 9))}  # fmt: skip
_UNITS = {"dia": "days", "semana": "weeks", "mes": "months"}

_DAY, _COUNT = any_of(_DAYS), any_of(_COUNTS)
_MONTH, _WEEKDAY = any_of(MONTHS), any_of(WEEKDAYS)
_YEAR = rf"( (de |del )?(?P<year>20\d\d|{any_of(_YEARS)}))?"
_START = rf"hoy|manana|((el|este) )?({_WEEKDAY})"
_NEXT_WEEK = (
    r"(la )?((proxima|siguiente|otra) semana|semana (que (viene|entra|sigue)|proxima|entrante"
    r"|siguiente))"
)
_NEXT_MONTH = (
    r"(el )?((proximo|siguiente|otro) mes|mes (que (viene|entra|sigue)|proximo|entrante|siguiente))"
)
# "El viernes, primero Dios" is Friday, God willing.
_NOT_A_DAY = (
    r"(?! (pagos?|cosas?|veces|vez|dolar(es)?|pesos?|centavos?|cientos|mil|porciento|que|en|y|por"
    r"|de (la|los|ellos|cada)|minutos?|horas?|dias?|semanas?|mes(es)?|anos?|personas?|dios)\b)"
)
_EDGE = r"((a|para|el|al|hasta) )*"
_WAGE = r"(cheque|sueldo|salario|quincena|paga)"
_LEAD = r"(para|el|dia|si|no|eh|pues|como|tal vez|bueno|seria|mejor|este|hasta|al)"
_IN = r"(en|dentro de|de aqui a)"
_ON_WEEKDAY = rf"((el )?({_WEEKDAY}) )?"

_PAST = rf"((el|la) )?({_WEEKDAY}|semana|mes|ano|quincena) (pasad[oa]|anterior)(?! manana)"
_AGO = rf"hace (mas de )?({_COUNT}|unos|unas|varios|varias) \w+|antier|anteayer"
_FAREWELL = r"^((bueno|gracias|adios|ok|si|no) )*hasta manana$"
_COUNT_FROM = (
    rf"(?P<count>{_COUNT}) (?P<unit>semana|dia)s? "
    rf"((despues|luego|a partir) (de|del)|desde) (?P<start>{_START})"
)
_COUNT_AHEAD = (
    rf"{_IN} (l[oa]s )?(proxim[oa]s )?(?P<count>{_COUNT}) (?P<unit>dia|semana|mes)(e?s)?( mas)?"
)
_DAY_MONTH = (
    rf"{_ON_WEEKDAY}((el|dia|al) )*(?P<day>{_DAY}) de(l mes de)? (?P<month>{_MONTH}){_YEAR}"
)
_MONTH_DAY = rf"{_ON_WEEKDAY}(?P<month>{_MONTH}) ((el|dia) )*(?P<day>{_DAY}){_NOT_A_DAY}{_YEAR}"
_DAY_OF_MONTH = (
    rf"(el dia|el|al|dia|(antes|despues|partir) del( dia)?) (?P<day>{_DAY})"
    rf"( de este( mes)?| del( presente| actual)?( mes)?)?{_NOT_A_DAY}"
)
_PART_OF_NEXT_MONTH = (
    rf"((a|para|el|los|al|dia) )*({_DAY}|primeros( dias)?|fin(es)?"
    rf"|(principio|inicio|comienzo|final)s?) (de|del) {_NEXT_MONTH}"
)
_START_OF_MONTH = rf"{_EDGE}((principio|inicio|comienzo)s?|primeros( dias)?) (de|del) mes"
_END_OF_MONTH = (
    rf"{_EDGE}((fin(es|al|ales)?) (de|del|de este|de el) mes|ultimo (dia )?(de|del) mes)"
    r"|cuando (acabe|termine) el mes"
)
_PART_OF_MONTH = (
    rf"{_EDGE}(mediados|mitad|(principio|inicio|final)(es|s)?|fin(es)?|ultimos|primeros)( dias)? "
    rf"(de|del) ({_MONTH})|{_EDGE}(mediados|mitad) (de|del) mes|(en|para|hasta) ({_MONTH})"
)
_WEEK_OF_MONTH = (
    rf"((primer|segundo|tercer|cuarto|ultimo) ({_WEEKDAY})|(primera|segunda|tercera|ultima) "
    rf"(semana|quincena)) (de|del)( (este|el))? (mes|{_MONTH})"
)
_PAYDAY = (
    r"(cuando|hasta que|en cuanto|apenas|despues de que) (yo )?"
    r"(cobre|cobro|reciba|(me|nos) (pague|paguen|pagan|paga|depositen|depositan|llegue|llega|caiga"
    rf"|cae|den|dan))( (el|la|mi) ({_WAGE}|pago|dinero))?"
    r"|al cobrar|(el )?dia (de (pago|cobro|paga)|que (cobro|cobre|me pagan|me paguen))"
    rf"|(el|la|mi|proxim[oa]) (proxim[oa] )?{_WAGE}|me pagan|cobro|payday"
)
_SOMETIME = (
    r"(esta|entre) semana|este (mes|fin)|pronto|mas adelante|algun dia|lo antes posible"
    r"|cuando (pueda|tenga)|un dia de est[oe]s|en est[oa]s dias|(tan pronto como|en cuanto) pueda"
    rf"|fin de semana( {_NEXT_WEEK})?|(en|dentro de) (un par de|un[oa]s( cuant[oa]s)?|poc[oa]s"
    r"|vari[oa]s|algun[oa]s) (dias|semanas|meses)"
)
_RIGHT_NOW = r"((?<=pagar )|(?<=pago )|(?<=pagarlo )|(?<=hacerlo ))(ahora|ahorita|ya)( mismo)?"
_NEXT_WEEKDAY = (
    rf"(el )?(?P<weekday>{_WEEKDAY}) "
    rf"(proximo|siguiente|entrante|que (viene|entra|sigue)|de {_NEXT_WEEK})"
)


def _month_day(match: re.Match[str]) -> str:
    month, day = MONTHS.index(match["month"]) + 1, _DAYS[match["day"]]
    year = match["year"]
    return f"date:{_YEARS.get(year, year)}-{month}-{day}" if year else f"date:{month}-{day}"


def _figures(match: re.Match[str]) -> str:
    """Day and month as figures, in the order that Spanish has or the one that is possible."""
    day, month = int(match["first"]), int(match["second"])
    return f"date:{day}-{month}" if month > 12 else f"date:{month}-{day}"


def _day(match: re.Match[str]) -> str:
    return f"day:{_DAYS[match['day']]}"


def _ahead(match: re.Match[str]) -> str:
    return f"in_{_UNITS[match['unit']]}:{_COUNTS[match['count']]}"


def _from(match: re.Match[str]) -> str:
    days = _COUNTS[match["count"]] * (7 if match["unit"] == "semana" else 1)
    return _after(match["start"], days)


def _idiom(match: re.Match[str]) -> str:
    return _after(match["start"], 7 if match["days"] == "ocho" else 14)


def _after(start: str, days: int) -> str:
    *prefix, name = start.split()
    if name in WEEKDAYS:
        kind = "this" if prefix == ["este"] else "weekday"
        return f"after:{kind}:{WEEKDAYS.index(name)}:{days}"
    return f"after:{'today' if name == 'hoy' else 'tomorrow'}:{days}"


def _named(kind: str) -> DateReader:
    return weekday_as(kind, WEEKDAYS)


_SPECIFIC: tuple[tuple[str, DateReader], ...] = (
    (_PAST, always("")),
    (_AGO, always("")),
    (_FAREWELL, always("")),
    (rf"(de |del )?(?P<start>{_START}) en (?P<days>ocho|quince)( dias)?", _idiom),
    (_COUNT_FROM, _from),
    (rf"{_IN} (unos )?(ocho|quince|8|15) dias", always("vague")),
    (_COUNT_AHEAD, _ahead),
    (r"(?P<first>\d{1,2}) slash (?P<second>\d{1,2})", _figures),
    (_DAY_MONTH, _month_day),
    (_MONTH_DAY, _month_day),
    (_PART_OF_NEXT_MONTH, always("next_month")),
    (_START_OF_MONTH, always("next_month")),
    (_WEEK_OF_MONTH, always("vague")),
    (_PART_OF_MONTH, always("vague")),
    (rf"(el )?({_WEEKDAY}) ((el|dia) )*(?P<day>{_DAY}){_NOT_A_DAY}", _day),
    (_DAY_OF_MONTH, _day),
)
_RELATIVE: tuple[tuple[str, DateReader], ...] = (
    (r"pasado manana|(el )?dia despues de manana", always("overmorrow")),
    (rf"(cada|todos los|todas las|los) ({_WEEKDAY}|semanas?|mes(es)?|quincenas?)", always("vague")),
    (
        rf"este (mismo )?(proximo )?(?P<weekday>{_WEEKDAY})( (que viene|proximo|entrante))?",
        _named("this"),
    ),
    (rf"(el )?(?P<weekday>{_WEEKDAY}) (este|de esta( misma)? semana)", _named("this")),
    (rf"esta( misma)? semana (el )?(?P<weekday>{_WEEKDAY})", _named("this")),
    (rf"(el )?(proximo|siguiente|otro) (?P<weekday>{_WEEKDAY})", _named("next")),
    (_NEXT_WEEKDAY, _named("next")),
    (rf"{_NEXT_WEEK} (el )?(?P<weekday>{_WEEKDAY})", _named("next")),
    (rf"(el )?(?P<weekday>{_WEEKDAY})", _named("weekday")),
    (r"hoy( dia| mismo)?|esta (tarde|noche|manana)", always("today")),
    (r"(?<!la )(?<!las )manana", always("tomorrow")),
    (_RIGHT_NOW, always("today")),
    (r"ayer|anoche", always("yesterday")),
    (_END_OF_MONTH, always("end_of_month")),
    (
        rf"{_EDGE}fin(es|al|ales)? de (la|esta) semana|(a|para) finales de semana",
        always("end_of_week"),
    ),
)
_LOOSE: tuple[tuple[str, DateReader], ...] = (
    (_NEXT_MONTH, always("next_month")),
    (_PAYDAY, always("payday")),
    (_SOMETIME, always("vague")),
    (_NEXT_WEEK, always("next_week")),
)
_ASKED: tuple[tuple[str, DateReader], ...] = (
    (rf"^({_LEAD} )*(?P<day>{_DAY})( por favor)?$", _day),
    (rf"^({_LEAD} )*(ahora|ahorita|ya)( mismo)?( por favor)?$", always("today")),
    (r"un par de (dias|semanas|meses)|(ocho|quince|8|15) dias", always("vague")),
    (rf"(?P<count>{_COUNT}) (?P<unit>dia|semana|mes)(e?s)?", _ahead),
)

DATES = DatePatterns(
    anywhere=compiled((*_SPECIFIC, *_RELATIVE, *_LOOSE)),
    asked=compiled(_ASKED),
    correction=re.compile(
        r"\b(no|perdon|digo|mejor|mas bien|quise decir|esper[ae]|disculpe|o sea|corrijo)\b"
    ),
)
