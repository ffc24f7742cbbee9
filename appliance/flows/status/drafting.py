"""Drafts the reply to a question of what was gathered, and says whether a person has to take over.

    Case ── collect ──> Gathered ── contradictions, gaps ──> Drafted ──> policy.judge

What is personal and what is general are two facts of the flow; its prompts put them together. Data
that cannot be read end in an UnreadableError: nothing is told then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from appliance.flows.status.coverage import cover
from appliance.flows.status.evidence import Case
from appliance.flows.status.gathered import Files, Gathered, collect
from appliance.flows.status.planning import Standing, standing
from appliance.flows.status.policy import Draft, contradictions
from appliance.flows.status.wording import Wording

_DOUBTFUL = {
    "records_disagree_withdrawal": ("applications", ("can_withdraw", "cannot_withdraw")),
    "paid_without_date": ("payments", ()),
}
"""By the sentence that tells of a contradiction: where, and in place of what it is told."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A reply, and what the policy is to know of it.

    Attributes:
        personal: what is told of somebody's own applications and payments.
        general: what anybody may be told, and what was not found.
        draft: its text is put together, and judged, later.
    """

    personal: str
    general: str
    draft: Draft


def make_draft(case: Case, files: Files) -> Drafted:
    """Draft the reply.

    Raises:
        UnreadableError: data that were found cannot be told.
    """
    if any(files.needs.topics[name].team for name in case.inquiry.topics):
        return Drafted("", "", Draft(response_type="ROUTE_TO_TEAM"))
    wording = Wording(files.wording, case.spoken, case.now.date())
    gathered = collect(case, files)
    gaps = cover(case, files.needs, files.wording.status_names).gaps
    rules = _rules(gathered, files)
    sections = _sections(gathered, rules, wording)
    sections["guides"] = " ".join(each.text for each in gathered.quotes)
    sections["gaps"] = wording.say("gap", gaps=" and ".join(gaps)) if gaps else ""
    draft = Draft(
        intents=_answered(case, files, gathered),
        ages=gathered.ages,
        contradictions=tuple(rules),
        told=tuple(rule for rule, sentence in rules.items() if sentence is not None),
        sources=tuple(each.title for each in gathered.quotes),
        gaps=gaps,
        statuses=tuple(s for answer in gathered.answers.values() for s in answer.statuses),
        subject=next(
            (a.subject for a in gathered.answers.values() if a.subject), case.inquiry.subject
        ),
        left=max((answer.left for answer in gathered.answers.values()), default=0),
        offset=max((answer.told for answer in gathered.answers.values()), default=0),
    )
    return Drafted(
        personal=_joined(sections, ("applications", "payments")),
        general=_joined(sections, ("job", "guides", "gaps")),
        draft=draft,
    )


def _rules(gathered: Gathered, files: Files) -> dict[str, str | None]:
    """The contradictions that apply, with the sentence that tells of each; None: not answered."""
    names = (
        rule
        for fields in gathered.fields(files.policy)
        for rule in contradictions(files.policy, fields)
    )
    return {name: files.policy.contradictions[name].tell for name in names}


def _sections(
    gathered: Gathered, rules: Mapping[str, str | None], wording: Wording
) -> dict[str, str]:
    """The answers; where data contradict each other that is told in place of what is doubtful."""
    sections = {name: answer.text for name, answer in gathered.answers.items()}
    for sentence in dict.fromkeys(rules.values()):
        if sentence is not None:
            section, doubtful = _DOUBTFUL[sentence]
            text = sections.get(section, "")
            for each in doubtful:
                text = text.replace(wording.say(each), "")
            sections[section] = " ".join(f"{text} {wording.say(sentence)}".split())
    return sections


def _answered(case: Case, files: Files, gathered: Gathered) -> tuple[str, ...]:
    """The topics that are answered: those whose first need is met.

    A guide that is quoted although the rest of its topic is missing answers a general question.
    """
    needs, names = files.needs, files.wording.status_names
    answered = [
        name
        for name in case.inquiry.topics
        if standing(needs.needs[needs.topics[name].needs[0]], case, names) is Standing.MET
    ]
    if not answered and gathered.quotes:
        answered.append(needs.otherwise)
    return tuple(answered)


def _joined(sections: Mapping[str, str], names: tuple[str, ...]) -> str:
    return " ".join(sections[name] for name in names if sections.get(name))
