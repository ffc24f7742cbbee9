"""How an amount of money is offered in English, and how currencies are written."""

from __future__ import annotations

import re

from appliance.nlu.grammar import MoneyWords

_NAMES = {
    "Dollar": ("dollar", "$", "buck"),
    "United States dollar": ("us dollar", "usd", "us $", "u.s $", "u.s. $", "u s $",
                             "american dollar", "u.s. dollar", "united states dollar"),
    "Canadian dollar": ("canadian dollar", "c $", "cad", "can $", "canada $"),
    "Australian dollar": ("australian dollar", "aud", "au $"),
    "Hong Kong dollar": ("hong kong dollar", "hk $", "hkd"),
    "New Zealand dollar": ("new zealand dollar", "nz $", "nzd"),
    "Singapore dollar": ("singapore dollar", "sgd"),
    "Taiwan dollar": ("taiwan dollar", "nt $"),
    "Euro": ("euro", "€", "eur"),
    "Pound": ("pound", "£", "quid"),
    "British pound": ("british pound", "pound sterling", "gbp", "sterling"),
    "Japanese yen": ("yen", "japanese yen", "¥", "jpy"),
    "Chinese yuan": ("yuan", "chinese yuan", "rmb", "renminbi", "元", "cny", "kuai"),
    "Swiss franc": ("swiss franc", "chf"),
    "French franc": ("french franc", "franc"),
    "German mark": ("german mark", "deutsche mark", "mark"),
    "Finnish markka": ("finnish markka", "finnish mark", "markka"),
    "Mexican peso": ("mexican peso", "mxn"),
    "Peso": ("peso",),
    "Indian rupee": ("indian rupee", "inr"),
    "Rupee": ("rupee",),
    "Russian ruble": ("russian ruble", "ruble", "rouble"),
    "Brazilian real": ("brazilian real", "r $", "brl"),
    "South Korean won": ("south korean won", "korean won", "won", "krw"),
    "Swedish krona": ("swedish krona", "swedish kronor", "sek"),
    "Danish krone": ("danish krone", "danish kroner", "dkk"),
    "Norwegian krone": ("norwegian krone", "norwegian kroner", "nok"),
    "Costa Rican colón": ("₡", "costa rican colon"),
    "Georgian lari": ("₾", "georgian lari", "lari"),
    "Israeli new shekel": ("shekel", "₪"),
    "Turkish lira": ("turkish lira", "₺"),
    "Bitcoin": ("bitcoin", "btc"),
}  # fmt: skip
_UNITS = {word: name for name, words in _NAMES.items() for word in words}
_UNITS |= {f"{word}s": name for word, name in _UNITS.items() if word[-1].isalpha()}
_HOURS = r"(an? )?(hours?|days?|months?|years?|weeks?|dozen|price|past|way)"
_PERCENT = r"percents?"


def _share(pattern: str, share: str) -> tuple[re.Pattern[str], str]:
    return re.compile(rf"\b(?:{pattern})\b"), share


MONEY = MoneyWords(
    units=_UNITS,
    cents={"cent": "Cent", "cents": "Cent", "penny": "Penny", "pennies": "Penny", "pence": "Pence"},
    percent=frozenset({"percent", "percents", "percentage", "%"}),
    counted=frozenset(
        {"years", "months", "weeks", "days", "hours", "minutes", "kids", "children", "people",
         "times", "year", "month", "week", "day", "hour", "minute"}
    ),
    joining=frozenset({"and"}),
    decimal=frozenset(),
    vague=frozenset({"something", "some", "odd", "ish", "or", "so", "plus", "of", "us"}),
    ranges=frozenset({"to", "or", "and"}),
    offering=frozenset(
        {"pay", "do", "afford", "send", "manage", "give", "offer", "about", "maybe", "around",
         "only", "put", "like", "just", "be", "make", "with", "between", "least", "most", "up to",
         "say", "roughly", "almost", "nearly", "payment of", "payments of", "amount of", "from",
         "you", "minimum", "maximum", "spare", "scrape together", "go"}
    ),
    limits=frozenset({"than", "over", "above", "beyond", "least"}),
    sums={
        ("couple", "hundred"): 200, ("couple", "of", "hundred"): 200,
        ("couple", "thousand"): 2000, ("couple", "of", "thousand"): 2000,
        ("couple", "grand"): 2000, ("couple", "of", "grand"): 2000,
        ("couple", "dollars"): 2, ("couple", "bucks"): 2, ("couple", "of", "dollars"): 2,
        ("couple", "of", "bucks"): 2,
    },
    hundreds_to=19,
    shares=(
        _share(r"(three|3) (quarters|fourths)(?! of an hour)|(seventy five|75) " + _PERCENT,
               "three_quarters"),
        _share(r"(two|2) thirds", "two_thirds"),
        _share(r"(a|one|1) third(?! (party|person|time|one))|third of (it|that|the (balance|amount"
               r"|total|debt|bill))", "third"),
        _share(r"(a|one|1) (quarter|fourth) of (it|that|the (balance|amount|total|debt|bill|money))"
               r"|(one|1) (quarter|fourth)|(twenty five|25) " + _PERCENT, "quarter"),
        _share(rf"(?<!and a )(?<!and )(half|50 {_PERCENT}|fifty {_PERCENT})(?! {_HOURS})"
               r"(?! the (hour|month|day|year|way|time))", "half"),
        _share(
            r"in full|the full|full (amount|balance|payment|thing)|the (whole|total)|entire"
            r"|everything(?! (is|was|else)\b)|(whole|total) (amount|balance|thing)|all of (it|that)"
            r"|pay (it (all|off|all off)|that off)|(a|one) hundred percent|100 percent",
            "full",
        ),
    ),
    asked_shares={
        "all": "full", "full": "full", "yes all": "full", "yes full": "full", "the lot": "full",
        "a quarter": "quarter", "quarter": "quarter", "a fourth": "quarter", "third": "third",
        "maybe a quarter": "quarter",
    },
    correction=re.compile(
        r"\b(no(?! (more|less|later|problem|way|matter|one|thanks?|money|longer))|nope|sorry|i mean"
        r"|i meant|rather|actually|wait|make (it|that)|correction|scratch that|let us say|better)\b"
    ),
)  # fmt: skip
