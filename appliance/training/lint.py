"""Finds what spoils examples: duplicates, contradictions, unknown intents, leaks into the test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

from appliance.dialogue.intents import INTENTS
from appliance.dialogue.letters import fold
from appliance.training.examples import OUT_OF_SCOPE, Example, one_reading

_SHORT = 4
"""Shorter ones are a leak only word for word: two people say the same three words."""
_LIKE = 0.7
"""Share of common pairs of words from which two utterances count as the same."""
_MISSPELT = 0.9
"""A new intent's name that is so like a known one is taken for a mistake."""
_FILLERS = frozenset("um uh well so oh eh pues bueno este please por favor".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong, and where."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def lint_examples(examples: Sequence[Example]) -> list[Flaw]:
    """Flaws within one set: the same words twice, or with two meanings, or a misspelt intent."""
    flaws = list(_misspelt(examples))
    seen: dict[tuple[str, str | None, str], Example] = {}
    for each in examples:
        key = words_of(each.text), each.slot, each.language
        before = seen.setdefault(key, each)
        if before.line != each.line:
            same = before.intents[:1] == each.intents[:1]
            also = "" if same else f", there it is {(before.intents or (OUT_OF_SCOPE,))[0]}"
            flaws.append(Flaw(each.line, f"{each.text!r} is also at {before.line}{also}"))
    return flaws


def _misspelt(examples: Sequence[Example]) -> Iterator[Flaw]:
    first: dict[str, Example] = {}
    for each in examples:
        if each.intents:
            first.setdefault(each.intents[0], each)
    for name, each in first.items():
        for like in () if name in INTENTS else get_close_matches(name, INTENTS, 1, _MISSPELT):
            yield Flaw(each.line, f"{name} is nearly {like}: is it misspelt?")
    for each in one_reading(examples):
        for name in each.intents:
            if name not in first:
                yield Flaw(each.line, f"{name} is only here, in `also`: is it misspelt?")


def leaks(train: Sequence[Example], heldout: Sequence[Example]) -> list[Flaw]:
    """Utterances of the test that the training has too, word for word or nearly.

    One or two words are let through: "no" is what everybody says.
    """
    exact = {_bare(each.text): each for each in train}
    near: dict[str, list[tuple[frozenset[str], Example]]] = defaultdict(list)
    for each in exact.values():
        pairs = _pairs(each.text)
        for pair in pairs:
            near[pair].append((pairs, each))
    return list(_leaks(heldout, exact, near))


def _leaks(
    heldout: Sequence[Example],
    exact: dict[str, Example],
    near: dict[str, list[tuple[frozenset[str], Example]]],
) -> Iterator[Flaw]:
    for each in heldout:
        words = _bare(each.text).split()
        if len(words) < 3:
            continue
        same = exact.get(" ".join(words))
        if same:
            yield Flaw(each.line, f"{each.text!r} is in the training too, at {same.line}")
        elif len(words) >= _SHORT:
            pairs = _pairs(each.text)
            rarest = sorted(pairs, key=lambda pair: len(near.get(pair, ())))
            like = {
                other.line: other
                for pair in rarest[
                    : len(pairs) - int(_LIKE * len(pairs)) + 1
                ]  # it has one of these
                for theirs, other in near.get(pair, ())
                if len(pairs & theirs) >= _LIKE * len(pairs | theirs)
            }
            for other in list(like.values())[:1]:
                yield Flaw(each.line, f"{each.text!r} is nearly {other.text!r}, at {other.line}")


def words_of(text: str) -> str:
    """The words alone: no case, accents or marks."""
    letters = (each if each.isalnum() else "" if each == "'" else " " for each in fold(text))
    return " ".join("".join(letters).split())


def _bare(text: str) -> str:
    """The words that carry the meaning: without fillers."""
    words = words_of(text).split()
    return " ".join([word for word in words if word not in _FILLERS] or words)


def _pairs(text: str) -> frozenset[str]:
    words = ["", *_bare(text).split(), ""]
    return frozenset(f"{a} {b}" for a, b in pairwise(words))
