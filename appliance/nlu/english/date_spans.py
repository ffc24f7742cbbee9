"""What English callers say of a time that is no single day: paydays, weekends, months, "soon"."""

from __future__ import annotations

import re

from appliance.nlu.dates import always
from appliance.nlu.english.date_words import FULL_MONTH, MONTH_VALUES
from appliance.nlu.grammar import DateReader

_NEXT = r"(next|the (next|following|coming|upcoming))"
_MY_MONEY = (
    r"((paycheck|check|pay|wages|money|disability( check)?|social security( check)?|ssi|tax refund"
    r"|refund|unemployment|tax return|direct deposit)s?)"
)
_PAYDAY = (
    r"pay ?days?|(my|the|next) paychecks?|(my|next) checks?|(when(ever)? |once |after |until )?i"
    rf" (get|am) paid|(when|once|after|until) (i get|i receive) (my |the )?{_MY_MONEY}"
    rf"|(when|once|until|as soon as|after) (my |the ){_MY_MONEY}( \w+)? (comes?|gets?"
    r"|hits?|arrives?"
    r"|clears?|is)\b( (in|here))?|(when|once|until) they pay me"
)
_GONE_BY = re.compile(
    r"\b(paid|sent|mailed|was|were|did|quit|died|passed|closed|applied|born|had|got|agreed|wired|made"
    r"|cleared|canceled|cancelled|finished|last|back|ran|lost|used|signed|moved|left|started|retired)\b"
)
"""Who says one of these with the name of a month speaks of what was: "I paid that in March"."""


def _coming_month(match: re.Match[str]) -> str:
    gone_by = _GONE_BY.search(match.string)
    return "" if gone_by else f"month:{MONTH_VALUES[match['month']]}"


LOOSE: tuple[tuple[str, DateReader], ...] = (
    (r"(?<!pay )(?<!for )next month", always("next_month")),
    (r"next month", always("next_month")),
    (rf"{_NEXT} weekend", always("weekend:1")),
    (r"(this|the|this coming) weekend", always("weekend:0")),
    (rf"(?<!the )(?<!of ){_NEXT} week|next week", always("week:1")),
    (_PAYDAY, always("payday")),
    (
        rf"(in|by|until|during|for) (?P<month>{FULL_MONTH})(?! \d)",
        _coming_month,
    ),
    (
        (
            r"(this|the) (week|month)|sometime( soon)?|soon|as soon as i can|some ?day"
            r"|one of these days|(on|after|by|until|before|around) my birthday|after the"
            r" holidays|over the holidays"
        ),
        always("vague"),
    ),
    (r"(in )?(a |another )?(couple|few)( of)?( more)? (days|weeks|months)", always("vague")),
)
