"""Which one of a person's applications a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from appliance.flows.status.inquiries import Inquiry
from appliance.knowledge.terms import terms


class _Titled(Protocol):
    @property
    def job_title(self) -> str: ...


ItemT = TypeVar("ItemT")
TitledT = TypeVar("TitledT", bound=_Titled)


def at_place(items: Sequence[ItemT], place: int) -> ItemT | None:
    """The item that "the second one" means; None if there are not so many, or none is named."""
    if place == 0 or abs(place) > len(items):
        return None
    return items[place - 1 if place > 0 else place]


def choose(items: Sequence[TitledT], inquiry: Inquiry) -> TitledT | None:
    """The application that a question is about: the only one, the one at its place, the one named.

    None where there are several and the question names none of them, or more than one.
    """
    if len(items) == 1:
        return items[0]
    if inquiry.place:
        return at_place(items, inquiry.place)
    asked = set(terms(inquiry.question)) | set(terms(inquiry.job_title))
    named = [each for each in items if asked >= (title := set(terms(each.job_title))) and title]
    return named[0] if len(named) == 1 else None
