"""What may be answered, on what it must rest, and what is never said: the file `policy.yaml`.

    Draft (text, intents, data with their age, contradictions) ── judge ──> Verdict

`judge` is a pure function of the policy and the draft. `run_examples` holds the policy to its own
examples, so that whoever changes it sees what changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from appliance.dialogue.declarations import FlowPart, Names
from appliance.dialogue.honesty import denies_automation
from appliance.flows.status.phrases import finds, plain

DATA = ("applications", "application", "payments", "job", "guide")
"""What an answer can rest on."""

FIELDS = frozenset(
    {
        "application.listed_status",
        "application.status",
        "application.can_withdraw",
        "payment.status",
        "payment.paid_on",
        "guide.quoted",
        "guide.says_no",
    }
)
"""What rules on contradictions can look at."""

TOLD = ("records_disagree_withdrawal", "paid_without_date")
"""The sentences of wording.yaml that can tell of one."""


class Draft(FlowPart):
    """A reply before it is judged.

    Attributes:
        text: all of it, as it will be said.
        response_type: `ROUTE_TO_TEAM` is not judged: a person takes over.
        intents: what it answers: topics, or `courtesy`.
        ages: what it rests on, with its age in hours; what has no age (a document) has 0.
        contradictions: names of rules that apply to the data.
        told: those of them that the text tells of.
        sources: titles of the guides that it quotes.
        gaps: what was not found; the text must name it.
        statuses: statuses of applications that it tells.
        subject: the application that it tells of, if it is one.
        left: items of a list that are left to be told.
        offset: items of it that were told, with this reply.
    """

    text: str = ""
    response_type: Literal["REPLY", "ROUTE_TO_TEAM"] = "REPLY"
    intents: tuple[str, ...] = ()
    ages: dict[str, float] = Field({})
    contradictions: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    subject: str = ""
    left: int = 0
    offset: int = 0


class Allowed(FlowPart):
    """An intent that may be answered."""

    about: str = Field(description="What it is, for people")
    requires: dict[str, float | None] = Field(
        {}, description="What the answer must rest on, with the age it may have, hours; null: any"
    )

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name in self.requires:
            if name not in DATA:
                raise ValueError(f"requires: {name} is none of {', '.join(DATA)}")
        return self


class Contradiction(FlowPart):
    """Data that cannot both be right.

    It applies where every field under `when` has one of these values (`absent`: it has none) and
    the two fields under `differ` both have a value, and not the same.
    """

    about: str
    when: dict[str, Names] = Field({})
    differ: tuple[str, str] | None = None
    tell: str | None = Field(
        None, description="The sentence of wording.yaml that tells of it; without it: not answered"
    )

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name in (*self.when, *(self.differ or ())):
            if name not in FIELDS:
                raise ValueError(f"{name} is none of {', '.join(sorted(FIELDS))}")
        if self.tell is not None and self.tell not in TOLD:
            raise ValueError(f"tell: {self.tell} is none of {', '.join(TOLD)}")
        return self

    def applies(self, fields: Mapping[str, str]) -> bool:
        """Whether these data contradict each other so."""
        if not self.when and self.differ is None:
            return False
        if any(fields.get(name, "absent") not in values for name, values in self.when.items()):
            return False
        if self.differ is None:
            return True
        one, other = (fields.get(name) for name in self.differ)
        return one is not None and other is not None and one != other


class Example(FlowPart):
    """A draft, and how it must be judged."""

    name: str
    draft: Draft
    fails: Names = Field((), description="The checks that it must fail; none: it passes")


class PolicyFile(FlowPart):
    """A whole policy.yaml."""

    intents: dict[str, Allowed]
    contradictions: dict[str, Contradiction] = Field({})
    denials: dict[str, Names] = Field({}, description="Words by which a guide says no, by language")
    forbidden: dict[str, Names] = Field(
        {}, description="Words that no reply has, by language; `*` any ending, `..` some words"
    )
    examples: tuple[Example, ...] = ()


class Check(FlowPart):
    """One thing that was looked at."""

    name: str
    passed: bool
    detail: str = ""


class Verdict(FlowPart):
    """What a policy says of a draft."""

    overall_passed: bool
    checks: tuple[Check, ...]

    def to_json(self) -> str:
        """As it is written into the validation note."""
        return json.dumps(self.model_dump())


def judge(policy: PolicyFile, draft: Draft) -> Verdict:
    """Hold a draft against a policy. Details name topics, sources and rules, and no data."""
    checks = tuple(
        Check(name=name, passed=not problems, detail="; ".join(problems))
        for name, problems in (
            ("has_text", [] if draft.text.strip() else ["nothing is said"]),
            ("intent_allowed", list(_intents(policy, draft))),
            ("facts_present", list(_missing(policy, draft))),
            ("facts_fresh", list(_stale(policy, draft))),
            ("no_contradiction", list(_contradictions(policy, draft))),
            ("no_forbidden_promise", list(_promises(policy, draft))),
            ("no_denial_of_automation", ["it is denied"] if denies_automation(draft.text) else []),
            ("sources_named", [s for s in draft.sources if plain(s) not in plain(draft.text)]),
            ("gaps_named", [g for g in draft.gaps if plain(g) not in plain(draft.text)]),
        )
    )
    return Verdict(overall_passed=all(each.passed for each in checks), checks=checks)


def contradictions(policy: PolicyFile, fields: Mapping[str, str]) -> tuple[str, ...]:
    """The rules of a policy that apply to data, by name."""
    return tuple(name for name, rule in policy.contradictions.items() if rule.applies(fields))


def says_no(policy: PolicyFile, text: str) -> bool:
    """Whether a guide's text says that something is not possible."""
    words = plain(text)
    return any(finds(phrases, words) for phrases in policy.denials.values())


def run_examples(policy: PolicyFile) -> list[str]:
    """Judge every example of a policy; one line for each that is not judged as it says."""
    problems = []
    for example in policy.examples:
        verdict = judge(policy, example.draft)
        failed = tuple(each.name for each in verdict.checks if not each.passed)
        if set(failed) != set(example.fails):
            wanted = ", ".join(example.fails) or "nothing"
            problems.append(f"{example.name}: fails {', '.join(failed) or 'nothing'}, not {wanted}")
    return problems


def _intents(policy: PolicyFile, draft: Draft) -> Iterator[str]:
    if not draft.intents:
        yield "answers no intent"
    yield from (
        f"{each} may not be answered" for each in draft.intents if each not in policy.intents
    )


def _required(policy: PolicyFile, draft: Draft) -> Iterator[tuple[str, str, float | None]]:
    for intent in draft.intents:
        if intent in policy.intents:
            for source, age in policy.intents[intent].requires.items():
                yield intent, source, age


def _missing(policy: PolicyFile, draft: Draft) -> Iterator[str]:
    for intent, source, _ in _required(policy, draft):
        if source not in draft.ages:
            yield f"{intent} rests on {source}, which is not there"


def _stale(policy: PolicyFile, draft: Draft) -> Iterator[str]:
    for intent, source, most in _required(policy, draft):
        age = draft.ages.get(source)
        if age is not None and most is not None and age > most:
            yield f"{intent}: {source} is {age:.0f} hours old, at most {most:.0f}"


def _contradictions(policy: PolicyFile, draft: Draft) -> Iterator[str]:
    for name in draft.contradictions:
        rule = policy.contradictions.get(name)
        if rule is None or rule.tell is None or name not in draft.told:
            yield name if rule is None else f"{name}: {rule.about}"


def _promises(policy: PolicyFile, draft: Draft) -> Iterator[str]:
    words = plain(draft.text)
    for language, phrases in policy.forbidden.items():
        found = finds(phrases, words)
        if found:
            yield f"{language}: {found}"


def parse_draft(text: str) -> Draft:
    """A draft of its JSON.

    Raises:
        ValueError: it is none.
    """
    data: dict[str, Any] = json.loads(text)
    return Draft.model_validate(data)
