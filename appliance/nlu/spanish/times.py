"""How a time of day is named in Spanish.

Nobody is visited at three in the morning: an hour from one to six, without its half of the day, is
in the afternoon. "Más tarde" is later, not the afternoon.
"""

from __future__ import annotations

import re

from appliance.nlu.dates import always, compiled
from appliance.nlu.grammar import DateReader, TimePatterns
from appliance.nlu.spanish.numbers import spoken_numbers
from appliance.nlu.times import NOON_HOUR, Half, clock_time
from appliance.nlu.words import any_of

_NUMBERS = spoken_numbers(59) | {str(number): number for number in range(60)}
_NUMBERS |= {f"{number:02}": number for number in range(10)}
_HOURS = {
    name: hour
    for name, hour in _NUMBERS.items()
    if hour <= 23 and name not in ("un", "uno") and " y " not in name
}
_MINUTES = {name: minute for name, minute in _NUMBERS.items() if name not in ("un", "una")}
_ROUND = {"media": 30, "cuarto": 15, "un cuarto": 15, "tres cuartos": 45}
_MINUTES_OR_ROUND = _MINUTES | _ROUND
_HOUR, _MINUTE = any_of(_HOURS), any_of(_MINUTES)
_SMALL_HOUR = any_of(name for name, hour in _HOURS.items() if 1 <= hour <= NOON_HOUR)
_BARE_MINUTE = any_of(name for name, minute in _MINUTES.items() if minute >= 10 or name[0] == "0")
"""What may follow an hour without "y": "las tres treinta"."""
_AND = any_of(_MINUTES_OR_ROUND)
_MORNING_HOUR = r"ocho|nueve|diez|once|8|9|10|11"
"""Who wants us to come before these says no hour, but the morning."""
_MORNING = r"a ?m|(de|en|por) la (manana|mananita|madrugada)|de madrugada|temprano"
_NIGHT = r"(de|en|por|a) la (noche|nochecita)|de noche|de la media noche"
_LATER = r"p ?m|(de|en|por|a) la (tarde|tardecita)|de tarde|del? (medio ?dia|dia)"
_HALF = (
    rf"(en punto |horas )?((?P<morning>{_MORNING})|(?P<night>{_NIGHT})|(?P<later>{_LATER}))"
    r"|en punto"
)
_END = rf"( y pico)?( ({_HALF}))?"
_OCLOCK = rf"(?P<hour>{_HOUR})"
_PAST_HOUR = (
    rf"( (?P<half_inside>p ?m))?( (y|con|colon|h) (?P<past>{_AND})(?! (dolar|peso))( minutos)?"
    rf"| (?P<bare>{_BARE_MINUTE})\b(?! (dolar|peso|dia|semana))"
    rf"| menos (?P<less>{_AND})( minutos)?| h)?"
)
_CLOCK = rf"{_OCLOCK}{_PAST_HOUR}"
_THE = r"l[ao]s?"
_AT = (
    r"(?<!antes )(((despues|a partir|alrededor|cerca|pasad[ao]s) )?(a|de|para|sobre|desde"
    r"|hasta|hacia|por)"
    rf"( eso de| ahi de)?|tipo|como( a)?|entre|seria(n)?( a)?|es( a)?|son( a)?|pasad[ao]s|y) {_THE}"
)
_NOT_A_TIME = r"(?! (dolar|peso|cuota|pago|semana|dia|mes|vez|veces|persona|mil|cientos|slash)\w*)"
_COUNT = rf"(?P<count>{_AND})( minutos?| mins?)?"
_ANY = (
    r"(a )?cualquier (hora|momento|horario)|(a )?la hora que (usted(es)? )?(sea|quiera|guste|pueda)"
    r"|cuando (sea|gust\w+"
    r"|quiera\w*|pueda\w*|ustedes\w*( \w+)?|usted \w+)|(me )?da (igual|lo mismo)|no importa"
    r"|todo el dia"
    r"|(el|la) que (sea|quiera)|usted (diga|elija|escoja)|como (quiera|guste)|es lo mismo"
    r"|a la que pueda"
)
_LEAD = (
    r"^((si|no|bueno|pues|eh|este|mejor|como|tal vez|mas o menos|yo creo|que sea|que"
    r"|digamos|seria|seran"
    r"|puede ser|por favor|ok|claro|como que|a ver) )*"
)
_BARE_END = r"(?=$|( (por favor|gracias|esta bien|me parece|estaria|seria|no|perdon|mejor|o|;)\b))"


def _half(match: re.Match[str]) -> Half:
    said = match.groupdict()
    if said.get("morning"):
        return "morning"
    if said.get("night"):
        return "night"
    return "later" if said.get("later") or said.get("half_inside") else ""


def _time(total: int, match: re.Match[str]) -> str:
    """Minutes after midnight as a time, in the half of the day that was said."""
    hour, minute = divmod(total % (24 * 60), 60)
    return clock_time(hour, minute, _half(match))


def _clock(match: re.Match[str]) -> str:
    said = match.groupdict()
    hour = _HOURS[match["hour"]]
    past = said.get("past") or said.get("bare")
    if said.get("less"):
        return _time(_before(hour, _MINUTES_OR_ROUND[match["less"]]), match)
    return _time(hour * 60 + (_MINUTES_OR_ROUND[past] if past else 0), match)


def _before(hour: int, minutes: int) -> int:
    """So many minutes before an hour; before one o'clock it is still twelve."""
    return (hour + NOON_HOUR if hour == 1 else hour) * 60 - minutes


def _moved(direction: int) -> DateReader:
    """Minutes past (1) or to (-1) a time."""

    def read(match: re.Match[str]) -> str:
        hour, minutes = _HOURS[match["hour"]], _MINUTES_OR_ROUND[match["count"]]
        past = match["past"] or match["bare"]
        more = _MINUTES_OR_ROUND[past] if past else 0
        if direction < 0:
            return _time(_before(hour, minutes) + more, match)
        return _time(hour * 60 + more + minutes, match)

    return read


def _compact(match: re.Match[str]) -> str:
    """340 p m is 15:40."""
    hour, minute = divmod(int(match["figures"]), 100)
    return _time(hour * 60 + minute, match) if hour < 24 and minute < 60 else ""


TIMES = TimePatterns(
    clock=compiled(
        (
            (rf"{_COUNT} (para|pa) {_THE} {_CLOCK}{_END}", _moved(-1)),
            (rf"{_COUNT} pasad[ao]s (de )?{_THE} {_CLOCK}{_END}", _moved(1)),
            (
                (
                    rf"(entre|de|desde) {_THE} {_CLOCK} (y|a|hasta) {_THE} ({_HOUR})( y"
                    rf" ({_AND}))?{_END}"
                ),
                _clock,
            ),
            (rf"({_AT} )?{_OCLOCK} colon (?P<past>\d\d){_END}", _clock),
            (rf"(?P<figures>\d{{3,4}}) ({_HALF})", _compact),
            (
                (
                    rf"(a )?{_THE} (doce|12) (del|de) (la )?(medio ?dia|dia|manana)"
                    r"|((al?|el) )?(?<!antes del )(?<!despues del )(?<!pasado el )medio ?dia"
                ),
                always("12:00"),
            ),
            (
                rf"(a )?{_THE} (doce|12) de la (media ?)?noche|(a |la )?media ?noche",
                always("00:00"),
            ),
            (r"(a )?la hora del almuerzo|al almuerzo", always("12:00")),
            (rf"(?P<hour>{_HOUR}) y (?P<past>media|cuarto){_END}", _clock),
            (
                (
                    rf"(?P<hour>{_HOUR})( (?P<half_inside>p ?m))? menos (?P<less>cuarto"
                    rf"|{_MINUTE}){_END}"
                ),
                _clock,
            ),
            (rf"(({_AT}|{_THE}) )?{_CLOCK}( y pico)? ({_HALF})", _clock),
            (rf"antes de {_THE} (?!({_MORNING_HOUR})\b){_CLOCK}{_END}", _clock),
            (rf"{_AT} {_CLOCK}( horas| hrs)?\b{_NOT_A_TIME}", _clock),
        )
    ),
    parts=compiled(
        (
            (
                r"buen[oa]s (dias|tardes|noches)|mas tarde|muy tarde|(ya )?es tarde|mas temprano",
                always(""),
            ),
            (
                (
                    r"(por|en|a|de|durante|toda) la (manana|mananita)|antes del? (medio"
                    r" ?dia|almuerzo|comer)"
                    r"|esta manana|tempran(o|ito)|a primera hora|(por|en) las mananas"
                    rf"|antes de (las )?({_MORNING_HOUR})"
                ),
                always("morning"),
            ),
            (
                (
                    r"(por|en|a|de|durante|toda) la (tarde|tardecita)|esta (tarde"
                    r"|tardecita)|(por|en) las tardes"
                    r"|despues de(l)? (comer|almuerzo|almorzar|medio ?dia|la escuela)|la tarde"
                ),
                always("afternoon"),
            ),
            (
                (
                    r"(por|en|a|de|durante) la (noche|nochecita)|esta (noche|nochecita)"
                    r"|(por|en) las noches"
                    r"|despues del (trabajo|jale)|saliendo (del trabajo|de trabajar)"
                    r"|cuando salga (del trabajo|de "
                    r"trabajar)|la noche|al anochecer"
                ),
                always("evening"),
            ),
            (_ANY, always("any")),
        )
    ),
    asked=compiled(
        (
            (rf"{_LEAD}(a )?({_THE} )?(?P<hour>{_SMALL_HOUR}){_PAST_HOUR}{_BARE_END}", _clock),
            (
                rf"((?<=no )|(?<=; )|(?<=perdon )|(?<=digo )|(?<=mejor ))(a )?({_THE} )?{_CLOCK}$",
                _clock,
            ),
            (rf"(?<!antes de ){_THE} {_CLOCK}\b{_NOT_A_TIME}", _clock),
        )
    ),
)
