"""What a question needs: the file `needs.yaml` as a model.

    topic (what is asked about) ── needs ──> a tool with arguments, or a search in the documents

Arguments name what they come from: `$person.person_id` from the person, `$application.…` from the
list of applications that a hop before has found, `$job_title` from the words of the question.
"""

from __future__ import annotations

import re
from typing import Self

from pydantic import Field, model_validator

from appliance.dialogue.declarations import FlowPart, Names
from appliance.dialogue.intents import INTENTS

SOURCES = frozenset(
    {
        "person.person_id",
        "application.application_id",
        "application.job_title",
        "job_title",
    }
)
"""What an argument can come from."""

WORDS = ("question", "keywords", "status")
"""What a search may have in braces: the question, its words that matter, a status by its name."""

_BRACED = re.compile(r"\{(\w+)\}")


class Coverage(FlowPart):
    """When there is enough to answer."""

    sufficient: int = Field(100, ge=1, le=100, description="From this score on it is answered")
    partial: int = Field(
        50, ge=1, le=100, description="On the last hop this is enough, and the gaps are named"
    )


class Need(FlowPart):
    """Something that has to be known: from a tool, or from the documents."""

    gap: str = Field(description="What is missing where it is not found, as it is said")
    tool: str = ""
    args: dict[str, str] = Field({}, description="Its arguments; `$person.person_id` and so on")
    documents: Names = Field((), description="Searches, the next where the one before finds none")
    personal: bool = Field(False, description="Looked up only for somebody who is verified")
    max_age_h: float | None = Field(None, gt=0, description="Older data do not count, hours")

    @model_validator(mode="after")
    def _tool_or_documents(self) -> Self:
        if bool(self.tool) == bool(self.documents):
            raise ValueError("give either `tool` or `documents`")
        for word in (w for query in self.documents for w in _BRACED.findall(query)):
            if word not in WORDS:
                raise ValueError(f"{{{word}}} is none of {', '.join(WORDS)}")
        for value in self.args.values():
            if value.startswith("$") and value[1:] not in SOURCES:
                raise ValueError(f"{value} is none of ${', $'.join(sorted(SOURCES))}")
        return self


class Topic(FlowPart):
    """Something that people ask about."""

    example: str = Field(description="What somebody says who asks about it")
    intents: Names = Field((), description="Intents of the understanding that mean it")
    phrases: Names = Field((), description="Words that mean it; `*` any ending, `..` some words")
    needs: Names = ()
    untold: Names = Field((), description="Needs that are looked up only to find the others")
    instead_of: Names = Field((), description="Topics that this one makes superfluous")
    team: bool = Field(False, description="Nothing is answered: a person takes over")

    @model_validator(mode="after")
    def _known_intents(self) -> Self:
        unknown = [intent for intent in self.intents if intent not in INTENTS]
        if unknown:
            raise ValueError(f"{unknown[0]} is no intent")
        return self


class NeedsFile(FlowPart):
    """A whole needs.yaml."""

    coverage: Coverage = Coverage()
    needs: dict[str, Need]
    topics: dict[str, Topic]
    otherwise: str = Field(description="The topic of a question that no other one claims")

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        for name, topic in self.topics.items():
            missing = [need for need in topic.needs if need not in self.needs]
            if missing:
                raise ValueError(f"topics.{name}: no need {missing[0]}")
            if [each for each in topic.instead_of if each not in self.topics]:
                raise ValueError(f"topics.{name}: instead_of: no such topic")
            if not topic.needs and not topic.team:
                raise ValueError(f"topics.{name}: needs nothing, and is for no team")
        if self.otherwise not in self.topics:
            raise ValueError(f"otherwise: no topic {self.otherwise}")
        return self

    def is_personal(self, topics: tuple[str, ...]) -> bool:
        """Whether one of these topics needs personal data."""
        return any(self.needs[need].personal for name in topics for need in self.topics[name].needs)

    def is_about_applications(self, topics: tuple[str, ...]) -> bool:
        """Whether one of these topics is about applications of somebody's own."""
        needs = (self.needs[need] for name in topics for need in self.topics[name].needs)
        return any(need.tool == "list_applications" for need in needs)
