"""What a flow wants proven of itself, beyond what is proven of every flow.

properties:
  - never: {say: balance, before: right_party_verified}
  - never: {words: {en: [debt, owe*]}, before: right_party_verified}
  - never: {tool: end_call, in: booking}
  - never: {outcome: ptp_set, before: {said: mini_miranda}}
  - never: {tool: create_promise_to_pay, before: {heard: confirm_promise}}
  - whenever: {intent: stop_request, do: mark_do_not_contact}
  - at_most: {times: 1, tool: create_promise_to_pay}
  - always_ends_within: 25
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from appliance.dialogue.declarations import FlowPart, Names


class Past(FlowPart):
    """Something that has happened in this call: a prompt was said or heard, or a tool is done."""

    said: str | None = None
    heard: Names = Field(
        (),
        description="Prompts with `must_hear`: the last one said, to its end; a question only until"
        " another is asked",
    )
    done: str | None = Field(None, description="tool.outcome")

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(map(bool, (self.said, self.heard, self.done))) != 1:
            raise ValueError("give one of `said`, `heard` and `done`")
        return self


Condition = str | Past
"""A flag that holds, or something that has happened."""

WordsByLanguage = Annotated[
    dict[str, Names],
    BeforeValidator(
        lambda value: value if isinstance(value, dict) else {"*": value},
        json_schema_input_type=dict[str, Names] | Names,
    ),
]


class Never(FlowPart):
    """None of these things, in these states, before (or after) that."""

    say: Names = Field((), description="Prompts, or variables in any prompt")
    words: WordsByLanguage = Field({}, description="Words in what is said; `owe*`: any ending")
    tool: Names = ()
    outcome: Names = ()
    state: Names = ()
    before: Condition | None = None
    after: Condition | None = None
    inside: Names = Field((), alias="in", description="Only in these states")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.say or self.words or self.tool or self.outcome or self.state):
            raise ValueError("say what must never be: say, words, tool, outcome or state")
        return self


class Whenever(FlowPart):
    """On this universal intent the same turn does all of this, wherever the intent is heard.

    It is heard in every state that asks, and in actions that do not leave it out of `hears`.
    """

    intent: str
    say: Names = ()
    do: Names = Field((), description="Tools; also true where the tool is already at work")
    outcome: str | None = None
    enter: str | None = Field(None, description="A state that the turn comes to")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.say or self.do or self.outcome or self.enter):
            raise ValueError("say what must follow: say, do, outcome or enter")
        return self


class AtMost(FlowPart):
    """No more often than this in one call."""

    times: int = Field(ge=1, le=25)
    say: str | None = None
    tool: str | None = None
    state: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.say, self.tool, self.state)) != 1:
            raise ValueError("give one of `say`, `tool` and `state`")
        return self


class Property(FlowPart):
    """One thing to prove."""

    never: Never | None = None
    whenever: Whenever | None = None
    at_most: AtMost | None = None
    always_ends_within: int | None = Field(None, ge=1, le=100, description="Turns of the caller")

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = (self.never, self.whenever, self.at_most, self.always_ends_within)
        if sum(each is not None for each in given) != 1:
            raise ValueError("give one of never, whenever, at_most and always_ends_within")
        return self

    @property
    def title(self) -> str:
        """The property as its author wrote it, in one line."""
        [(kind, body)] = self.model_dump(exclude_defaults=True, by_alias=True).items()
        return f"{kind} {_written(body)}"


def conditional_words(properties: Iterable[Property], language: str) -> tuple[str, ...]:
    """The words that properties allow only somewhere, or nowhere, in a language."""
    nevers = (each.never.words for each in properties if each.never)
    return tuple(
        word for words in nevers for word in (*words.get(language, ()), *words.get("*", ()))
    )


def finds_word(word: str, text: str) -> bool:
    """Whether a text has a word of a property; `owe*` is any ending."""
    ending = r"\w*" if word.endswith("*") else r"\b"
    return bool(re.search(rf"\b{re.escape(word.rstrip('*'))}{ending}", text, re.IGNORECASE))


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_written(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return " | ".join(str(each) for each in value)
    return str(value)
