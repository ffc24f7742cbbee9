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
_NOT_A_DAY = (
    r"(?! (pagos?|cosas?|veces|vez|dolar(es)?|pesos?|centavos?|cientos|mil|porciento|que|en|y|por"
    r"|de (la|los|ellos|cada)|minutos?|horas?|dias?|semanas?|mes(es)?|anos?|personas?)\b)"
)
_EDGE = r"((a|para|el|al|hasta) )*"
_WAGE = r"(cheque|sueldo|salario|quincena|paga)"
_LEAD = r"(para|el|dia|si|no|eh|pues|como|tal vez|bueno|seria|mejor|este|hasta|al)"


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


def _after(start: str, days: int) -> str:
    *prefix, name = start.split()
    if name in WEEKDAYS:
        kind = "this" if prefix == ["este"] else "weekday"
        return f"after:{kind}:{WEEKDAYS.index(name)}:{days}"
    return f"after:{'today' if name == 'hoy' else 'tomorrow'}:{days}"


def _named(kind: str) -> DateReader:
    return weekday_as(kind, WEEKDAYS)


_SPECIFIC: tuple[tuple[str, DateReader], ...] = (
    (
        rf"((el|la) )?({_WEEKDAY}|semana|mes|ano|quincena) (pasad[oa]|anterior)(?! manana)",
        always(""),
    ),
    (rf"hace (mas de )?({_COUNT}|unos|unas|varios|varias) \w+|antier|anteayer", always("")),
    (r"^((bueno|gracias|adios|ok|si|no) )*hasta manana$", always("")),
    (
        rf"(de |del )?(?P<start>{_START}) en (?P<days>ocho|quince)( dias)?",
        lambda match: _after(match["start"], {"ocho": 7, "quince": 14}[match["days"]]),
    ),
    (
        (
            rf"(?P<count>{_COUNT}) (?P<unit>semana|dia)s? "
            rf"((despues|luego|a partir) (de|del)|desde) (?P<start>{_START})"
        ),
        lambda match: _after(
            match["start"], _COUNTS[match["count"]] * (7 if match["unit"] == "semana" else 1)
        ),
    ),
    (r"(en|dentro de|de aqui a) (unos )?(ocho|quince|8|15) dias", always("vague")),
    (
        (
            rf"(en|dentro de|de aqui a) (l[oa]s )?(proxim[oa]s )?"
            rf"(?P<count>{_COUNT}) (?P<unit>dia|semana|mes)(e?s)?( mas)?"
        ),
        _ahead,
    ),
    (r"(?P<first>\d{1,2}) slash (?P<second>\d{1,2})", _figures),
    (
        (
            rf"((el )?({_WEEKDAY}) )?((el|dia|al) )*(?P<day>{_DAY}) de(l mes de)? "
            rf"(?P<month>{_MONTH}){_YEAR}"
        ),
        _month_day,
    ),
    (
        (
            rf"((el )?({_WEEKDAY}) )?(?P<month>{_MONTH}) ((el|dia) )*(?P<day>{_DAY})"
            rf"{_NOT_A_DAY}{_YEAR}"
        ),
        _month_day,
    ),
    (
        (
            rf"((a|para|el|los|al|dia) )*({_DAY}|primeros( dias)?|fin(es)?"
            rf"|(principio|inicio|comienzo|final)s?) (de|del) {_NEXT_MONTH}"
        ),
        always("next_month"),
    ),
    (
        rf"{_EDGE}((principio|inicio|comienzo)s?|primeros( dias)?) (de|del) mes",
        always("next_month"),
    ),
    (
        (
            rf"{_EDGE}(mediados|mitad|(principio|inicio|final)(es|s)?|fin(es)?|ultimos|primeros)"
            rf"( dias)? (de|del) ({_MONTH})|{_EDGE}(mediados|mitad) (de|del) mes"
        ),
        always("vague"),
    ),
    (rf"(el )?({_WEEKDAY}) ((el|dia) )*(?P<day>{_DAY}){_NOT_A_DAY}", _day),
    (
        (
            rf"(el dia|el|al|dia) (?P<day>{_DAY})( de este( mes)?| del( presente| actual)?( mes)?)?"
            rf"{_NOT_A_DAY}"
        ),
        _day,
    ),
)
_RELATIVE: tuple[tuple[str, DateReader], ...] = (
    (r"pasado manana|(el )?dia despues de manana", always("overmorrow")),
    (rf"(cada|todos los|todas las|los) ({_WEEKDAY}|semanas?|mes(es)?|quincenas?)", always("vague")),
    (rf"este (proximo )?(?P<weekday>{_WEEKDAY})( (que viene|proximo|entrante))?", _named("this")),
    (rf"(el )?(?P<weekday>{_WEEKDAY}) (este|de esta( misma)? semana)", _named("this")),
    (rf"esta( misma)? semana (el )?(?P<weekday>{_WEEKDAY})", _named("this")),
    (rf"(el )?(proximo|siguiente|otro) (?P<weekday>{_WEEKDAY})", _named("next")),
    (
        (rf"(el )?(?P<weekday>{_WEEKDAY}) "
        rf"(proximo|siguiente|entrante|que (viene|entra|sigue)|de {_NEXT_WEEK})"),
        _named("next"),
    ),
    (rf"{_NEXT_WEEK} (el )?(?P<weekday>{_WEEKDAY})", _named("next")),
    (rf"(el )?(?P<weekday>{_WEEKDAY})", _named("weekday")),
    (r"hoy( dia| mismo)?|esta (tarde|noche|manana)", always("today")),
    (r"(?<!la )(?<!las )manana", always("tomorrow")),
    (
        r"((?<=pagar )|(?<=pago )|(?<=pagarlo )|(?<=hacerlo ))(ahora|ahorita|ya)( mismo)?",
        always("today"),
    ),
    (r"ayer|anoche", always("yesterday")),
    (
        (rf"{_EDGE}((fin(es|al|ales)?) (de|del|de este|de el) mes|ultimo (dia )?(de|del) mes)"
        r"|cuando (acabe|termine) el mes"),
        always("end_of_month"),
    ),
    (rf"{_EDGE}fin(es|al|ales)? de (la|esta) semana|(a|para) finales de semana",
     always("end_of_week")),
)  # fmt: skip
_LOOSE: tuple[tuple[str, DateReader], ...] = (
    (rf"fin de semana( {_NEXT_WEEK})?", always("vague")),
    (_NEXT_MONTH, always("next_month")),
    (_NEXT_WEEK, always("next_week")),
    (
        (
            r"cuando (yo )?(cobre|cobro|reciba|(me|nos) (pague|paguen|pagan|paga|depositen"
            rf"|depositan|llegue|llega|caiga|cae|den|dan))( (el|la|mi) ({_WAGE}|pago|dinero))?"
            r"|al cobrar|(el )?dia (de (pago|cobro|paga)|que (cobro|cobre|me pagan|me paguen))"
        ),
        always("payday"),
    ),
    (rf"(el|la|mi|proxim[oa]) (proxim[oa] )?{_WAGE}|me pagan|cobro|payday", always("payday")),
    (
        (
            r"(esta|entre) semana|este (mes|fin)|pronto|mas adelante|algun dia|lo antes posible"
            r"|cuando (pueda|tenga)|un dia de est[oe]s|en est[oa]s dias|tan pronto como pueda"
            r"|en cuanto pueda"
        ),
        always("vague"),
    ),
    (
        (
            r"(en|dentro de) (un par de|un[oa]s( cuant[oa]s)?|poc[oa]s|vari[oa]s|algun[oa]s) "
            r"(dias|semanas|meses)"
        ),
        always("vague"),
    ),
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
