"""Everything that can be told of what was gathered for a question, before it becomes a reply.

met needs ──> records ──> answers (applications, payments, job) · quotes (guides) · their ages
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from appliance.flows.status.answers import (
    Answer,
    Fields,
    Quoted,
    tell_applications,
    tell_guide,
    tell_job,
    tell_payments,
)
from appliance.flows.status.evidence import Case, Found
from appliance.flows.status.needs import Need, NeedsFile
from appliance.flows.status.planning import (
    Standing,
    age_h,
    arguments,
    needs_of,
    searches,
    standing,
)
from appliance.flows.status.policy import PolicyFile, says_no
from appliance.flows.status.records import (
    ApplicationDetail,
    Applications,
    Dated,
    Job,
    Payments,
    UnreadableError,
    read_record,
)
from appliance.flows.status.wording import Wording, WordingFile

_ID = "application_id"
QUOTES = 2
"""Guides that are quoted in one reply at most."""

_SOURCES: Mapping[str, tuple[str, type[Dated]]] = {
    "list_applications": ("applications", Applications),
    "get_application": ("application", ApplicationDetail),
    "list_payments": ("payments", Payments),
    "get_job": ("job", Job),
}
"""By tool, what the policy calls it and what it gives."""


@dataclass(frozen=True, slots=True)
class Files:
    """What the flow keeps as data: needs, policy and wording."""

    needs: NeedsFile
    policy: PolicyFile
    wording: WordingFile


@dataclass(frozen=True, slots=True)
class Gathered:
    """What can be told.

    Attributes:
        answers: by section: `applications`, `payments`, `job`.
        quotes: of guides, at most two.
        ages: what all of it rests on, with its age in hours.
    """

    answers: dict[str, Answer] = field(default_factory=dict)
    quotes: list[Quoted] = field(default_factory=list)
    ages: dict[str, float] = field(default_factory=dict)

    def fields(self, policy: PolicyFile) -> Iterator[Fields]:
        """What the rules on contradictions look at: each record, with what the guides say."""
        denied = any(says_no(policy, each.words) for each in self.quotes)
        guide = {
            "guide.quoted": "yes" if self.quotes else "no",
            "guide.says_no": "yes" if denied else "no",
        }
        for answer in self.answers.values():
            yield from ({**each, **guide} for each in answer.fields)


def collect(case: Case, files: Files) -> Gathered:
    """Put together what can be told.

    Raises:
        UnreadableError: data that were found cannot be told, such as a status that nobody knows.
    """
    wording = Wording(files.wording, case.spoken, case.now.date())
    gathered = Gathered()
    met = list(_met(case, files))
    records = {need.tool: _record(case, need, gathered) for need in met if need.tool}
    told = {need.tool for need in _told(case, files.needs)}
    detail = records.get("get_application")
    for record in (record for tool, record in records.items() if tool in told):
        if isinstance(record, Applications):
            own = detail if isinstance(detail, ApplicationDetail) else None
            answer = tell_applications(case, record, own, wording)
            gathered.answers["applications"] = answer
        elif isinstance(record, Payments):
            gathered.answers["payments"] = tell_payments(case, record, wording)
        elif isinstance(record, Job):
            gathered.answers["job"] = tell_job(record, wording)
    if any(answer.asks for answer in gathered.answers.values()):
        return gathered
    for need in met:
        excerpt = _first(case, need, files) if need.documents else None
        if excerpt is not None and len(gathered.quotes) < QUOTES:
            gathered.quotes.append(tell_guide(case, excerpt, wording))
            gathered.ages["guide"] = 0.0
    return gathered


def _record(case: Case, need: Need, gathered: Gathered) -> Dated:
    name, model = _SOURCES[need.tool]
    asked = arguments(need, case)
    data: Any = case.evidence.data(need.tool, asked)
    record = read_record(model, data, need.tool)
    if isinstance(record, ApplicationDetail) and record.application_id != (asked or {}).get(_ID):
        raise UnreadableError(f"{need.tool}: application_id is not the one that was asked for")
    gathered.ages[name] = round(age_h(record.as_of, case.now), 2)
    return record


def _first(case: Case, need: Need, files: Files) -> Found | None:
    """The best passage of the first search of a need that has found any."""
    queries = searches(need, case, files.wording.status_names)
    made = (case.evidence.docs[query] for query in queries if query in case.evidence.docs)
    return next((search.excerpts[0] for search in made if search.excerpts), None)


def _met(case: Case, files: Files) -> Iterator[Need]:
    for need in needs_of(case, files.needs):
        if standing(need, case, files.wording.status_names) is Standing.MET:
            yield need


def _told(case: Case, file: NeedsFile) -> Iterator[Need]:
    """The needs whose data are told, and not only looked up to find others."""
    for name in case.inquiry.topics:
        topic = file.topics[name]
        yield from (file.needs[need] for need in topic.needs if need not in topic.untold)
