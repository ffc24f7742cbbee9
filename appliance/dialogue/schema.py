"""What a flow file may contain: the words of the flow language, checked by pydantic.

A flow is data. Three kinds of state keep it honest: a *decision* asks and routes and has no
place to write a tool; an *action* calls exactly the tools it lists; only a *terminal* ends the
call. Unknown keys are rejected. Cross references (states, prompts, outcomes) are checked by
`appliance.dialogue.validate`, which sees the whole flow.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Slot = Literal["zip", "yes_no", "date", "amount"]
"""What a question can ask for; recognizer and understanding are told it."""

FactType = Literal["flag", "date", "money"]
VariableType = Literal["text", "date", "money"]

REASON = "$reason"
"""In a tool's argument or an outcome: the reason that the route to here gave."""


def _listed(value: Any) -> Any:
    """One name may be written without a list."""
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class FlowPart(BaseModel):
    """What all parts of a flow have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Secret(FlowPart):
    """A variable that may be said only once a fact holds."""

    after: str


class Variable(FlowPart):
    """A typed place in a prompt, filled from the account or from a fact of this call.

    A share keeps account data out of the state: the fact says `full`, and the sum is worked out
    where it is said or given to a tool.
    """

    type: VariableType
    source: Literal["account", "fact"]
    share_of: str | None = Field(
        None, description="A fact of money that may be `full` or `half` of this account variable"
    )


class Tool(FlowPart):
    """Something that the host does for a call, with what can come of it."""

    args: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ("done", "failed")


class Route(FlowPart):
    """What happens on an event: in this order set, count, check, say, go (or stay and ask)."""

    set: Names = ()
    reason: str | None = None
    count: str | None = None
    past: Route | None = Field(None, description="Taken instead once the counter is at its limit")
    check: str | None = Field(None, description="Branch on a check; its outcomes are in `on`")
    on: dict[str, Route] = {}
    say: Names = ()
    goto: str | None = None
    ask: str | None = Field(None, description="The question, instead of the state's own")


class Counter(FlowPart):
    """A hard limit: the `limit`-th count takes `past`.

    `reset` says what brings it back to zero: any utterance or digits ("heard"), only one that
    was understood ("understood"), or nothing ("never").
    """

    limit: int = Field(ge=1, le=25)
    reset: Literal["heard", "understood", "never"] = "never"
    past: Route | None = None


class Keypad(FlowPart):
    """Digits that may be typed instead of said; input ends at `max`."""

    min: int = Field(1, ge=1, le=20)
    max: int = Field(ge=1, le=20)


class Expectation(FlowPart):
    """What a question waits for, and how patiently."""

    slot: Slot | None = None
    check: str | None = None
    patience_ms: int = Field(500, ge=100, le=3000, description="Pause that ends a complete reply")
    unfinished_ms: int = Field(1200, ge=100, le=3000, description="Pause that ends a half one")
    barge_in: bool = True
    keypad: Keypad | None = None


class Decision(FlowPart):
    """Asks a question and routes on the reply. It has no tools."""

    kind: Literal["decision"]
    phase: str
    say: Names = ()
    ask: str
    again: str | None = Field(None, description="The question after silence or a misunderstanding")
    listen: Expectation = Expectation()
    on: dict[str, Route]


class ToolCall(FlowPart):
    """A tool with its arguments: `$fact`, `$reason`, or the text itself."""

    tool: str
    args: dict[str, str] = {}


class ActionState(FlowPart):
    """Says something, calls the tools it lists, and goes on (`then`) or waits (`on`)."""

    kind: Literal["action"]
    phase: str
    say: Names = ()
    do: tuple[ToolCall, ...] = ()
    then: Route | None = None
    on: dict[str, Route] = {}


class Terminal(FlowPart):
    """Ends the call with one outcome."""

    kind: Literal["terminal"]
    say: Names = ()
    outcome: str


AnyState = Annotated[Decision | ActionState | Terminal, Field(discriminator="kind")]


class Fallbacks(FlowPart):
    """What a state does that has no route of its own for these."""

    unclear: Route
    silence: Route
    engine_failed: Route
    hung_up: Route


class FlowSpec(FlowPart):
    """A whole flow.yaml."""

    flow: str
    version: int
    start: str
    max_turns: int = Field(25, ge=1, le=100)
    out_of_turns: Route
    outcomes: tuple[str, ...]
    requires: dict[str, str] = Field(
        {}, description="Account keys that checks read, each with the pattern of its text"
    )
    facts: dict[str, FactType] = {}
    variables: dict[str, Variable] = {}
    secrets: dict[str, Secret] = {}
    tools: dict[str, Tool] = {}
    counters: dict[str, Counter] = {}
    universal: dict[str, Route] = {}
    fallbacks: Fallbacks
    states: dict[str, AnyState]


class PromptSpec(FlowPart):
    """One sentence or a few, with `{variables}`.

    `after` names a fact that must hold before this may be said even without a secret variable.
    """

    text: str
    uninterruptible: bool = False
    after: str | None = None


def _as_prompt(value: Any) -> Any:
    """A prompt without properties may be written as its text alone."""
    return {"text": value} if isinstance(value, str) else value


class PromptFile(FlowPart):
    """A whole prompts.LANGUAGE.yaml."""

    language: Literal["en"]
    prompts: dict[str, Annotated[PromptSpec, BeforeValidator(_as_prompt)]]
