"""What a run has gathered so far, read from the facts of the call.

    person · tool_data · docs_data · inquiry (JSON facts) ──> Evidence, Case

Results of tools and of documents are kept apart, and both only grow from hop to hop: the tool
`gather` adds to what it was given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from appliance.dialogue.checks import CheckInput
from appliance.flows.status.inquiries import Inquiry
from appliance.flows.status.records import Person, Record, UnreadableError, read_record


class ToolResult(Record):
    """What came of a tool; `data` only if `ok`."""

    ok: bool
    data: Any = None
    args: dict[str, Any] = Field({})


class Found(Record):
    """A passage of a document."""

    document: str = ""
    title: str
    heading: str = ""
    text: str


class Search(Record):
    """What came of a search in the documents; none found is `ok` too."""

    ok: bool
    excerpts: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that was found for this conversation, by tool and by query."""

    person: Person | None = None
    tools: Mapping[str, ToolResult] = field(default_factory=dict)
    docs: Mapping[str, Search] = field(default_factory=dict)

    def data(self, tool: str, args: Mapping[str, str] | None = None) -> Any:
        """What a tool said when it was last called, if it came to anything; else None.

        Args:
            tool: its name.
            args: it counts only if it was called with these.
        """
        result = self.tools.get(tool)
        if result is None or not result.ok:
            return None
        given = {name: str(value) for name, value in result.args.items()}
        return None if args is not None and given and given != dict(args) else result.data


@dataclass(frozen=True, slots=True)
class Case:
    """One question with all that decides what becomes of it.

    Attributes:
        inquiry: what is asked.
        evidence: what was found.
        verified: whether personal data may be looked at.
        now: local time.
        last_hop: whether this is the last time that data is gathered.
        spoken: by telephone, so that figures are words.
    """

    inquiry: Inquiry
    evidence: Evidence
    verified: bool
    now: datetime
    last_hop: bool = False
    spoken: bool = True


def read_case(given: CheckInput) -> Case:
    """The case as the facts of a call have it.

    Raises:
        UnreadableError: one of them is not what its name says.
    """
    facts = given.facts
    inquiry = _json(facts, "inquiry")
    return Case(
        inquiry=Inquiry() if inquiry is None else read_record(Inquiry, inquiry, "inquiry"),
        evidence=read_evidence(facts),
        verified=facts.get("verified") is True,
        now=given.now,
        last_hop=facts.get("last_hop") is True,
        spoken=facts.get("channel") != "text",
    )


def read_evidence(facts: Mapping[str, bool | str]) -> Evidence:
    """What was found, of the facts of a call.

    Raises:
        UnreadableError: it is not of the form that `gather` gives.
    """
    person = _json(facts, "person")
    return Evidence(
        None if person is None else read_record(Person, person, "person"),
        _by_name(dict[str, ToolResult], facts, "tool_data"),
        _by_name(dict[str, Search], facts, "docs_data"),
    )


def _json(facts: Mapping[str, bool | str], name: str) -> object:
    try:
        return json.loads(str(facts[name])) if name in facts else None
    except json.JSONDecodeError as error:
        raise UnreadableError(f"{name}: is not JSON") from error


def _by_name(kind: Any, facts: Mapping[str, bool | str], name: str) -> Any:
    data = _json(facts, name)
    try:
        return TypeAdapter(kind).validate_python({} if data is None else data)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"][:1])
        raise UnreadableError(f"{name}: {place or 'all of it'} is not a result") from None
