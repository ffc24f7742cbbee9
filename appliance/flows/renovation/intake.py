"""What callers tell of their project: room, budget, time, walls, goals, who lives there.

Phrases that are known become short texts that can be said back ("this spring"). What callers say in
words of their own about goals and household is kept as it is for the note, and never said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from appliance.dialogue.checks import CONFIDENT, CheckInput
from appliance.dialogue.speech import parse_money
from appliance.knowledge.terms import terms

_ROOMS = {
    "kitchen": r"kitchens?",
    "bathroom": r"bath ?rooms?|bath|powder room|shower room",
    "basement": r"basement|cellar",
    "attic": r"attic|loft",
    "living room": r"living room|family room|den",
    "dining room": r"dining room",
    "bedroom": r"bed ?rooms?|nursery|guest room",
    "laundry room": r"laundry( room)?",
    "garage": r"garage",
    "deck": r"deck|porch|patio",
    "floors": r"floors?|flooring|hardwood floors?",
    "windows": r"windows?",
    "roof": r"roof|roofing",
    "addition": r"addition|extension",
    "whole house": r"(whole|entire) (house|home|place)|everything|house|home",
}
_ROOM = {name: re.compile(rf"\b({pattern})\b") for name, pattern in _ROOMS.items()}
_WORK = re.compile(
    r"\b(remodel\w*|renovat\w*|redo\w*|re do|repaint\w*|paint\w*|replac\w*|updat\w*|build\w*|finish"
    r"\w*|add\w*|convert\w*|gut\w*|new|fix\w*|chang\w*|expand\w*|enlarg\w*|modern\w*|bigger|project"
    r"|work on|improve\w*|rip\w*|i meant|instead)\b"
)
_WALL = re.compile(
    r"\b(remov\w*|tak\w+ (out|down)|tear\w* (out|down)|knock\w* (out|down|through)|open\w* up|"
    r"get\w* rid of|demolish\w*|without|lose|losing)\b[^.]*\bwalls?\b|\bwalls?\b[^.]*\b(out|down|"
    r"gone|removed)\b"
)
_NOT_IT = re.compile(r"\bnot (the |my |our |a )?\w+( room)?\b")
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_COUNT = r"(a|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a couple of|a few|\d+)"
_SOON = re.compile(r"\b(as soon as (possible|we can|i can)|right away|immediately|asap|soon|now)\b")
_CALM = re.compile(
    r"\b(no (rush|hurry)|not in a (rush|hurry)|flexible|whenever|any ?time|do not care when)\b"
)
_WHEN = re.compile(
    rf"\b((this|next) (spring|summer|fall|autumn|winter|month|year|week)|in the (spring|summer|fall"
    rf"|autumn|winter)|(in|by|before|until|next|this|starting|after) ({_MONTH})|(with)?in {_COUNT} "
    rf"(weeks?|months?|years?)|(by|before|after) (christmas|thanksgiving|easter|the holidays)|"
    rf"(by|before) the end of (the|this|next) (month|year|summer))\b"
)
_BARE_MONTH = re.compile(rf"^(?:(?:maybe|around|about|probably|well|um) )*({_MONTH})\b")
_MONEY_CUE = re.compile(r"\b(budget|dollars?|bucks|spend\w*|afford|grand|thousand|k)\b|\$")
_AREA = re.compile(r"\b(square|feet|foot|inch\w*|built|years? old)\b")
_DOLLARS = re.compile(r"\b(dollars?|bucks)\b|\$")
_IN_THOUSANDS = re.compile(r"\b(thousand|grand)\b|\d ?k\b")
_THOUSANDS_BELOW = 500
"""Nobody renovates for less: "forty" means forty thousand, unless dollars are named."""

_DECLINES = frozenset({"does_not_know", "refuse_information", "why_question", "repeat_request",
                       "greeting", "filler", "thanks", "identity_question"})  # fmt: skip
_LONGEST = 80


def read_plan(given: CheckInput, asked: str = "") -> Mapping[str, str]:
    """The facts that a reply gives: project, budget, timeline and wall.

    Args:
        given: what was said.
        asked: the fact that was asked for: a bare room, or a bare number, is then one.
    """
    text = given.understanding.text.lower()
    found = {
        "project": _project(text, asked=asked == "project"),
        "budget": _budget(given, text, asked=asked == "budget"),
        "timeline": _timeline(text, asked=asked == "timeline"),
        "wall": "may come out" if _WALL.search(text) else "",
    }
    return {name: value for name, value in found.items() if value}


def own_words(given: CheckInput) -> str | None:
    """What a reply says, cut to a length; None where it declines, or says nothing.

    "No kids, just me" says something; "no", and "no, but my budget is ten thousand", do not.
    """
    intents = {each.name for each in given.understanding.intents if each.confidence >= CONFIDENT}
    text = " ".join(given.understanding.text.split())
    if not text or intents & _DECLINES:
        return None
    if "negation" in intents:
        says_something = bool(terms(text)) and len(text.split()) > 2 and not read_plan(given)
    else:
        says_something = bool(terms(text)) or len(text.split()) > 1
    return text[:_LONGEST] if says_something else None


def _project(text: str, *, asked: bool) -> str:
    """The rooms, at most two, as they are said back: "kitchen and bathroom"."""
    if not asked and not _WORK.search(text):
        return ""
    said = _NOT_IT.sub("", text)  # "not the kitchen, the bathroom"
    rooms = [name for name, pattern in _ROOM.items() if pattern.search(said)]
    if len(rooms) > 1:
        rooms = [room for room in rooms if room != "whole house"]
    return " and ".join(rooms[:2])


def _budget(given: CheckInput, text: str, *, asked: bool) -> str:
    said = given.understanding.slots.get("amount", "")
    if not said or said in ("full", "half") or _AREA.search(text):
        return ""
    if not asked and not _MONEY_CUE.search(text):
        return ""
    amount = parse_money(said)
    in_thousands = bool(_IN_THOUSANDS.search(text)) and amount < 1000
    if in_thousands or (amount < _THOUSANDS_BELOW and not _DOLLARS.search(text)):
        amount *= 1000
    return str(amount)


def _timeline(text: str, *, asked: bool) -> str:
    when = _WHEN.search(text)
    if when:
        return when.group()
    if _CALM.search(text):
        return "no hurry"
    if asked and (month := _BARE_MONTH.search(text)):
        return f"in {month.group(1)}"
    return "as soon as possible" if asked and _SOON.search(text) else ""
