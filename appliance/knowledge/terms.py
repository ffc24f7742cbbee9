"""Words of a question as terms: what it is about, without the words that every question has.

    "How much does a new kitchen usually cost?"  ->  cost kitchen

Endings are cut so that "permits" finds "permit", and words that mean the same become one. English
only: another language needs its own table here.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PHRASES = tuple(
    (re.compile(rf"\b({pattern})\b"), meant)
    for pattern, meant in (
        (r"how much(?! (time|reserve))", "cost"),
        (r"up ?front|down ?payment", "deposit"),
        (r"(by )?(my|our|your)sel(f|ves)|on (my|our|your) own|d i y", "diy"),
        (r"what time", "clock"),
        (r"how old", "clock"),
        (r"these days|at the moment|right now", ""),
    )
)
"""Said with words that mean nothing alone."""

_WORD = re.compile(r"[a-z]+|\d+")
_APOSTROPHE = re.compile(r"n't\b|'[a-z]+\b")

_SAID_BY_ALL = frozenset(
    """a about actually after all also am an and another any anything are as ask at be because been
    before being best better but buy by call can come could did do does doing done down else even
    ever every for from get give go going good got had happen has have having he hello help her here
    hey hi him hire how i if in into is it its just kind know let lets like little look lot made
    make many may maybe me mean might more most much must my myself necessary need needed new no not
    now of off okay on one ones or our out over please possible possibly probably put question
    questions quite real really require required right said say see shall she should so some
    somebody someone something sort sure take talk tell than thank thanks that the their them then
    there these they thing things think this those to too um up us use usually very want wanted was
    way we well were what where which while whole why will with wonder wondering would yes you your
    """.split()  # noqa: SIM905 (a list of words)
)

_ENDINGS = ("ings", "ing", "ed", "es", "s", "e", "ly", "y")
_SHORTEST = 3


def _stem(word: str) -> str:
    """The word without its ending: "replacing" and "replace" are "replac"."""
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST and not (ending == "s" and stem[-1] in "su"):
            doubled = ending in ("ing", "ed") and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return stem[:-1] if doubled else stem
    return word.removesuffix("e") if len(word) > _SHORTEST else word


_MEANT: dict[str, str] = {
    word: meant
    for meant, words in {
        "permit": "permits permission permitted approval approve approved authorization "
        "allowed legal paperwork",
        "inspection": "inspect inspects inspector inspectors inspected inspecting inspections",
        "cost": "costs costing price prices priced pricing expensive pricey charge charges pay "
        "paying spend spending money dollars afford affordable",
        "cheap": "cheaper cheapest inexpensive save saving savings",
        "budget": "budgets budgeting",
        "contractor": "contractors builder builders handyman tradesman crew",
        "bathroom": "bath bathrooms shower tub toilet",
        "kitchen": "kitchens",
        "countertop": "countertops counter counters worktop worktops granite quartz",
        "floor": "floors flooring hardwood laminate vinyl",
        "tile": "tiles tiling tiled",
        "wall": "walls",
        "remove": "removing removed removal knock knocking tear tearing demolish demolishing",
        "bearing": "load loads structural",
        "engineer": "engineers engineering",
        "time": "when long weeks months days duration timeline schedule quick quickly fast soon",
        "order": "sequence sequencing sequenced first last next steps stages",
        "electric": "electrical electrician electricity wiring wire wires rewire rewiring outlet "
        "outlets circuit circuits panel",
        "plumb": "plumbing plumber pipe pipes plumbers drain",
        "paint": "painting painted repaint repainting paints painter",
        "cabinet": "cabinets cabinetry cupboard cupboards",
        "window": "windows",
        "asbestos": "asbestus",
        "dust": "dusty",
        "quote": "quotes bid bids estimate estimates",
        "insurance": "insured insure",
        "renovate": "renovation renovating renovations remodel remodeling remodelling redo "
        "redoing makeover",
        "neighbor": "neighbors neighbour neighbours",
        "child": "children kids kid baby toddler",
        "start": "begin starting beginning",
        "live": "living stay staying",
        "deposit": "advance",
        "warranty": "guarantee guaranteed warranties",
        "home": "house homes houses",
        "insulation": "insulate insulating insulated",
        "old": "older",
        "safe": "safely safety dangerous danger hazard hazards hazardous risk risky",
        "unexpected": "surprise surprises contingency overrun overruns hidden",
        "prioritize": "priorities priority prioritise",
        "checklist": "checklists",
        "basement": "cellar",
        "deck": "decks decking porch patio",
        "addition": "extension additions bump",
        "beam": "beams header",
    }.items()
    for word in (meant, *words.split())
}
"""Words that mean the same, each with the one that stands for all."""

_SAME = {each: _stem(meant) for word, meant in _MEANT.items() for each in (word, _stem(word))}


def terms(text: str) -> tuple[str, ...]:
    """The terms of a text, in order; empty where it says nothing in particular."""
    plain = _APOSTROPHE.sub("", text.lower().replace("\u2019", "'"))
    for pattern, meant in _PHRASES:
        plain = pattern.sub(meant, plain)
    words = _WORD.findall(plain)
    return tuple(_term(word) for word in words if not _SAID_BY_ALL & {word, _stem(word)})


@lru_cache(maxsize=8192)
def _term(word: str) -> str:
    """What a word is found by: the one that stands for its like, else the word without ending."""
    return _SAME.get(word) or _SAME.get(_stem(word), _stem(word))
