"""Finds numbers, ordinals, percentages and sums of money in any text, with their places.

    text -> tokens (words without accents, figures as "1200.50", signs) -> numerals -> Quantity

The slots of a call are read by `numbers` and `amounts`, which know what was asked; this reads whole
texts by the same grammar, for what has no question, and is what outside suites are run against.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from appliance.dialogue.letters import fold
from appliance.nlu.grammar import Grammar
from appliance.nlu.numerals import Numeral, Value, read_numeral

_LONGEST_UNIT = 4  # words
_LETTERS = {"k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9, "t": 10**12}
"""What may stand right behind a figure: "10k"."""
_FIRST_PART = 2
"""Ordinals up to this are no parts: "a first", "a second"."""
_DIGITS = 15
"""Significant digits of powers."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something counted in a text.

    Attributes:
        text: as it was written.
        start, end: its characters; `end` is that behind it.
        value: exact, but for powers; a percentage of 5 is 5.
        unit: the name of the currency, "%" or "".
    """

    text: str
    start: int
    end: int
    value: Value
    unit: str = ""


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    start: int
    end: int


def find_numbers(text: str, grammar: Grammar) -> tuple[Quantity, ...]:
    """Every number of a text, in order: cardinals, decimals, fractions; no ordinals."""
    reader = _Reader(text, grammar)
    return tuple(reader.all(reader.number))


def find_ordinals(text: str, grammar: Grammar) -> tuple[Quantity, ...]:
    """Every ordinal of a text: "21st", "twenty first"."""
    reader = _Reader(text, grammar)
    return tuple(reader.all(reader.ordinal))


def find_percentages(text: str, grammar: Grammar) -> tuple[Quantity, ...]:
    """Every percentage of a text; its value is that before "percent"."""
    reader = _Reader(text, grammar)
    return tuple(reader.all(reader.percentage))


def find_currency(text: str, grammar: Grammar) -> tuple[Quantity, ...]:
    """Every sum of money of a text; sums in hundredths have these as their unit."""
    reader = _Reader(text, grammar)
    return tuple(reader.all(reader.money))


_Read = Callable[[int], "tuple[Value, int, str] | None"]


class _Reader:
    """Reads one text."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        self._text, self._grammar = text, grammar
        self._tokens = list(_tokens(text, "," if grammar.language == "es" else "."))
        self._words = [token.word for token in self._tokens]

    def all(self, read: _Read) -> Iterator[Quantity]:
        """What `read` finds from left to right."""
        index = 0
        while index < len(self._words):
            found = read(index)
            if found is None:
                index += 1
                continue
            value, end, unit = found
            start, last = self._tokens[index].start, self._tokens[end - 1].end
            yield Quantity(self._text[start:last], start, last, value, unit)
            index = end

    def number(self, index: int) -> tuple[Value, int, str] | None:
        """A number, unless it is the beginning of an ordinal or a lone half."""
        found = self._numeral(index)
        if found is None or self._words[index] in self._grammar.numbers.quantities.half_alone:
            return (found.value, found.end, "") if found and found.end > index + 1 else None
        ordinal = self._grammar.numbers.quantities.ordinal(self._words, index)
        whole = not found.part and not isinstance(found.value, Fraction)
        if ordinal and whole and ordinal[1] > found.end:
            return None
        return found.value, found.end, ""

    def ordinal(self, index: int) -> tuple[Value, int, str] | None:
        """An ordinal in figures or words."""
        figure = _ORDINAL_FIGURE.fullmatch(self._words[index])
        if figure:
            return int(figure[1]), index + 1, ""
        ones = self._grammar.numbers.quantities.ones
        found = self._grammar.numbers.quantities.ordinal(self._words, index)
        start = index + (self._words[index] in ones)
        part = start > 0 and self._words[start - 1] in ones  # "a fifth", but "a first"
        lone = found is not None and found[1] == start + 1
        return (*found, "") if found and not (part and lone and found[0] > _FIRST_PART) else None

    def percentage(self, index: int) -> tuple[Value, int, str] | None:
        """A number with "percent" behind or before it."""
        before = self._percent(index)
        if before and before < len(self._words) and self._words[before] in ("of", "de"):
            found = self._numeral(before + 1)
            return (found.value, found.end, "%") if found else None
        found = self._numeral(index)
        end = self._percent(found.end) if found else 0
        return (found.value, end, "%") if found and end else None

    def _percent(self, index: int) -> int:
        """The index behind a word for percent; 0 for none."""
        words = self._words[index : index + 2]
        if words[:1] and words[0] in self._grammar.money.percent:
            return index + 1
        return index + 2 if words in (["per", "cent"], ["por", "ciento"], ["por", "cien"]) else 0

    def money(self, index: int) -> tuple[Value, int, str] | None:
        """A number with a currency before or behind it, and its hundredths."""
        after, unit = self._unit(index)
        if unit and not all(word.isalpha() for word in self._words[index:after]):
            found = self._numeral(after, bars=False)
            if found:
                return self._with_cents(found.value, found.end, unit)
        found = self._numeral(index, bars=False)
        if found is None:
            return None
        behind = found.end + (self._at(found.end) == "de")
        cents = self._grammar.money.cents.get(self._at(found.end))
        if cents:
            return found.value, found.end + 1, cents
        end, unit = self._unit(behind)
        return self._with_cents(found.value, end, unit) if unit else None

    def _with_cents(self, value: Value, end: int, unit: str) -> tuple[Value, int, str]:
        if isinstance(value, Fraction):
            return value, end, unit
        joined = self._at(end) in self._grammar.money.joining
        tail = self._grammar.numbers.below_hundred(self._words, end + joined)
        figure = self._at(end + joined)
        if figure.isdigit() and int(figure) < 100:
            tail = (int(figure), end + joined + 1)
        if tail is None or self._unit(tail[1])[1]:
            return value, end, unit
        named = self._at(tail[1]) in self._grammar.money.cents
        spoken = joined or (tail[1] == len(self._words) and not figure.isdigit())
        if not named and (not spoken or figure.isdigit()):
            return value, end, unit
        return value + Fraction(tail[0], 100), tail[1] + named, unit

    def _unit(self, index: int) -> tuple[int, str]:
        """The index behind the currency that stands here, and its name; "" for none."""
        for end in range(min(len(self._words), index + _LONGEST_UNIT), index, -1):
            name = self._grammar.money.units.get(" ".join(self._words[index:end]))
            if name:
                return end, name
        return index, ""

    def _numeral(self, index: int, *, bars: bool = True) -> Numeral | None:
        return read_numeral(self._words, index, self._grammar.numbers, bars=bars)

    def _at(self, index: int) -> str:
        return self._words[index] if index < len(self._words) else ""


def _tokens(text: str, point: str) -> Iterator[_Token]:
    """The text in words, figures and signs; a hyphen between words is none."""
    plain = _ADDRESS.sub(lambda address: " " * len(address.group()), _folded(text))
    for match in _TOKEN.finditer(plain):
        word = match.group()
        if word[0].isdigit() or (len(word) > 1 and not word[0].isalpha()):
            yield from _figures(match, point)
            continue
        hyphen = word in "-\u2013"
        sign = re.match(r"\s*[\d.,]", plain[match.end() :]) and not re.search(
            r"\w\s?$", plain[: match.start()]
        )
        if hyphen and not sign:
            continue
        yield _Token("-" if hyphen else word, *match.span())


def _folded(text: str) -> str:
    """Without accents, letter by letter, so that places stay."""
    return "".join(fold(sign) if len(fold(sign)) == 1 else sign for sign in text)


def _figures(match: re.Match[str], point: str) -> Iterator[_Token]:
    """A figure in plain form; what has a unit or a third part is taken apart or left alone."""
    whole, start = match.group(), match.start()
    plain = re.fullmatch(_FIGURE[point], whole)
    if plain is None:
        if re.fullmatch(r"\d+(?:\.\d+){2,}", whole):
            for part in re.finditer(r"\d+", whole):
                yield _Token(part.group(), start + part.start(), start + part.end())
        else:
            yield _Token(whole.rstrip(".,"), *match.span())
        return
    number = _value(plain, point)
    end = start + len(whole)
    yield _Token(number, start, end)


def _value(figure: re.Match[str], point: str) -> str:
    if figure["lower"]:
        return f"{figure['mantissa']}/{figure['lower']}"
    other = "." if point == "," else ","
    mantissa = Fraction(
        re.sub(rf"[ {re.escape(other)}]", "", figure["mantissa"]).replace(point, ".")
    )
    if figure["exponent"]:
        mantissa *= Fraction(10) ** int(figure["exponent"])
    if figure["power"] and mantissa:
        mantissa = mantissa ** int(figure["power"].replace("--", ""))
    mantissa *= _LETTERS.get(figure["letter"] or "", 1)
    return _decimal(mantissa)


def _decimal(value: Fraction) -> str:
    """Digits with a point, exact or to `_DIGITS` significant ones."""
    if value.denominator == 1:
        return str(value.numerator)
    text = f"{float(value):.{_DIGITS}g}"
    return f"{float(text):.{_DIGITS}f}".rstrip("0") if "e" in text else text


def _figure(point: str) -> str:
    other = r"[. ]" if point == "," else "[, ]"
    mark = re.escape(point)
    return (
        rf"(?P<mantissa>(?:\d{{1,3}}(?:{other}\d{{3}})+|\d+)?(?:{mark}\d+)?)"
        r"(?:e(?P<exponent>[+-]?\d{1,2})|\^(?P<power>\+?-{0,2}\d{1,2})|/(?P<lower>\d+)|(?P<letter>[kmbgt]))?"
    )


_FIGURE = {point: re.compile(_figure(point)) for point in ".,"}
_ORDINAL_FIGURE = re.compile(
    r"(\d+)(?:(?:st|nd|rd|th|er|ro|ra|do|da|to|ta|mo|ma|vo|va|no|na|o|a)[ºª.]?|[ºª])"
)
_ADDRESS = re.compile(r"https?://\S+")
_TOKEN = re.compile(
    r"\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?![ .,]?\d)(?![a-z])|"
    r"(?:\d|[.,]\d)(?:[\d.,]*\d)?(?:e[+-]?\d+|\^[+-]{0,2}\d+|/\d+)?[a-z\u00ba\u00aa]*"
    r"|[^\W\d_]+(?:\.(?=[^\W\d_]\b)[^\W\d_])*|[^\w\s]"
)
