"""What is to be looked up next: needs that are open select tools and searches.

    topics ──> needs ── met? ──> open ones whose arguments are known ──> Plan

A plan depends on what the hop before has found: an application's details can be asked for once the
list says which one it is, and a search that found nothing is made in other words. Nothing personal
is planned for somebody who is not verified.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol, TypeVar

from appliance.flows.status.evidence import Case
from appliance.flows.status.needs import Need, NeedsFile
from appliance.flows.status.records import (
    ApplicationIndex,
    Dated,
    Listed,
    PaymentIndex,
    read_record,
)
from appliance.flows.status.selection import choose
from appliance.knowledge.terms import terms


class _Updated(Protocol):
    @property
    def updated_on(self) -> object: ...


UpdatedT = TypeVar("UpdatedT", bound=_Updated)

_BRACED = re.compile(r"\{(\w+)\}")
_INDEXES: Mapping[str, type[ApplicationIndex | PaymentIndex]] = {
    "list_applications": ApplicationIndex,
    "list_payments": PaymentIndex,
}


class Standing(Enum):
    """How a need stands."""

    MET = "met"
    OPEN = "open"
    IDLE = "idle"
    """Nothing in the question, or in what was found, calls for it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Tools with their arguments, and searches in the documents, all at once."""

    tools: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    docs: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tools or self.docs)

    def to_json(self) -> str:
        """As the tool `gather` takes it."""
        tools = [{"tool": tool, "args": dict(args)} for tool, args in self.tools.items()]
        return json.dumps({"tools": tools, "docs": list(self.docs)})


def make_plan(case: Case, file: NeedsFile, statuses: Mapping[str, str]) -> Plan:
    """What to look up for a case.

    Args:
        case: the question and what was found so far.
        file: the needs.
        statuses: the names of statuses as they are searched for, by status.

    Raises:
        UnreadableError: what was found cannot be read.
    """
    tools: dict[str, Mapping[str, str]] = {}
    docs: list[str] = []
    for need in needs_of(case, file):
        if standing(need, case, statuses) is not Standing.OPEN:
            continue
        if need.personal and not case.verified:
            continue
        args = arguments(need, case)
        if need.tool and args is not None:
            tools.setdefault(need.tool, args)
        docs += [query for query in _next_search(need, case, statuses) if query not in docs]
    return Plan(tools, tuple(docs))


def needs_of(case: Case, file: NeedsFile) -> tuple[Need, ...]:
    """What the topics of a case need, each once, in their order."""
    topics = (file.topics[name] for name in case.inquiry.topics if name in file.topics)
    names = dict.fromkeys(need for topic in topics for need in topic.needs)
    return tuple(file.needs[name] for name in names)


def standing(need: Need, case: Case, statuses: Mapping[str, str]) -> Standing:
    """How a need stands in a case.

    Raises:
        UnreadableError: what was found for it cannot be read.
    """
    if need.documents:
        queries = searches(need, case, statuses)
        made = (case.evidence.docs[query] for query in queries if query in case.evidence.docs)
        if any(search.excerpts for search in made):
            return Standing.MET
        return Standing.OPEN if queries else Standing.IDLE
    if need.personal and not case.verified:
        return Standing.OPEN
    args = arguments(need, case)
    if args is None:
        return Standing.OPEN if _lacks_only_person(need) else Standing.IDLE
    data = case.evidence.data(need.tool, args)
    if data is None:
        return Standing.OPEN
    said = read_record(_INDEXES.get(need.tool, Dated), data, need.tool)
    return Standing.MET if is_fresh(said.as_of, case.now, need.max_age_h) else Standing.OPEN


def arguments(need: Need, case: Case) -> Mapping[str, str] | None:
    """The arguments of a need's tool; None where one of them is not known yet."""
    known = dict(_known(case))
    args = {}
    for name, value in need.args.items():
        if value.startswith("$"):
            if value[1:] not in known:
                return None
            args[name] = known[value[1:]]
        else:
            args[name] = value
    return args


def searches(need: Need, case: Case, statuses: Mapping[str, str]) -> tuple[str, ...]:
    """The searches of a need whose words are known."""
    question = case.inquiry.searched
    words = {
        "question": question,
        "keywords": " ".join(word for word in question.split() if terms(word)),
        "status": statuses.get(status_of(case), ""),
    }
    queries = (
        _BRACED.sub(lambda braced: words[braced.group(1)], each)
        for each in need.documents
        if all(words[name] for name in _BRACED.findall(each))
    )
    return tuple(dict.fromkeys(queries))


def status_of(case: Case) -> str:
    """The status that a case is about: of its application, else the one that was spoken of."""
    chosen = chosen_application(case)
    return chosen.status if chosen else case.inquiry.status


def chosen_application(case: Case) -> Listed | None:
    """The application that a case is about, once the list of them is known."""
    if case.evidence.person is None or not case.verified:
        return None
    data = case.evidence.data("list_applications", {"person_id": case.evidence.person.person_id})
    if data is None:
        return None
    index = read_record(ApplicationIndex, data, "list_applications")
    return choose(latest_first(index.applications), case.inquiry)


def latest_first(applications: Sequence[UpdatedT]) -> Sequence[UpdatedT]:
    """Applications as they are told: what changed last comes first."""
    return sorted(applications, key=lambda each: str(each.updated_on), reverse=True)


def is_fresh(as_of: datetime, now: datetime, max_age_h: float | None) -> bool:
    """Whether data are no older than that many hours; None: any age will do."""
    return max_age_h is None or age_h(as_of, now) <= max_age_h


def age_h(as_of: datetime, now: datetime) -> float:
    """How old data are, hours; a time without a zone is local.

    What comes from the future is as far off as what is old: its clock tells nothing.
    """
    if as_of.tzinfo is None or now.tzinfo is None:
        as_of, now = as_of.replace(tzinfo=None), now.replace(tzinfo=None)
    return abs((now - as_of) / timedelta(hours=1))


def _next_search(need: Need, case: Case, statuses: Mapping[str, str]) -> Iterator[str]:
    """The first search that was not made, or failed."""
    for query in searches(need, case, statuses):
        made = case.evidence.docs.get(query)
        if made is None or not made.ok:
            yield query
            return


def _known(case: Case) -> Iterator[tuple[str, str]]:
    if case.evidence.person is not None:
        yield "person.person_id", case.evidence.person.person_id
    if case.inquiry.job_title:
        yield "job_title", case.inquiry.job_title
    chosen = chosen_application(case)
    if chosen is not None:
        yield "application.application_id", chosen.application_id
        yield "application.job_title", chosen.job_title


def _lacks_only_person(need: Need) -> bool:
    return all(v == "$person.person_id" for v in need.args.values() if v.startswith("$"))
