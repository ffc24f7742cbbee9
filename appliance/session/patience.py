"""How long may the caller be quiet before his turn is over? Asked at a pause, of what he said.

    words + understanding + what was asked for ──> Standing: complete · growing · open · hanging
    Standing + judge of the sound ──────────────> milliseconds, between the two of `Listen`

A complete reply ends after `listen.patience_ms`, a hanging one after `listen.unfinished_ms`. In
between the sound decides: the likelier the voice says that it goes on (`EndJudge.continues`), the
longer the wait. Words come first, since a half-said number is half-said in any tone. Pure.
"""

from __future__ import annotations

import re
from enum import Enum

from appliance.dialogue.turn import Listen
from appliance.nlu.rules import trails_off
from appliance.session.hints import ZIP_DIGITS
from appliance.types import Language, Understanding

UNJUDGED = 0.5
"""What stands for the judge's answer where there is none."""

_SURE = 0.5  # an intent below this does not complete a reply
# Where a value was asked for, these leave it open: more is likely to follow.
_NOT_AN_ANSWER = (
    None, "filler", "greeting", "affirmation", "promise", "wait_request", "uncertain", "interested",
    "service_request",
)  # fmt: skip
"""What callers begin with before they give what was asked for."""

_ENDS: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b((think|thought|guess|hope|believe|suppose|say|said) so"
        r"|(it|that|this|he|she|there|what|where) is"
        r"|(come|move|moving|moved|drop|check) in|(come|go|hold|hang|later) on"
        r"|(think|talk|worry|care) about( it)?|(looking|waiting|asked|asking|want) (for|to)"
        r"|(what|who)( \w+){0,4} (about|with|for|from|to)|like that)$"
    ),
    "es": re.compile(
        r"\b((como|es|con) este|(as[ií]|eso|esa|ese|lo|s[ií]|no|qui[eé]n|qu[eé]|cu[aá]l) es)$"
    ),
}
"""Ends of a sentence whose last word would lead on elsewhere ("yes it is", "I think so")."""
_LEADS_ON: dict[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"\b(i|i'm|i've|i'll|we|we're|it's|that's|there's|they|your|our|their|his|its|an|into|from"
        r"|than|if|when|which|maybe|also|just|very|let me (see|think|check|look)|you know"
        r"|hold on|i mean|one (second|moment|sec))$"
    ),
    "es": re.compile(
        r"\b(que|mis|tus|sus|nuestr[oa]s?|es|muy|cuando|donde|como|tambien|también|o sea|digo"
        r"|a ver|déjeme ver|dejeme ver|un (momento|segundo)|pues|mmm?|desde|hasta|sobre|entre)$"
    ),
}
"""Ends that more must follow, beside the words that every reading of the rules knows."""
_UNIT = re.compile(
    r"\b(dollars?|bucks?|cents?|grand|thousand|half|all|everything|full|d[oó]lar(es)?|pesos?"
    r"|centavos?|mil|mitad|todo)\b"
)
_PLAIN = ("stop_request", "human_request", "emergency")
"""What is plain before it is all said: "take me off your", "para"."""
_FEW_WORDS = 3


class Standing(Enum):
    """How a reply stands at a pause; `value` is its share of the way to `unfinished_ms`.

    The first number is for a voice that has surely ended, the second for one that surely goes on.
    """

    COMPLETE = (0.0, 0.0)  # holds what was asked for, and nothing is usually added to it
    BARE = (0.05, 0.05)  # a lone yes or no: so begins "yes, this is she" as well
    GROWING = (0.0, 0.32)  # holds it, but so does a part: "two hundred", "Maria", one's own words
    OPEN = (0.2, 0.8)  # does not hold it, and may be all the same all that there is
    HANGING = (1.0, 1.0)  # plainly not over: half a number, "and", "um"


def patience_ms(
    listen: Listen,
    understanding: Understanding,
    continues: float = UNJUDGED,
    *,
    stretched: bool = False,
) -> int:
    """The pause that ends this turn, if it stays as it is.

    Args:
        listen: what the dialogue waits for.
        understanding: of all that was said in this turn so far, with its words.
        continues: the judge's probability that the voice goes on, 0 to 1.
        stretched: a digit of it was found only because it was looked for (`Transcript`).

    Returns:
        Milliseconds from `listen.patience_ms` to `listen.unfinished_ms` (never less than the
        former, whichever of them is longer).
    """
    now = standing(listen, understanding)
    if stretched and now is Standing.COMPLETE:
        now, continues = Standing.OPEN, 1.0  # it may well be still to come
    ended, going_on = now.value
    share = ended + (going_on - ended) * min(1.0, max(0.0, continues))
    more = max(0, listen.unfinished_ms - listen.patience_ms)
    return round(listen.patience_ms + share * more)


def standing(listen: Listen, understanding: Understanding) -> Standing:
    """How a reply stands to what was asked for."""
    if is_hanging(listen, understanding):
        return Standing.OPEN if _top(understanding) in _PLAIN else Standing.HANGING
    if not is_complete(understanding, listen):
        return Standing.OPEN
    if _grows(listen, understanding):
        return Standing.GROWING
    return Standing.BARE if _is_bare(understanding) else Standing.COMPLETE


def is_hanging(listen: Listen, understanding: Understanding) -> bool:
    """Whether what was said is plainly not all: nothing yet, a filler, half a number, "and"."""
    text = understanding.text.strip()
    if not text or _top(understanding) == "filler":
        return True
    if listen.slot in ("zip", "phone") and "digits" in understanding.slots:
        return not _has_value(listen, understanding)
    words = text.lower().rstrip(".,;:!?… ")
    if is_complete(understanding, listen) and _ENDS[listen.language].search(words):
        return False
    return trails_off(text, listen.language) or bool(_LEADS_ON[listen.language].search(words))


def is_complete(understanding: Understanding, listen: Listen) -> bool:
    """Whether a reply holds what was asked for, so that little more waiting is needed."""
    sure = _top(understanding)
    if listen.slot in (None, "yes_no"):
        return sure not in (None, "filler")
    return _has_value(listen, understanding) or sure not in _NOT_AN_ANSWER


def _has_value(listen: Listen, understanding: Understanding) -> bool:
    match listen.slot:
        case "zip":
            return len(understanding.slots.get("digits", "")) >= ZIP_DIGITS
        case "text":  # one's own words end anywhere but after the first
            return len(understanding.text.split()) > 1
        case slot:
            return slot in understanding.slots


def _grows(listen: Listen, understanding: Understanding) -> bool:
    """Whether a reply that answers is often only the beginning of one."""
    if not _has_value(listen, understanding):
        return False  # it was another clear answer: "stop calling me"
    words = understanding.text.split()
    match listen.slot:
        case "text" | "address" | "email":
            return True
        case "name":
            return len(words) < _FEW_WORDS
        case "amount":
            return not _UNIT.search(understanding.text.lower())
        case _:
            return False


def _is_bare(understanding: Understanding) -> bool:
    bare = _top(understanding) in ("affirmation", "negation")
    return bare and len(understanding.text.split()) == 1


def _top(understanding: Understanding) -> str | None:
    top = understanding.top
    return top.name if top is not None and top.confidence >= _SURE else None
