"""What a step of the dialogue yields: the new state, what to say, to do and to listen for.

    Turn ── state   : State      frozen; hand it to the next step
         ── say     : Prompt…    play in this order
         ── actions : Action…    execute once after the turn is committed (idempotency key)
         ── listen  : Listen     for recognizer, understanding and endpointing
         ── checked : Checked…   log it with the event, so that the call replays
         ── taken   : the routes and states that were passed, for people and for coverage
         ── reply   : "continue" | "ended" | "already_closed" | "handed_over"

These are values. A turn may be computed speculatively and thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from appliance.dialogue.events import Checked
from appliance.dialogue.markup import around_slot, escape
from appliance.dialogue.schema import ActionState, Slot, Terminal
from appliance.dialogue.waits import WAITS
from appliance.types import Language

END_CALL = "end_call"
"""The action of every terminal state; its argument `reason` is the outcome."""


WITHHELD = "must_hear"
"""Stands in `Turn.taken` for the route of an answer that leads nowhere yet (`obligations`)."""


class HandoffNote(BaseModel):
    """What whoever takes over must know. Facts here are what the caller said; not for logs.

    `by` wrote it: the voice of the state that the call was in, or the flow.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    to: str
    by: str = ""
    summary: str = ""
    key_facts: dict[str, bool | str] = {}
    open_questions: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()


class State(BaseModel):
    """Where a call stands; serializes as JSON. Only a note's summary may hold account data.

    `form` is the version of this model, `flow_hash` that of the flow: a state is continued by
    what it was made with or not at all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: Literal[2] = 2
    flow: str
    flow_hash: str
    language: Language = "en"
    current: str = ""
    phase: str = ""
    step: int = 0
    turns: int = 0
    doing: int = 0
    awaiting: str | None = None
    counters: dict[str, int] = {}
    facts: dict[str, bool | str] = {}
    notes: tuple[HandoffNote, ...] = ()
    reason: str | None = None
    last_intent: str | None = None
    last_question: str | None = None
    times_asked: int = 0
    ended: bool = False
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a prompt: fixed text, or a slot's text (`slot` set).

    `text` is plain. `speech` is what the voice gets: the same with marks (see `markup`), those of
    a slot around its value. A mark may be opened in one segment and closed in another. `reading`:
    how a template wants its slot read (`say-as`).
    """

    text: str
    slot: str | None = None
    speech: str = ""
    reading: str = ""

    def __post_init__(self) -> None:
        if not self.speech:
            speech = escape(self.text)
            slotted = around_slot(self.slot, speech) if self.slot else speech
            object.__setattr__(self, "speech", slotted)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt. `text` is all of `parts` joined; it may hold account data: not for logs.

    For logs there is `redacted`, with slots as their names; for the voice `speech`, with marks.
    `voice` is one of the flow's. `must_hear`: the host reports it as `unheard` with every event
    until the caller has heard it.
    """

    id: str
    text: str
    parts: tuple[Segment, ...]
    uninterruptible: bool = False
    voice: str | None = None
    must_hear: bool = False

    @property
    def redacted(self) -> str:
        """The text with `[name]` in place of each slot's value."""
        return "".join(f"[{part.slot}]" if part.slot else part.text for part in self.parts)

    @property
    def speech(self) -> str:
        """The text with its marks (see `markup`); what only the voice gets."""
        return "".join(part.speech for part in self.parts)


@dataclass(frozen=True, slots=True)
class Action:
    """Something for the host to do once: an entry of a state's own list, and nothing else.

    It is a reference into the flow, not a name: `position` counts in the list of `state`, and None
    is the end of the call, which only a `Terminal` has. So a tool that a state does not list, or
    any tool in a decision, has no `Action`. `key` is the same in every replay of the call.
    """

    state: ActionState | Terminal = field(repr=False, compare=False)
    position: int | None
    args: Mapping[str, str]
    key: str
    name: str = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.state, ActionState | Terminal):
            raise TypeError("only an action or terminal state has actions")
        if self.position is not None:
            name = self.state.do[self.position].tool
        elif isinstance(self.state, Terminal):
            name = END_CALL
        else:
            raise TypeError("only a terminal state ends the call")
        object.__setattr__(self, "name", name)


@dataclass(frozen=True, slots=True)
class Listen:
    """How to hear the reply.

    `patience_ms` is the pause that ends a reply which holds what was asked for, `unfinished_ms`
    one which does not yet. `min_digits`..`max_digits` bound typed input where `accepts_digits`.
    `no_input_ms` is the silence that counts as no input, where the flow sets it.
    `expects_reply` is false while the dialogue waits for a tool or has ended: silence then is
    no `NoInput`. `said_digits` are those that were said so far of the number that is asked for;
    the host of the call fills them in (see `said_digits`).
    """

    slot: Slot | None = None
    language: Language = "en"
    patience_ms: int = WAITS[None].patience_ms
    unfinished_ms: int = WAITS[None].unfinished_ms
    no_input_ms: int | None = None
    min_digits: int = 0
    max_digits: int = 0
    interruptible: bool = True
    accepts_digits: bool = False
    expects_reply: bool = True
    said_digits: str = ""


@dataclass(frozen=True, slots=True)
class NextFlow:
    """The flow that the call goes on in, and the note for it, which is the state's last."""

    flow: str
    note: HandoffNote | None


Reply = Literal["continue", "ended", "already_closed", "handed_over"]


@dataclass(frozen=True, slots=True)
class Turn:
    """The result of one step; see the module's drawing."""

    state: State
    say: tuple[Prompt, ...] = ()
    actions: tuple[Action, ...] = ()
    listen: Listen = field(default_factory=Listen)
    checked: tuple[Checked, ...] = ()
    taken: tuple[str, ...] = ()
    next_flow: NextFlow | None = None
    reply: Reply = "continue"

    @property
    def text(self) -> str:
        """All that is said, as one line."""
        return " ".join(prompt.text for prompt in self.say)
