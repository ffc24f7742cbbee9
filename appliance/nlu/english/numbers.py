"""English numbers: "ninety thousand two hundred and ten" is 90210, "twenty first" the 21st."""

from __future__ import annotations

import re
from collections.abc import Sequence

from appliance.dialogue.words import (
    HOMOPHONES,
    ORDINAL_UNITS,
    PLURAL_VALUES,
    REPEATS,
    SCALES,
    TEEN_VALUES,
    TENS_VALUES,
    UNIT_VALUES,
    cardinal,
)
from appliance.nlu.grammar import DigitRepairs, NumberWords, QuantityWords

_LARGE = {"thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_LONGEST_ORDINAL = 16  # words


def read_cardinal(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """A number in words from 1 to below 10^15 at `index`: its value and the index after it.

    "and" is taken after hundred, thousand and so on; "a hundred" is one hundred.
    """
    total, end, below = 0, index, 10**15
    while (
        head := _below_thousand(words, end + (total > 0 and _is(words, end, "and")))
    ) is not None:
        value, after = head
        scale = _LARGE.get(words[after], 1) if after < len(words) else 1
        if scale >= below or (scale == 1 and value >= below):
            break
        total, end, below = total + value * scale, after + (scale > 1), scale
        if scale == 1:
            break
    return (total, end) if total else None


def _below_thousand(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """Also "twelve hundred"; "a" stands for one before hundred, thousand and so on only."""
    if _is(words, index, "a") and index + 1 < len(words):
        if words[index + 1] in _LARGE:
            return 1, index + 1
        head = (1, index + 1) if words[index + 1] == "hundred" else None
    else:
        head = read_below_hundred(words, index)
    if head is None or not _is(words, head[1], "hundred"):
        return head
    value, index = head[0] * 100, head[1] + 1
    rest = read_below_hundred(words, index + _is(words, index, "and"))
    return (value + rest[0], rest[1]) if rest else (value, index)


def read_below_hundred(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """A number in words from 1 to 99 at `index`: its value and the index after it."""
    if not 0 <= index < len(words):
        return None
    word = words[index]
    if word in TENS_VALUES:
        unit = UNIT_VALUES.get(words[index + 1], 0) if index + 1 < len(words) else 0
        return TENS_VALUES[word] + unit, index + (2 if unit else 1)
    if word in TEEN_VALUES:
        return TEEN_VALUES[word], index + 1
    value = UNIT_VALUES.get(word, 0)
    return (value, index + 1) if value else None


def _is(words: Sequence[str], index: int, word: str) -> bool:
    return index < len(words) and words[index] == word


_ORDINALS = {ordinal: cardinal(value) for value, ordinal in enumerate(ORDINAL_UNITS, 1)}
_ORDINALS |= {f"{word[:-1]}ieth": word for word in TENS_VALUES}
_ORDINALS |= {f"{word}th": word for word in ("hundred", *_LARGE)}
_ORDINALS |= {f"{ordinal}s": word for ordinal, word in _ORDINALS.items() if ordinal != "second"}
_BARE = {f"{word}th{ending}": value for word, value in {"hundred": 100, **_LARGE}.items()
         for ending in ("", "s")}  # fmt: skip


def read_ordinal(words: Sequence[str], index: int) -> tuple[int, int] | None:
    """An ordinal in words at `index`: its value and the index after it."""
    if index < len(words) and words[index] in _BARE:
        return _BARE[words[index]], index + 1
    for end in range(index, min(len(words), index + _LONGEST_ORDINAL)):
        word = _ORDINALS.get(words[end])
        if word is None:
            continue
        said = [*words[index:end], word]
        found = read_cardinal(said, 0)
        return (found[0], end + 1) if found and found[1] == len(said) else None
    return None


_PLACES = {ordinal: place for place, ordinal in enumerate(ORDINAL_UNITS[:9])} | {"middle": 2}
_FROM_END = {"last": 1, "second to last": 2, "next to last": 2, "third to last": 3}
_THING = r" (?:one|digit|number|figure)s?"
_BE = r" (?:is|was|should be|has to be|are|were|be)"


def _place_named(match: re.Match[str]) -> int:
    if match["ends"]:
        return -1
    if match["starts"]:
        return 0
    if match["last"]:
        return 1 - UNIT_VALUES.get(match["count"], 1) - _FROM_END[match["last"]]
    return _PLACES[match["nth"]]


_REPAIRS = DigitRepairs(
    restart=re.compile(
        r"\b(?:scratch|forget|strike|disregard|ignore|cancel) (?:that|it|all (?:of )?(?:that|it))\b"
        r"|\b(?:let me )?(?:start|begin|try)(?: that| it)? (?:over|again)(?: again)?\b"
        r"|\bfrom the (?:start|beginning|top)\b"
    ),
    place=re.compile(
        rf"\bthe (?:(?P<last>{'|'.join(_FROM_END)})|(?P<nth>{'|'.join(_PLACES)}))"
        rf"(?: (?P<count>two|three|four))?(?:(?:{_THING})?{_BE}|{_THING}(?= an? ))(?: an?)?\b"
        r"|\b(?:(?P<ends>ends (?:in|with|on))|(?P<starts>(?:starts|begins) with))(?: an?)?\b"
    ),
    denial=re.compile(r"\bnot(?: an?)?\b|\binstead of(?: an?)?\b"),
    correction=re.compile(
        r"\b(?:no|nope|sorry|i mean|i meant|excuse me|pardon|rather|actually|correction|my bad"
        r"|make (?:that|it)|oops|whoops)\b"
    ),
    place_named=_place_named,
)

_QUANTITIES = QuantityWords(
    ordinal=read_ordinal,
    multipliers={
        "hundred": 100, "thousand": 1000, "k": 1000, "grand": 1000, "million": 10**6,
        "billion": 10**9, "trillion": 10**12, "dozen": 12, "dozens": 12,
    },
    point=frozenset({"point", "dot"}),
    joints=frozenset({"and"}),
    parts={
        "half": 2, "halfs": 2, "halves": 2, "quarter": 4, "quarters": 4,
    },
    plural="s",
    minus=frozenset({"minus", "negative", "-"}),
    over=frozenset({"over"}),
    ones=frozenset({"a", "an"}),
    of=frozenset({"of"}),
    half_alone=frozenset({"half"}),
)  # fmt: skip

NUMBERS = NumberWords(
    cardinal=read_cardinal,
    below_hundred=read_below_hundred,
    units=UNIT_VALUES,
    zeros=frozenset({"zero", "oh", "o", "nought", "naught"}),
    plurals=PLURAL_VALUES,
    decades=frozenset({*TENS_VALUES, *TEEN_VALUES}),
    scales=frozenset({*SCALES, *_LARGE}),
    repeats=REPEATS,
    homophones={word: UNIT_VALUES[digit] for word, digit in HOMOPHONES.items()},
    fillers=frozenset(
        {"uh", "um", "er", "erm", "ah", "and", "then", "dash", "hyphen", "space", "like", "so",
         "well", "comma", "hmm", "mm"}
    ),
    repairs=_REPAIRS,
    quantities=_QUANTITIES,
    exclaimed=frozenset({"oh", "o"}),
    counted=frozenset(
        {"moment", "moments", "second", "seconds", "sec", "minute", "minutes", "question",
         "questions", "thing", "things", "time", "times", "more", "of", "who"}
    ),
)  # fmt: skip
