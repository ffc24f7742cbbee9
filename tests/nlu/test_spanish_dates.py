"""Date phrases in Spanish words, with and without accents."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.dialogue.calendar import resolve
from appliance.dialogue.speech import speak_date
from appliance.nlu.dates import find_date
from appliance.nlu.spanish.grammar import SPANISH


def _phrase(said: str, *, asked: bool = False) -> str | None:
    found = find_date(SPANISH.normalize(said), SPANISH, asked=asked)
    return found.phrase if found else None


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("hoy", "today"),
        ("hoy mismo", "today"),
        ("esta tarde", "today"),
        ("esta mañana", "today"),
        ("puedo pagar ahora mismo", "today"),
        ("mañana", "tomorrow"),
        ("manana", "tomorrow"),
        ("mañana por la mañana", "tomorrow"),
        ("mañana en la tarde", "tomorrow"),
        ("mañana temprano", "tomorrow"),
        ("el día de mañana", "tomorrow"),
        ("pasado mañana", "overmorrow"),
        ("pasado manana por la mañana", "overmorrow"),
        ("el viernes", "weekday:4"),
        ("viernes", "weekday:4"),
        ("para el miércoles", "weekday:2"),
        ("el sabado", "weekday:5"),
        ("este viernes", "this:4"),
        ("este viernes que viene", "this:4"),
        ("el viernes de esta semana", "this:4"),
        ("el viernes que viene", "next:4"),
        ("el próximo viernes", "next:4"),
        ("el viernes próximo", "next:4"),
        ("el viernes de la próxima semana", "week:1:4"),
        ("el lunes de la semana que viene", "week:1:0"),
        ("la próxima semana el lunes", "week:1:0"),
        ("el quince", "day:15"),
        ("el día quince", "day:15"),
        ("el 15", "day:15"),
        ("el quince de este mes", "day:15"),
        ("el primero", "day:1"),
        ("el 1ro", "day:1"),
        ("el treinta y uno", "day:31"),
        ("el treinta", "day:30"),
        ("el veintiuno", "day:21"),
        ("el veinte y uno", "day:21"),
        ("el viernes veintisiete", "on:4:day:27"),
        ("el quince de diciembre", "date:12-15"),
        ("quince de diciembre", "date:12-15"),
        ("el primero de diciembre", "date:12-1"),
        ("diciembre quince", "date:12-15"),
        ("el viernes 4 de diciembre", "on:4:date:12-4"),
        ("el quince de diciembre de 2026", "date:2026-12-15"),
        ("el quince de enero del dos mil veintisiete", "date:2027-1-15"),
        ("28/11", "date:11-28"),
        ("11/28", "date:11-28"),
        ("el viernes primero Dios", "weekday:4"),
        ("después del quince", "day:15"),
        ("no antes del quince", "day:15"),
        ("este mismo viernes", "this:4"),
        ("el último viernes del mes", "nth:-1:4"),
        ("la primera semana de diciembre", "vague"),
        ("en diciembre", "month:12"),
        ("hasta que me paguen", "payday"),
        ("en una semanita", "in_weeks:1"),
        ("a fin de mes", "end_of_month"),
        ("a finales de mes", "end_of_month"),
        ("el último día del mes", "end_of_month"),
        ("a finales de esta semana", "end_of_week"),
        ("la próxima semana", "week:1"),
        ("la semana que viene", "week:1"),
        ("la semana entrante", "week:1"),
        ("el mes que viene", "next_month"),
        ("el próximo mes", "next_month"),
        ("el primero del mes que viene", "next_month"),
        ("a principios de mes", "next_month"),
        ("en dos semanas", "in_weeks:2"),
        ("en una semana", "in_weeks:1"),
        ("dentro de tres días", "in_days:3"),
        ("en un mes", "in_months:1"),
        ("en dos meses", "in_months:2"),
        ("dos semanas a partir de hoy", "after:today:14"),
        ("de hoy en ocho", "after:today:7"),
        ("de mañana en quince", "after:tomorrow:14"),
        ("del viernes en ocho", "after:weekday:4:7"),
        ("en ocho días", "or:in_days:7|in_days:8"),
        ("en quince días", "or:in_days:14|in_days:15"),
        ("cuando cobre", "payday"),
        ("cuando me paguen", "payday"),
        ("el día de pago", "payday"),
        ("en la quincena", "quincena"),
        ("cuando cobre el viernes", "weekday:4"),
        ("cuando reciba mi cheque", "payday"),
        ("pronto", "vague"),
        ("en un par de semanas", "vague"),
        ("el fin de semana", "weekend:0"),
        ("a mediados de mes", "mid_month"),
        ("los viernes", "vague"),
        ("ayer", "yesterday"),
        ("hasta el viernes no puedo", "weekday:4"),
        ("no puedo hasta el viernes", "weekday:4"),
        ("el viernes no el jueves", "weekday:3"),
        ("el viernes no hay problema", "weekday:4"),
        ("hoy no mañana sí", "tomorrow"),
        ("hoy no puedo mañana sí", "tomorrow"),
        ("no puedo hoy pero el viernes sí", "weekday:4"),
        ("no, el viernes", "weekday:4"),
        ("no el viernes", "weekday:4"),
        ("el veinte, perdón, el veintidós", "day:22"),
    ],
)
def test_phrases(said: str, phrase: str) -> None:
    assert _phrase(said) == phrase


@pytest.mark.parametrize(
    ("said", "phrase"),
    [
        ("quince", "day:15"),
        ("para el quince", "day:15"),
        ("dos semanas", "in_weeks:2"),
        ("ahorita", "today"),
        ("tres días", "in_days:3"),
    ],
)
def test_bare_phrases_count_where_a_date_was_asked_for(said: str, phrase: str) -> None:
    assert _phrase(said, asked=True) == phrase


@pytest.mark.parametrize("said", ["quince", "dos semanas", "ahorita", "tres días"])
def test_bare_phrases_do_not_count_elsewhere(said: str) -> None:
    assert _phrase(said) is None


@pytest.mark.parametrize(
    "said",
    [
        "no puedo pagar hoy",
        "hoy no",
        "hoy no puedo",
        "el viernes no puedo",
        "sí pero no hoy",
        "el viernes pasado",
        "el pasado",
        "la semana pasada",
        "hace dos semanas",
        "por la mañana",
        "en la mañana",
        "hasta mañana",
        "el primer pago",
        "el diez por ciento",
        "el dos que dije",
        "cada uno",
        "a las cinco",
        "mayor",
        "",
    ],
)
def test_what_is_no_date(said: str) -> None:
    assert _phrase(said, asked=True) is None


@settings(deadline=None)
@given(st.dates(date(2026, 1, 1), date(2027, 12, 31)), st.integers(0, 330))
def test_what_the_voice_says_is_understood_again(today: date, ahead: int) -> None:
    day = today + timedelta(days=ahead)
    phrase = _phrase(speak_date(day, "es"))
    assert phrase is not None
    assert resolve(phrase, today).day == day


@given(
    st.text(alphabet="abcdefghijklmnopqrstuvwxyz áéíóúñ,;0123456789", max_size=80)
    | st.lists(
        st.sampled_from(
            ["el", "viernes", "que viene", "no", "hoy", "manana", "pasado", "quince", "de", "y",
             "diciembre", "en", "dos", "semanas", "dias", "proximo", "fin", "mes", "hasta", ","]
        ),
        max_size=9,
    ).map(" ".join)
)  # fmt: skip
def test_every_phrase_that_is_found_resolves_or_is_none(text: str) -> None:
    found = find_date(SPANISH.normalize(text), SPANISH, asked=True)
    if found:
        resolve(found.phrase, date(2026, 11, 21))
        assert 0 <= found.start < found.end <= len(SPANISH.normalize(text).split())
