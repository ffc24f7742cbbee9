"""Sentences with slots: what is fixed in them, and how a sample of each is made.

    template   I've noted your payment of <slot name="amount"/>.
    sentence   I've noted your payment of <slot name="amount">ten dollars</slot>.

The head of such a sentence, up to its first slot, is rendered before any call: twice, with values
that begin with different words, so that what both renderings share is certain to be fixed text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from appliance.dialogue.markup import plain
from appliance.tts.sentences import split_sentences

_VALUE = re.compile(r'<slot name="([^"]*)">.*?</slot>', re.DOTALL)
_PLACE = re.compile(r'<slot name="([^"]*)"/>')
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class SlotSentence:
    """A sentence by its template, and two samples of it whose slots begin differently."""

    template: str
    samples: tuple[str, str]


def template_of(sentence: str) -> str:
    """A marked sentence without the values of its slots."""
    return _VALUE.sub(r'<slot name="\1"/>', sentence)


def slot_sentences(
    speech: str, first: Mapping[str, str], second: Mapping[str, str]
) -> list[SlotSentence]:
    """The sentences of a marked template that begin with fixed text and have slots.

    Args:
        speech: a template as `Template.speeches` has it.
        first: a sample of each slot by its name, in the marked form, its slot mark included.
        second: another sample of each.
    """
    found = []
    for sentence in split_sentences(speech):
        place = _PLACE.search(sentence)
        if place is None or not _WORD.search(plain(sentence[: place.start()])):
            continue
        names = set(_PLACE.findall(sentence))
        if names <= first.keys() & second.keys() and _differ(first[place[1]], second[place[1]]):
            filled = (_fill(sentence, values) for values in (first, second))
            one, other = filled
            found.append(SlotSentence(sentence, (one, other)))
    return found


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]], template)


def _differ(first: str, second: str) -> bool:
    """Whether they begin with different words: else these would be taken for fixed text."""
    one, other = (_WORD.search(plain(each).casefold()) for each in (first, second))
    return one is not None and other is not None and one[0][0] != other[0][0]
