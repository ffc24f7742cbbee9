"""How telephone numbers and e-mail addresses are said in English."""

from __future__ import annotations

import re

from appliance.nlu.contact_words import EmailWords, PhoneWords

PHONES = PhoneWords(
    between=re.compile(
        r"\b(with )?(the )?(area|country|city) code( is)?\b|\bthe (rest|number|last \w+)( is)?\b"
        r"|\band then\b|\bthat is\b|\bparen(thesis|theses|s)?\b|\b(open|close) paren\w*\b"
    ),
    plus=re.compile(r"\bplus( sign)?\b"),
    extension=re.compile(r"\b(extension|ext|x)( is| number)?\b"),
    rounded={"hundred": "zero zero"},
    correction=re.compile(
        r"\b(no+|nope|i mean|i meant|sorry|wait|actually|make that|correction|rather|scratch that"
        r"|let me start (over|again)|that is wrong)\b"
    ),
    regions=("US",),
)

_HOSTS = {
    "gmail": "gmail", "g mail": "gmail", "gee mail": "gmail", "gmall": "gmail",
    "google mail": "googlemail", "hot mail": "hotmail", "hotmail": "hotmail", "yahoo": "yahoo",
    "out look": "outlook", "outlook": "outlook", "i cloud": "icloud", "eye cloud": "icloud",
    "icloud": "icloud", "a o l": "aol", "aol": "aol", "m s n": "msn", "msn": "msn",
    "proton mail": "protonmail", "protonmail": "protonmail", "comcast": "comcast",
    "calm": "com",
}  # fmt: skip
HOSTS = {tuple(said.split()): written for said, written in _HOSTS.items()}
WHOLE = {host: f"{host}.com" for host in ("gmail", "icloud", "aol", "googlemail")}

_SIGNS = {
    "dot": ".", "period": ".", "point": ".", "full stop": ".", "underscore": "_",
    "under score": "_", "underline": "_", "under bar": "_", "dash": "-", "hyphen": "-",
    "minus": "-", "minus sign": "-", "plus": "+", "plus sign": "+",
}  # fmt: skip
EMAILS = EmailWords(
    at=frozenset({"at", "@", "arroba"}),
    signs={tuple(said.split()): sign for said, sign in _SIGNS.items()},
    nothing=re.compile(
        r"\b((it is |that is )?(all|just)?( as)? ?one word|all together|(with )?no spaces?|no space"
        r"|(all |in )+(lower ?case|small letters)|lower ?case|(the )?(number|numeral|digit)s?"
        r"(?! is)|(the )?letter|(the )?at (sign|symbol)(?= )|capital|then|and then|uh|um)\b"
    ),
    spelled=re.compile(r"\b((that|which|it) is )?(spelled|spelt)( as| out)?\b|\bthat is\b"),
    begins=frozenset(
        """
        address an and be because but can contact email e-mail gosh hello here hi i is it
        just mail me my no of okay on please reach right send so sorry sure thank
        thanks that the to uh um use want we well with would write yeah yes you your mean actually
        """.split()  # noqa: SIM905 (words are data)
    ),
    hosts=HOSTS,
    whole=WHOLE,
)
