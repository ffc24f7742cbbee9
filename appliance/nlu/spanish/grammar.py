"""Spanish, as the rule layer needs it: of Latin America and of Spain, with tú, usted and vos."""

from __future__ import annotations

import re

from appliance.nlu.grammar import Grammar, MoneyWords, Negation
from appliance.nlu.spanish.dates import DATES
from appliance.nlu.spanish.numbers import NUMBERS
from appliance.nlu.spanish.times import TIMES
from appliance.nlu.spanish.words import normalize

_SUM = r"(monto|saldo|balance|pago|total|dinero|cantidad|deuda|cuenta)"
_PAYING = (
    r"(pag(o|ar|are|aria|ue)|mand(o|ar|are)|d(oy|ar|are)|liquid(o|ar|are)|cubr(o|ir)|hacer|hago)"
    r"(l[oae]s?)?"
)
_MONEY = MoneyWords(
    currency=frozenset(
        {"dolar", "dolares", "peso", "pesos", "usd", "varos", "baros", "dollars", "bucks"}
    ),
    cents=frozenset({"centavo", "centavos", "centimo", "centimos"}),
    percent=frozenset({"porciento"}),
    thousands=frozenset({"luca", "lucas"}),
    joining=frozenset({"con", "y"}),
    decimal=frozenset({"con", "punto"}),
    offering=frozenset(
        {"pagar", "pago", "pague", "pagarle", "pagare", "pagaria", "dar", "darle", "doy", "si",
         "mandar", "mando", "mandarle", "abonar", "abono", "ofrecer", "ofrezco", "como", "unos",
         "solo", "solamente", "vez", "quizas", "hasta", "con", "puedo", "podria", "nomas",
         "depositar",
         "poner", "minimo", "maximo", "tengo", "serian"}
    ),
    sums={("un", "par", "de", "cientos"): 200, ("un", "par", "de", "cienes"): 200},
    half=re.compile(
        r"\b((?<!\ba )mitad(?! del? (la )?(mes|semana|ano|camino))|medio pago"
        r"|(cincuenta|50) porciento)\b"
    ),
    full=re.compile(
        rf"\b({_PAYING} (todo|toda|completo|completa|entero)|tod[oa] (el|la) {_SUM}"
        rf"|(el|la|mi) (total|{_SUM} (total|complet[oa]|enter[oa]))|(en su|la) totalidad"
        rf"|por completo|todo lo que (le |les )?debo|{_SUM} complet[oa]"
        r"|todo (ahora|hoy|junto|completo|de una)|(cien|100) porciento)\b"
    ),
    all_of_it=frozenset(
        {"todo", "toda", "todito", "completo", "completa", "si todo", "todo eso", "el total",
         "total", "todo por favor", "pues todo", "entero"}
    ),
)  # fmt: skip
_NEGATION = Negation(
    words=frozenset({"no", "nunca", "jamas", "sin", "ni", "tampoco"}),
    stops=frozenset(
        {";", "pero", "hasta", "antes", "despues", "sino", "aunque", "excepto", "salvo", "mas",
         "solo", "mejor", "digo", "perdon", "quizas", "asi"}
    ),
    replies=frozenset({"no"}),
    not_replies=frozenset({"hoy", "todo", "toda"}),
    after=re.compile(
        r"(yo |ya |es que |la verdad |pues )*(no|tampoco)\b(?! (hay|tengo|es|veo|tendria) "
        r"(ningun )?(problema|inconveniente|mala idea)| esta mal| importa)"
    ),
)  # fmt: skip

SPANISH = Grammar(
    language="es",
    normalize=normalize,
    numbers=NUMBERS,
    money=_MONEY,
    dates=DATES,
    negation=_NEGATION,
    filler=re.compile(
        r"^((eh+|este|pues|bueno|mm+|m|em|ah|oh|a ver|o sea|y|pero|entonces|hm+|aver|la|el|es que)"
        r"( |$))+$"
    ),
    trailing=frozenset(
        {"y", "o", "e", "u", "pero", "el", "la", "los", "las", "un", "una", "de", "del",
         "a", "al", "en", "con", "por", "para", "mi", "su", "este", "eh", "em", "porque",
         "entonces", "sin", "son", "unos", "dentro"}
    ),
    times=TIMES,
)  # fmt: skip
