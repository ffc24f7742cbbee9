"""What a caller's words for the problem come to: without courtesies, and as a kind that is said.

    "hello my furnace is broken"
        └─> problem       "my furnace is broken"  (goes to people, is never said)
              └─> problem_kind  "heating"         (has an approved sentence)

The kind is found by words, in an order: the thing that is named counts more than what it does, so
"the water heater is leaking" is the water heater, and "there's water everywhere" is a leak.
"""

from __future__ import annotations

import re

OTHER = "other"

_HELLO = r"(?:hello|hi|hey)(?:,? there(?! (?:is|are|was|were)\b)(?!'))?"
_COURTESY = re.compile(
    rf"(?:(?:{_HELLO}|good (?:morning|afternoon|evening|day)|how are you(?: doing)?(?: today)?"
    r"|yes|yeah|yep|yup|sure|okay|ok|thanks|thank you|please|sorry"
    r"|um|uh|er|erm|hm|ah|oh|so|actually"
    r"|well(?! (?:pump|water|tank|is|has)\b)"
    r"|no(?=,? (?:it|it's|that|that's|the|my|our|we|we've|i|i've|there|there's|actually|sorry)\b)"
    r")(?![\w'])[\s,.!?;:-]*)+",
    re.IGNORECASE,
)
"""What may stand at the head and says nothing. "no heat" and "well pump" say something."""

_DENIED = re.compile(
    r"\b(?:not|isn't) (?:about |with )?(?:the|my|our|an?) (?:hot |water |air |garbage )*\w+"
)
"""A thing that it is not: "it's not the sink, it's the toilet"."""

KINDS = {
    "water_heater": r"(?:hot|warm) water|water heater|water tank|tankless"
    r"|water (?:\w+ ){0,5}(?:hot|warm|cold)",
    "cooling": r"air condition\w*|a\.?c\.?|a c|central air|cool(?:s|ing)?|cold air|too hot",
    "heating": r"heat(?:s|ed|er|ers|ing)?|furnaces?|boilers?|radiators?|thermostats?|pilot"
    r"|warm air|warm up|freezing|too cold"
    r"|(?:house|home|room|apartment|here|it|it's|we|we're)(?: is| are)?(?: \w+)? cold",
    "toilet": r"toilets?|flush\w*",
    "sink": r"sinks?|faucets?",
    "shower": r"showers?|(?:bath)?tubs?",
    "appliance": r"dish ?washers?|disposal|washing machine|washer|dryer|refrigerator|oven|stove",
    "drain": r"drain\w*|clog\w*|sewers?|sewage|back(?:ed|ing|s) up|blocked|blockage",
    "leak": r"leak\w*|drip\w*|flood\w*|puddles?|burst|pipes?|water",
    "electrical": r"electric\w*|power|outlets?|breakers?|wiring|wires?|switch(?:es)?|lights?"
    r"|spark\w*",
}
"""By kind, the words for it; the first kind that is found counts."""
_KINDS = {kind: re.compile(rf"\b(?:{words})(?!\w)") for kind, words in KINDS.items()}


def told_problem(text: str) -> dict[str, str]:
    """The fact `problem` of a caller's words, if they hold more than courtesies."""
    problem = without_courtesies(text)
    return {"problem": problem} if problem else {}


def without_courtesies(text: str) -> str:
    """The caller's words without what only opens the mouth: "um hello we have no heat"."""
    words = " ".join(text.split())
    courtesy = _COURTESY.match(words)
    return words[courtesy.end() :] if courtesy else words


def kind_of(problem: str) -> str:
    """One of `KINDS`, or `OTHER`."""
    words = _DENIED.sub(" ", problem.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return next((kind for kind, found in _KINDS.items() if found.search(words)), OTHER)
