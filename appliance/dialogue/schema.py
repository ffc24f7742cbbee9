"""What a flow file may contain: the words of the flow language, checked by pydantic.

    FlowSpec ── declarations: facts, variables, secrets, tools, counters, notes (declarations.py)
             ── states: Decision (asks, has no tools) · ActionState (does what it lists) · Terminal
             ── Route: what an event leads to
             ── properties: what the checker must prove (properties.py)

A flow is data. Unknown keys are rejected. Cross references (states, prompts, outcomes) are checked
by `names`, and everything that depends on the way through the flow by the `checker`.
`appliance flow schema` prints the JSON Schema of this for editors.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from appliance.dialogue.declarations import (
    FactType,
    FlowPart,
    Names,
    Note,
    Secret,
    Tool,
    ToolCall,
    Variable,
)
from appliance.dialogue.properties import Property

Slot = Literal[
    "zip", "yes_no", "date", "amount", "name", "address", "phone", "email", "time", "text"
]
"""What a question can ask for; recognizer and understanding are told it."""

REASON = "$reason"
"""In a tool's argument or an outcome: the reason that the route to here gave."""


def _assignments(value: Any) -> Any:
    """`known`, `[known, sure]` and `{mood: calm}` are ways to write what a route sets."""
    if isinstance(value, str):
        return {value: True}
    return dict.fromkeys(value, True) if isinstance(value, list | tuple) else value


Assignments = Annotated[
    dict[str, bool | str],
    BeforeValidator(
        _assignments, json_schema_input_type=str | tuple[str, ...] | dict[str, bool | str]
    ),
]


class Route(FlowPart):
    """What happens on an event, in this order.

    forget, set, reason, count (or `past`), language (or `otherwise`), check or branch (one of
    `on`), note, say, then goto, or stay and ask.
    """

    forget: Names = Field((), description="Facts that are not known any more")
    set: Assignments = Field({}, description="Flags that become true, or choices with their value")
    reason: str | None = Field(None, description="The outcome that `$reason` stands for from here")
    count: str | None = Field(None, description="Counts up; at the counter's limit, `past` instead")
    past: Route | None = Field(None, description="Taken instead once the counter is at its limit")
    language: str | None = Field(None, description="Go on in this language, if the box speaks it")
    otherwise: Route | None = Field(None, description="Taken instead if it does not")
    check: str | None = Field(None, description="Branch on a check; its outcomes are in `on`")
    branch: str | None = Field(None, description="Branch on a fact; its values are in `on`")
    on: dict[str, Route] = {}
    note: str | None = Field(None, description="Write this note for whoever takes over")
    say: Names = ()
    goto: str | None = None
    ask: str | Literal[False] | None = Field(
        None, description="The question, instead of the state's own; false: say nothing more"
    )
    anyway: bool = Field(
        False, description="Taken even if the caller talked over what he must hear (`must_hear`)"
    )


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
    patience_ms: int | None = Field(
        None, ge=100, le=3000, description="Pause that ends a complete reply; default: its kind's"
    )
    unfinished_ms: int | None = Field(
        None, ge=100, le=3000, description="Pause that ends a half one; default: its kind's"
    )
    no_input_ms: int | None = Field(
        None, ge=1000, le=60000, description="Silence that counts as none; default: the box's"
    )
    barge_in: bool = True
    keypad: Keypad | None = None


class Question(FlowPart):
    """Asks for a fact that is not known yet; what is given beside it stands above `listen`."""

    fact: str
    ask: str
    again: str | None = Field(None, description="When it is asked again before anything else is")
    slot: Slot | None = None
    patience_ms: int | None = Field(None, ge=100, le=3000)
    unfinished_ms: int | None = Field(None, ge=100, le=3000)
    keypad: Keypad | None = None

    @property
    def prompts(self) -> tuple[str, ...]:
        """What it can be asked with."""
        return (self.ask, self.again) if self.again else (self.ask,)


class Decision(FlowPart):
    """Asks a question and routes on the reply. It has no tools.

    With `asks` it is a form: on entering, and on staying, it asks for the first of these facts that
    is not known, and takes `then` once none is missing.

    Keys of `on`: an intent, `check.outcome` of the check in `listen`, `key.0` to `key.9`,
    `silence`, `unclear`, `engine_failed`, `repeated`, `hung_up`.
    """

    kind: Literal["decision"]
    phase: str
    voice: str | None = None
    say: Names = ()
    ask: str | None = Field(None, description="The question; or `asks` and `then`")
    again: str | None = Field(None, description="The question after silence or a misunderstanding")
    asks: tuple[Question, ...] = Field((), description="In this order, what to ask for")
    then: Route | None = Field(None, description="Taken once everything in `asks` is known")
    listen: Expectation = Expectation()
    on: dict[str, Route]

    @model_validator(mode="after")
    def _question_or_form(self) -> Self:
        if not self.asks and (self.ask is None or self.then):
            raise ValueError("give `ask`, or else `asks` and `then`")
        if self.asks and (self.ask or self.again or self.then is None):
            raise ValueError("with `asks` it needs `then`, and has no `ask` or `again`")
        return self

    @property
    def prompts(self) -> tuple[str, ...]:
        """What it can ask itself, without what routes ask."""
        own = tuple(each for each in (self.ask, self.again) if each)
        return own + tuple(prompt for each in self.asks for prompt in each.prompts)


class ActionState(FlowPart):
    """Says something, calls the tools it lists one after the other, and goes on.

    `on` has a route for every `tool.outcome`, and may have one for `hung_up`; one that goes nowhere
    (`{}`) lets the next tool begin. After the last, `then`. Meanwhile the universal intents in
    `hears` are heard; by default all of them.
    """

    kind: Literal["action"]
    phase: str
    voice: str | None = None
    say: Names = ()
    do: tuple[ToolCall, ...] = ()
    hears: Names | None = None
    on: dict[str, Route] = {}
    then: Route | None = None


class Handover(FlowPart):
    """The call goes on in another flow, which is given a note."""

    flow: str = Field(description="Name of a shipped flow, or a path from this flow's folder")
    note: str | None = None


class Terminal(FlowPart):
    """Ends the call with one outcome, after the tools it lists; or hands it to another flow."""

    kind: Literal["terminal"]
    voice: str | None = None
    say: Names = ()
    do: tuple[ToolCall, ...] = ()
    on: dict[str, Route] = {}
    outcome: str
    handover: Handover | None = None


AnyState = Annotated[Decision | ActionState | Terminal, Field(discriminator="kind")]


class Fallbacks(FlowPart):
    """What a state does that has no route of its own for these."""

    unclear: Route = Field(description="Not understood, or heard with too little confidence")
    silence: Route
    engine_failed: Route
    repeated: Route = Field(description="The same question would be asked once too often")
    hung_up: Route


class FlowSpec(FlowPart):
    """A whole flow.yaml."""

    flow: str
    version: int
    start: str
    automation: str = Field(description="The prompt that answers 'are you a robot?' truthfully")
    holding: str | None = Field(
        None, description="The prompt that fills the silence when a sentence is late"
    )
    holding_again: str | None = Field(
        None, description="The prompt for each further wait in the same silence; default: holding"
    )
    transferring: str | None = Field(
        None, description="The prompt that is said again and again while a transfer takes long"
    )
    cut_off: str | None = Field(
        None, description="The prompt before a call is ended because the box cannot go on with it"
    )
    in_full: str | None = Field(
        None, description="The prompt before something that must be heard is said again"
    )
    outcomes: tuple[str, ...]
    checks: Names = Field((), description="Entry points (group appliance.checks) with more checks")
    max_turns: int = Field(25, ge=1, le=100)
    out_of_turns: Route
    max_sentences: int = Field(3, ge=1, le=20, description="Longest prompt, in sentences")
    repeat_limit: int = Field(2, ge=1, le=5, description="Times a question is asked in a row")
    voices: tuple[str, ...] = Field((), description="Names of voices; the first is the default")
    intents: dict[str, str] = Field(
        {},
        description="Intents of this flow alone, each with an example; the model must know them",
    )
    requires: dict[str, str] = Field(
        {}, description="Account keys that checks read, each with the pattern of its text"
    )
    facts: dict[str, FactType | tuple[str, ...]] = Field(
        {}, description="What a call may learn: flag, date, money, …, or a list of choices"
    )
    entry: dict[str, Literal["required", "optional"]] = Field(
        {}, description="Facts that the host gives at the start (caller_number, campaign, …)"
    )
    variables: dict[str, Variable] = {}
    lexicon: dict[Literal["en", "es"], dict[str, str]] = Field(
        {}, description="By language, how words are said: another spelling, or IPA as /nwˈɛn/"
    )
    secrets: dict[str, Secret] = {}
    tools: dict[str, Tool] = {}
    counters: dict[str, Counter] = {}
    notes: dict[str, Note] = {}
    observe: dict[str, Assignments] = Field(
        {}, description="Facts noted whenever an intent is heard; for the record, not for routing"
    )
    universal: dict[str, Route] = {}
    fallbacks: Fallbacks
    states: dict[str, AnyState]
    texts: dict[str, Names] = Field(
        {}, description="Prompts rendered as one text for a tool or a check; not said by that"
    )
    takeaways: Names = Field((), description="Prompts that sum a call up; rendered, not said")
    wrap_up: Names = Field((), description="What the box does after every call of this flow")
    properties: tuple[Property, ...] = ()


Style = Literal["conversational", "formal", "brief"]
"""How a campaign speaks; `conversational` is a prompt's own text."""


def _as_prompt(value: Any) -> Any:
    """A prompt without properties may be written as its text, or its variants, alone."""
    return {"text": value} if isinstance(value, str | list) else value


class PromptSpec(FlowPart):
    """One sentence or a few, with `{variables}`; of several texts, each call takes one.

    `after` names facts that must hold before this may be said even without a secret variable. Where
    `only_if` does not hold, or one of `unless` does, it is left out of what is said or noted.
    `styles` are other texts for it: a campaign that speaks so has them in place of `text`.
    `must_hear`: where the caller talks over it, it is said again before the flow goes on
    (`obligations`).
    """

    text: Names
    styles: dict[Literal["formal", "brief"], Names] = {}
    uninterruptible: bool = False
    must_hear: bool | Literal["later"] = Field(
        False,
        description="Said again where the caller talks over it, and answers wait for that;"
        " later: they do not, it is said before the next question",
    )
    after: Names = ()
    only_if: Assignments = Field({}, description="Facts that must be known, or have this value")
    unless: Assignments = Field({}, description="Facts that leave it out: known, or of this value")


class PromptFile(FlowPart):
    """A whole prompts.LANGUAGE.yaml."""

    language: Literal["en", "es"]
    prompts: dict[
        str,
        Annotated[
            PromptSpec,
            BeforeValidator(_as_prompt, json_schema_input_type=PromptSpec | str | tuple[str, ...]),
        ],
    ]
