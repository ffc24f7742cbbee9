"""What a flow declares before its states: what it may know, say, do and count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

VariableType = Literal[
    "text",
    "name",
    "address",
    "date",
    "time",
    "money",
    "number",
    "digits",
    "code",
    "phone",
    "email",
    "passage",
]
"""How a value is written and said; see `speech`, and `passages` for the last."""

FactType = Literal["flag", "data", VariableType]
"""`data` is JSON, for checks and tools: it is no variable's type, so it is never said."""

PRIVATE_TYPES = frozenset({"text", "name", "address", "digits", "code", "phone", "email", "data"})
"""Facts of these types may be personal: they stay out of logs and call records."""


def _listed(value: Any) -> Any:
    """One name may be written without a list."""
    return (value,) if isinstance(value, str) else value


Names = Annotated[
    tuple[str, ...], BeforeValidator(_listed, json_schema_input_type=str | tuple[str, ...])
]


class FlowPart(BaseModel):
    """What all parts of a flow have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Secret(FlowPart):
    """A variable that may be said, or given to a tool, only once all these facts hold."""

    after: Annotated[Names, Field(min_length=1)]


class Variable(FlowPart):
    """A typed place in a prompt, filled from the account, from a fact of this call, or fixed.

    What is fixed (`source: campaign`) has its value here; a campaign may give it another. A share
    keeps account data out of the state: the fact says `full`, and the sum is worked out where it
    is said or given to a tool.
    """

    type: VariableType
    source: Literal["account", "fact", "campaign"]
    value: str | None = Field(None, description="Of source campaign: what it is, as in an account")
    share_of: str | None = Field(
        None, description="A fact of money that may be a share of this account variable: `half`"
    )


class Tool(FlowPart):
    """Something that the host does for a call, with what can come of it.

    `failed` is always among the outcomes: it is what a broken or late tool comes to. With an
    outcome a tool may give facts: those under `produces` always, those under `may_produce` at
    times, and no others.
    """

    args: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ("done", "failed")
    produces: dict[str, Names] = Field({}, description="By outcome, the facts that it gives")
    may_produce: dict[str, Names] = Field({}, description="By outcome, facts that it may give")
    timeout_s: float = Field(10.0, gt=0, le=600, description="After this it has failed, seconds")


class ToolCall(FlowPart):
    """A tool with its arguments: `$fact`, `$variable`, `$reason`, or the text itself.

    `$fact?` is left out where the fact is not known.
    """

    tool: str
    args: dict[str, str] = {}
    when: dict[str, bool | str] = Field({}, description="Facts and the values they must have")

    def given(self, fact: Callable[[str], object]) -> Iterator[tuple[str, str]]:
        """The arguments that are given where facts have these values; without the mark `?`."""
        for name, value in self.args.items():
            wanted = optional_fact(value)
            if wanted is None:
                yield name, value
            elif fact(wanted) is not None:
                yield name, f"${wanted}"


def optional_fact(value: str) -> str | None:
    """The fact of an argument that is left out where it is not known; None for any other."""
    return value[1:-1] if value.startswith("$") and value.endswith("?") else None


class Note(FlowPart):
    """A structured note for the persona or flow that takes over.

    `facts` are passed on with their values where they are known, `open_questions` are facts listed
    where they are not. `summary` and `recommendations` are prompts, rendered but not said.
    """

    to: str
    summary: Names = ()
    facts: Names = ()
    open_questions: Names = ()
    recommendations: Names = ()
