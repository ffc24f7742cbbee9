"""Which one of a person's applications a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from appliance.flows.status.inquiries import Inquiry
from appliance.flows.status.mentions import jobs_meant


class _Application(Protocol):
    @property
    def application_id(self) -> str: ...

    @property
    def job_title(self) -> str: ...

    @property
    def status(self) -> str: ...


ItemT = TypeVar("ItemT")
ApplicationT = TypeVar("ApplicationT", bound=_Application)


def at_place(items: Sequence[ItemT], place: int) -> ItemT | None:
    """The item that "the second one" means; None if there are not so many, or none is named."""
    if place == 0 or abs(place) > len(items):
        return None
    return items[place - 1 if place > 0 else place]


def choose(items: Sequence[ApplicationT], inquiry: Inquiry) -> ApplicationT | None:
    """The application that a question is about.

    It is the only one, the one at the place that is named, the one whose job is named, the one that
    was told of before, or, where an interview is asked about, the one that has any. None where
    there are several and none of this says which.
    """
    if len(items) == 1:
        return items[0]
    if inquiry.place:
        return at_place(items, inquiry.place)
    titles = [each.job_title for each in items]
    named = [items[place] for place in jobs_meant(titles, inquiry.question, inquiry.job_title)]
    if not named:
        named = [each for each in items if each.application_id == inquiry.subject]
        if "interview" in inquiry.topics:
            named = _with_interview(named) or _with_interview(items) or named
    return named[0] if len(named) == 1 else None


def _with_interview(items: Sequence[ApplicationT]) -> list[ApplicationT]:
    return [each for each in items if each.status == "interview_scheduled"]
