"""What Spanish callers say of a time that is no single day: paydays, weekends, months, "pronto"."""

from __future__ import annotations

import re

from appliance.nlu.dates import always
from appliance.nlu.grammar import DateReader
from appliance.nlu.spanish.date_words import MONTH, MONTH_NUMBERS, NEXT_MONTH, NEXT_WEEK

_WAGE = r"(cheque|sueldo|salario|quincena|paga|pension|seguro|dinero|deposito|reembolso)"
_PAYDAY = (
    r"(cuando|hasta que|en cuanto|apenas|despues de que) (yo )?"
    r"(cobre|cobro|reciba|(me|nos) (pague|paguen|pagan|paga|depositen|depositan|llegue|llega|caiga"
    rf"|cae|den|dan))( (el|la|mi) ({_WAGE}|pago|dinero))?"
    r"|al cobrar|(el )?dia (de (pago|cobro|paga)|que (cobro|cobre|me pagan|me paguen))"
    rf"|(el|la|mi|proxim[oa]) (proxim[oa] )?(cheque|sueldo|salario|paga)|me pagan|cobro|payday"
    r"|mi proxim[oa] pago"
)
_QUINCENA = (
    r"(?<!no me pagan )(((en|a|para|hasta|despues de|cada|de) )?(la|esta|mi proxima)"
    r" ((proxima|siguiente) )?"
    r"quincena|((en|a|para|hasta|despues de) |^)((proxima|siguiente) )?quincena)( que"
    r" (viene|entra))?"
)
_GONE_BY = re.compile(
    r"\b(pague|pagado|termine|murio|fallecio|corrieron|despidieron|deje|dieron?|surtimos|fue|nacen|naci"
    r"|quede|pagamos|mande|hicimos|hice|di|acabamos|pagaron|cancele|perdi|cumpli|lo"
    r" tenemos|falleci)\b"
)
"""Who says one of these with the name of a month speaks of what has been: "lo pagué en marzo"."""
_SOMETIME = (
    r"(esta|entre) semana|este mes|pronto|mas adelante|algun dia|lo antes posible"
    r"|cuando (pueda|tenga)|un dia de est[oe]s|en est[oa]s dias|(tan pronto como|en cuanto) pueda"
    r"|(en|dentro de) (un par de|un[oa]s( cuant[oa]s)?|poc[oa]s|vari[oa]s|algun[oa]s) "
    r"(dias|semanas|meses)|(en|para|despues de|hasta|antes de) mi cumpleanos|semana santa"
    r"|las fiestas"
    r"|(despues de |en )?las vacaciones"
)
LOOSE: tuple[tuple[str, DateReader], ...] = (
    (NEXT_MONTH, always("next_month")),
    (_PAYDAY, always("payday")),
    (_QUINCENA, always("quincena")),
    (
        (
            r"(el )?(proximo|otro|siguiente) fin de semana|fin de semana (que (viene|entra)"
            rf"|de {NEXT_WEEK})"
        ),
        always("weekend:1"),
    ),
    (r"(?<!feliz )(?<!un )(este |el )?fin de semana|este fin", always("weekend:0")),
    (_SOMETIME, always("vague")),
    (
        (
            r"(la )?semana (despues de la (proxima|que viene)|de la otra)|(la )?(otra"
            r"|siguiente) semana "
            r"despues de (esa|la proxima)"
        ),
        always("week:2"),
    ),
    (NEXT_WEEK, always("week:1")),
    (
        rf"(en|para|hasta|durante)( el mes de)? (?P<month>{MONTH})",
        lambda match: (
            "" if _GONE_BY.search(match.string) else f"month:{MONTH_NUMBERS[match['month']]}"
        ),
    ),
)
