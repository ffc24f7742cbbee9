"""Reads an amount of money that the caller offers: a share of the sum, or dollars as a decimal.

Numbers are read by `numerals`; what makes one an amount is here: a currency, how large it is, or
that an amount was asked for. What can be meant in two ways ("one fifty") is read in the likelier
one, for every flow reads an amount back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from appliance.nlu.grammar import Grammar
from appliance.nlu.negation import is_negated
from appliance.nlu.numerals import Value, read_numeral, read_part

_TOO_LARGE = 1_000_000
"""Not money that a caller offers, and more than amounts are spoken back in."""
_SMALLEST_BARE = 5
"""A number without a currency word and below this is rather a count than an offer."""
_LONGEST_UNIT = 4  # words


@dataclass(frozen=True, slots=True)
class _Number:
    """A number among the words.

    Attributes:
        value: in whole units, or hundredths as a fraction of them.
        start, end: its words.
        sure: whether it is money beyond doubt.
        part: whether it is only a part of one.
    """

    value: Value
    start: int
    end: int
    sure: bool
    part: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What the caller may have offered, and where; `said` as `read_amount` gives it.

    `offered` is one with an offering word right before it ("I can do fifty").
    """

    start: int
    end: int
    said: str
    offered: bool = False


def read_amount(words: Sequence[str], grammar: Grammar, *, asked: bool) -> str:
    """The amount that is offered, or "" for none: the first that is not negated.

    Where the caller corrects himself ("fifty, no, sixty") the last one counts; of a range the lower
    end.

    Args:
        words: the normalized utterance, with any date taken out.
        grammar: its language.
        asked: whether an amount was asked for, so that a bare number is one.
    """
    numbers = list(_Reader(words, grammar, asked=asked).offers())
    text = " ".join(words)
    shares = list(_shares(words, text, grammar))
    first = (numbers or shares)[:1]
    if not first:
        return grammar.money.asked_shares.get(text, "") if asked else ""
    chosen = _turned(numbers, words, grammar) or first[0]
    for later in sorted((*numbers, *shares), key=lambda each: each.start):
        between = " ".join(words[chosen.end : later.start])
        if later.start >= chosen.end and grammar.money.correction.search(between):
            chosen = later
    return chosen.said


def _turned(
    numbers: Sequence[_Candidate], words: Sequence[str], grammar: Grammar
) -> _Candidate | None:
    """The offer that a caller comes to: "I make two thousand but can pay fifty"; None for none."""
    if not numbers or numbers[0].offered:
        return None
    between = numbers[0].end
    return next(
        (
            later
            for later in numbers[1:]
            if later.offered and not grammar.negation.stops.isdisjoint(words[between : later.start])
        ),
        None,
    )


def _shares(words: Sequence[str], text: str, grammar: Grammar) -> Iterator[_Candidate]:
    for pattern, share in grammar.money.shares:
        for match in pattern.finditer(text):
            start = text[: match.start()].count(" ")
            if not is_negated(words, start, grammar.negation):
                yield _Candidate(start, start + len(match.group().split()), share)
                break


class _Reader:
    """Reads the amounts of one utterance."""

    def __init__(self, words: Sequence[str], grammar: Grammar, *, asked: bool) -> None:
        self._signed = [word.startswith("$") for word in words]
        self._words = [word.removeprefix("$") for word in words]
        self._grammar, self._asked = grammar, asked
        self._money, self._spoken = grammar.money, grammar.numbers

    def offers(self) -> Iterator[_Candidate]:
        """Every amount that is not negated, in the order of the words."""
        index, denied_to = 0, -1
        while index < len(self._words):
            number = self._number(index)
            if number is None:
                index += 1
                continue
            amount = self._amount(number)
            negated = index != denied_to and self._is_negated(index)
            if amount and negated:
                denied_to = amount.end  # "not fifty, sixty"
            elif amount and 0 < amount.value < _TOO_LARGE:
                cents = round(Fraction(amount.value) * 100)
                said = f"{cents // 100}.{cents % 100:02}"
                offered = not self._before(index).isdisjoint(self._money.offering)
                yield _Candidate(index, amount.end, said, offered)
            elif amount:
                return
            index = amount.end if amount else number.end

    def _is_negated(self, index: int) -> bool:
        limited = self._before(index) & self._money.limits
        return not limited and is_negated(self._words, index, self._grammar.negation)

    def _before(self, index: int) -> set[str]:
        """The word before a place, and the two words before it."""
        return {" ".join(self._words[max(0, index - back) : index]) for back in (1, 2)}

    def _amount(self, number: _Number) -> _Number | None:
        """The number with its currency and cents, if it is an amount."""
        words, money, end = self._words, self._money, number.end
        following = words[end] if end < len(words) else ""
        if following in money.percent or following in money.counted:
            return None
        unit = self._unit(self._past_vague(number))
        if unit:
            return self._with_cents(number, unit)
        if following in money.decimal:
            tail = self._with_cents(number, end)
            return tail if tail.end > end else self._bare(number)
        if following in money.cents:
            return _Number(Fraction(number.value) / 100, number.start, end + 1, sure=True)
        return self._bare(number)

    def _bare(self, number: _Number) -> _Number | None:
        """A number without a currency."""
        before = self._before(number.start) & (self._money.offering | self._money.limits)
        sure = number.sure or self._begins_range(number)
        offered = self._asked or sure or bool(before)
        large = sure or number.value >= _SMALLEST_BARE or isinstance(number.value, Fraction)
        return number if offered and large and not number.part else None

    def _begins_range(self, number: _Number) -> bool:
        """Whether the other end of a range is money: "fifty to sixty dollars"."""
        if number.end >= len(self._words) or self._words[number.end] not in self._money.ranges:
            return False
        other = self._number(number.end + 1)
        return bool(other and (other.sure or self._unit(other.end)))

    def _past_vague(self, number: _Number) -> int:
        """Where the currency may stand: after "something", "y pico de", "a"."""
        end, words = number.end, self._words
        skipped = self._money.vague | self._money.joining
        skipped |= self._spoken.quantities.ones if number.part else frozenset()
        after = end
        while after < len(words) and after < end + 3 and words[after] in skipped:
            after += 1
        return after if self._unit(after) else end

    def _unit(self, index: int) -> int:
        """The index after the currency that stands here; 0 for none."""
        for end in range(min(len(self._words), index + _LONGEST_UNIT), index, -1):
            if " ".join(self._words[index:end]) in self._money.units:
                return end
        return 0

    def _with_cents(self, number: _Number, end: int) -> _Number:
        """With what follows the currency: "and fifty cents", "and a half", "fifty" at the end."""
        words, start = self._words, end
        joined = end < len(words) and words[end] in self._money.joining
        index = end + joined
        part = read_part(words, index, self._spoken) if joined else None
        if part and part[0] < 1:
            return _Number(number.value + part[0], number.start, part[1], sure=True)
        figure = index < len(words) and words[index].isdigit() and len(words[index]) == 2
        tail = (int(words[index]), index + 1) if figure else None
        tail = tail or self._spoken.below_hundred(words, index)
        if tail is None or isinstance(number.value, Fraction):
            return _Number(number.value, number.start, start, sure=True)
        named = tail[1] < len(words) and words[tail[1]] in self._money.cents
        if not named and tail[1] < len(words) and words[tail[1]] != ";":  # in a date's place
            return _Number(number.value, number.start, start, sure=True)
        value = number.value + Fraction(tail[0], 100)
        return _Number(value, number.start, tail[1] + named, sure=True)

    def _number(self, index: int) -> _Number | None:
        words = self._words
        if index >= len(words) or words[index] in self._spoken.quantities.minus:
            return None  # nobody offers less than nothing: "por lo menos cincuenta"
        for phrase, total in self._money.sums.items():
            if tuple(words[index : index + len(phrase)]) == phrase:
                return _Number(total, index, index + len(phrase), sure=True)
        unsaid = self._hundreds_unsaid(index)
        if unsaid:
            return unsaid
        point = self._spoken.quantities.point - self._money.decimal
        found = read_numeral(words, index, self._spoken, point=point, bars=False)
        if found is None:
            return self._one_unit(index)
        scales = self._spoken.scales | self._spoken.quantities.multipliers.keys()
        sure = self._signed[index] or not scales.isdisjoint(words[index : found.end])
        return _Number(found.value, index, found.end, sure=sure, part=found.part)

    def _one_unit(self, index: int) -> _Number | None:
        """One by an article: "a buck fifty", "a dollar"; not "a dollar amount"."""
        if self._words[index] not in self._spoken.quantities.ones or not self._unit(index + 1):
            return None
        end = self._unit(index + 1)
        alone = end == len(self._words) or self._words[end] in self._money.joining
        counts = alone or self._spoken.below_hundred(self._words, end)
        return _Number(1, index, index + 1, sure=True) if counts else None

    def _hundreds_unsaid(self, index: int) -> _Number | None:
        """Read "one fifty" for 150, "forty nine ninety five" for 49.95; "thirty forty" is none."""
        words, numbers = self._words, self._spoken
        head = numbers.below_hundred(words, index)
        if head is None or words[index] in numbers.articles or head[1] >= len(words):
            return None
        if words[head[1]] not in numbers.decades:
            return None
        tail = numbers.cardinal(words, head[1])
        if tail is None or tail[0] > 99:
            return None
        hundreds = head[0] <= self._money.hundreds_to
        round_ones = head[0] % 10 == tail[0] % 10 == 0
        if not hundreds and round_ones and tail[0] <= head[0] + 10:
            return None  # "thirty forty" is about that, "sixty fifty" a correction
        value = head[0] * 100 + tail[0] if hundreds else head[0] + Fraction(tail[0], 100)
        return _Number(value, index, tail[1], sure=False)
