"""What was said against what was heard, word by word: the one place that says what an error is.

    said, heard -> words (lower case, numerals written out, "oh" = "zero") -> alignment -> errors

Recognizers write "94110", "$12.50" or "3rd" where another hears words. A numeral has several
readings ("nine four one one zero", "ninety four one ten"): what was heard is given the reading that
is nearest to what was said, so that a recognizer is judged by its hearing and not by its spelling.
What was said is best written in words; its numerals are read in the first way only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from num2words import num2words

from appliance.dialogue.speech import speak_digits, speak_money, speak_number, speak_year
from appliance.types import Language

Words = tuple[str, ...]
Pair = tuple[str, str]
"""A word that was said and the one that was heard for it; either is empty where there is none."""

_ACCENTED = (  # sound as without the accent, which only tells a question or a pronoun
    "qué", "sí", "él", "tú", "más", "mí", "té", "sé", "dé", "aún", "sólo", "cómo", "cuándo",
    "dónde", "quién", "cuál", "cuánto", "cuánta", "cuántos", "éste", "ésta", "ése", "ésa",
)  # fmt: skip
_BARE = str.maketrans("áéíóú", "aeiou")
_SAME = {"en": {"oh": "zero"}, "es": {word: word.translate(_BARE) for word in _ACCENTED}}
"""Words that count as another."""
_PERCENT = {"en": "percent", "es": "por ciento"}
_POINT = {"en": "point", "es": "punto"}
_TOKEN = re.compile(
    r"(?P<clock>\d{1,2}:\d\d)"
    r"|(?P<money>\$\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d\d)?)"
    r"|(?P<ordinal>\d+(?:st|nd|rd|th)\b)"
    r"|(?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?)(?P<percent>\s?%)?"
    r"|(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)"
)
_DIGITS_ALONE = 5  # a numeral as long as this is a code rather than a number
_ERROR, _TAKEN = 1000, 1001  # costs: a word taken for another breaks ties, no more
_LARGEST = 1_000_000  # numerals beyond are only read digit by digit


@dataclass(frozen=True, slots=True)
class Comparison:
    """An alignment of the fewest errors (Levenshtein distance in words).

    Attributes:
        said: its words.
        heard: its words, numerals in the reading that is nearest to what was said.
        pairs: all words in order.
    """

    said: Words
    heard: Words
    pairs: tuple[Pair, ...]

    @property
    def wrong(self) -> tuple[Pair, ...]:
        """The pairs that differ: taken for another, lost ("zip", ""), added ("", "zip")."""
        return tuple(pair for pair in self.pairs if pair[0] != pair[1])

    @property
    def errors(self) -> int:
        """How many words are wrong, lost or added."""
        return len(self.wrong)


def compare(said: str, heard: str, language: Language = "en") -> Comparison:
    """Align what was heard with what was said."""
    left = words_of(said, language)
    right = _nearest(left, list(_slots(heard, language)))
    return Comparison(left, right, _align(left, right))


def word_errors(said: str, heard: str, language: Language = "en") -> int:
    """How many words are wrong, lost or added."""
    return compare(said, heard, language).errors


def words_of(text: str, language: Language = "en") -> Words:
    """A text as scoring sees it: its words, numerals in their first reading."""
    return tuple(word for slot in _slots(text, language) for word in slot[0])


def digits_of(words: Sequence[str], language: Language = "en") -> str:
    """The digits that are said as words of their own, "nine oh" is "90"; other words are none."""
    values = _digit_words(language)
    return "".join(values[word] for word in words if word in values)


def is_digits(words: Sequence[str], language: Language = "en") -> bool:
    """Whether there is nothing but digits."""
    return bool(words) and len(digits_of(words, language)) == len(words)


def _digit_words(language: Language) -> dict[str, str]:
    return {speak_number(value, language): str(value) for value in range(10)}


def _slots(text: str, language: Language) -> Iterator[list[Words]]:
    """Each word or numeral of a text with its readings, at least one."""
    plain = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    same = _SAME[language]
    for match in _TOKEN.finditer(plain):
        if word := match["word"]:
            yield [(same.get(word, word),)]
            continue
        readings = dict.fromkeys(_with_article(_readings(match, language)))
        yield [tuple(same.get(word, word) for word in each.split()) for each in readings]


def _with_article(readings: Iterator[str]) -> Iterator[str]:
    """The same, and "a hundred" beside "one hundred"; Spanish has no such choice."""
    for reading in readings:
        yield reading
        if reading.startswith(("one hundred", "one thousand")):
            yield f"a{reading.removeprefix('one')}"


def _readings(match: re.Match[str], language: Language) -> Iterator[str]:
    """The ways to say a numeral, the likeliest first."""
    if clock := match["clock"]:
        yield from _clock_readings(clock, language)
    elif money := match["money"]:
        yield speak_money(Decimal(money.strip("$ ").replace(",", "")), language)
        yield from _number_readings(money.strip("$ ").replace(",", ""), language)
    elif ordinal := match["ordinal"]:
        if place := int(ordinal[:-2]):
            yield num2words(place, to="ordinal", lang=language).replace("-", " ")
        yield from _number_readings(ordinal[:-2], language)
    else:
        after = f" {_PERCENT[language]}" if match["percent"] else ""
        for each in _number_readings(match["number"].replace(",", ""), language):
            yield each + after


def _number_readings(number: str, language: Language) -> Iterator[str]:
    whole, _, decimals = number.partition(".")
    if decimals:
        head = next(_number_readings(whole, language))
        yield f"{head} {_POINT[language]} {speak_digits(decimals, language)}"
        yield f"{head} {speak_number(int(decimals), language)}"
        return
    by_digit = speak_digits(whole, language)
    if len(whole) >= _DIGITS_ALONE or (whole.startswith("0") and whole != "0"):
        yield by_digit
    if int(whole) < _LARGEST:
        yield speak_number(int(whole), language)
    if len(whole) == 4:
        yield speak_year(int(whole), language)
    yield by_digit
    if len(whole) > 2:
        for parts in _in_twos(whole):
            yield " ".join(_by_two(part, language) for part in parts)


def _in_twos(digits: str) -> Iterator[list[str]]:
    """Digits two by two; an odd one may stand anywhere: 94110 is 9 41 10, 94 1 10 or 94 11 0."""
    if len(digits) % 2 == 0:
        yield [digits[place : place + 2] for place in range(0, len(digits), 2)]
        return
    for alone in range(0, len(digits), 2):
        before, after = digits[:alone], digits[alone + 1 :]
        pairs = [[each[at : at + 2] for at in range(0, len(each), 2)] for each in (before, after)]
        yield [*pairs[0], digits[alone], *pairs[1]]


def _by_two(digits: str, language: Language) -> str:
    """Two digits as they are said within a row: "05" is "oh five"."""
    if digits.startswith("0"):
        return speak_digits(digits, language)
    return speak_number(int(digits), language)


def _clock_readings(clock: str, language: Language) -> Iterator[str]:
    hour, _, minute = clock.partition(":")
    said = speak_number(int(hour), language)
    if minute == "00":
        yield said
        yield f"{said} o'clock"
    else:
        yield f"{said} {_by_two(minute, language)}"
        yield f"{said} y {speak_number(int(minute), language)}"


def _nearest(said: Words, slots: Sequence[list[Words]]) -> Words:
    """The reading of all slots together that has the fewest errors against what was said."""
    if all(len(slot) == 1 for slot in slots):
        return tuple(word for slot in slots for word in slot[0])
    # For each number of words said so far: the fewest errors, and the words that have them.
    row: list[tuple[int, Words]] = [(place, ()) for place in range(len(said) + 1)]
    for slot in slots:
        found = [_extended(row, words, said) for words in slot]
        row = [min(each, key=lambda option: option[0]) for each in zip(*found, strict=True)]
    return row[-1][1]


def _extended(row: list[tuple[int, Words]], words: Words, said: Words) -> list[tuple[int, Words]]:
    """The row after more words were heard."""
    for word in words:
        following = [(row[0][0] + 1, (*row[0][1], word))]
        for place, wanted in enumerate(said, 1):
            taken, before = row[place - 1]
            added, kept = row[place]
            lost, same = following[-1]
            options = (
                (taken + (word != wanted), (*before, word)),
                (added + 1, (*kept, word)),
                (lost + 1, same),
            )
            following.append(min(options, key=lambda option: option[0]))
        row = following
    return row


def _align(said: Words, heard: Words) -> tuple[Pair, ...]:
    """Levenshtein's alignment; of those with the fewest errors, one with the most words right."""
    table = [[_ERROR * place for place in range(len(heard) + 1)]]
    for i, wanted in enumerate(said, 1):
        above, row = table[-1], [_ERROR * i]
        for j, word in enumerate(heard, 1):
            taken = above[j - 1] + (_TAKEN if wanted != word else 0)
            row.append(min(above[j] + _ERROR, row[-1] + _ERROR, taken))
        table.append(row)
    pairs: list[Pair] = []
    i, j = len(said), len(heard)
    while i or j:
        here = table[i][j]
        same = i and j and said[i - 1] == heard[j - 1]
        if i and j and here == table[i - 1][j - 1] + (0 if same else _TAKEN):
            i, j = i - 1, j - 1
            pairs.append((said[i], heard[j]))
        elif i and here == table[i - 1][j] + _ERROR:
            i -= 1
            pairs.append((said[i], ""))
        else:
            j -= 1
            pairs.append(("", heard[j]))
    return tuple(reversed(pairs))
