"""Reads digit strings as people say them, in any language's number words.

No library is right for digits (see the tests for what they get wrong), and the grammar is small:

    group := unit | "double" unit | tens [unit] | teen | cardinal with hundred or thousand
    run   := group (filler* group)*
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.nlu.grammar import Grammar, NumberWords

ZIP_DIGITS = 5


def read_digits(text: str, grammar: Grammar) -> str:
    """The digits that an utterance spells, e.g. "nine oh two, one oh" is "90210"; "" for none.

    Of several runs the last with five digits counts (people correct themselves); else all of them
    together where they make five ("nine oh two, wait, one oh"); else the longest.
    """
    runs = _runs(grammar.normalize(text).split(), grammar.numbers)
    whole = [run for run in runs if len(run) == ZIP_DIGITS]
    if whole:
        return whole[-1]
    together = "".join(runs)
    return together if len(together) == ZIP_DIGITS else max(runs, key=len, default="")


def _runs(words: Sequence[str], numbers: NumberWords) -> list[str]:
    runs: list[str] = []
    index = 0
    while index < len(words):
        start = index
        digits, index = read_run(words, index, numbers)
        if not digits:
            index += 1
        elif len(digits) == ZIP_DIGITS + 1 and words[start] in numbers.exclaimed:
            runs.append(digits[1:])  # "oh, nine oh two one oh"
        else:
            runs.append(digits)
    return runs


def read_run(words: Sequence[str], index: int, numbers: NumberWords) -> tuple[str, int]:
    """The digits of the run that begins here ("" for none), and where it ends."""
    digits, end = "", index
    while index < len(words):
        group = _group(words, index, numbers)
        if group is None and digits:
            group = _homophone(words, index, numbers)
        if group:
            digits += group[0]
            index = end = group[1]
        elif digits and words[index] in numbers.fillers:
            index += 1
        else:
            break
    return digits, end


def _group(words: Sequence[str], index: int, numbers: NumberWords) -> tuple[str, int] | None:
    """The digits of one group of number words, and the index after it."""
    word = words[index]
    following = words[index + 1] if index + 1 < len(words) else ""
    if word.isdigit():
        return word, index + 1
    if word in numbers.repeats and (following in numbers.units or following in {"0", "1", "2"}):
        return str(numbers.units.get(following, following)) * numbers.repeats[word], index + 2
    if word in numbers.zeros:
        return "0", index + 1
    if word in numbers.articles and following not in numbers.scales:
        return None
    cardinal = numbers.cardinal(words, index)
    return (str(cardinal[0]), cardinal[1]) if cardinal else None


def _homophone(words: Sequence[str], index: int, numbers: NumberWords) -> tuple[str, int] | None:
    """Read "to" or "for" as a digit: only before another digit, or as the last word."""
    if words[index] not in numbers.homophones:
        return None
    last = index + 1 == len(words)
    if last or words[index + 1] in numbers.homophones or _group(words, index + 1, numbers):
        return str(numbers.homophones[words[index]]), index + 1
    return None
