"""What a step of the dialogue yields: the new state, what to say, to do and to listen for.

    Turn ── state   : State      frozen; hand it to the next step
         ── say     : Prompt…    play in this order
         ── actions : Action…    execute once after the turn is committed (idempotency key)
         ── listen  : Listen     for recognizer, understanding and endpointing
         ── checked : Checked…   log it with the event, so that the call replays
         ── reply   : "continue" | "ended" | "already_closed"

These are values. A turn may be computed speculatively and thrown away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from appliance.dialogue.events import Checked
from appliance.dialogue.schema import Slot


class State(BaseModel):
    """Where a call stands. Holds no account data, no ZIP and no secret; serializes as JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    flow: str
    flow_hash: str
    current: str = ""
    phase: str = ""
    step: int = 0
    turns: int = 0
    counters: dict[str, int] = {}
    facts: dict[str, bool | str] = {}
    reason: str | None = None
    last_question: str | None = None
    ended: bool = False
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a prompt: fixed text (from the audio cache), or a slot's text (`slot` set)."""

    text: str
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt. `text` is all of `parts` joined; it may hold account data: not for logs.

    For logs there is `redacted`, with slots as their names.
    """

    id: str
    text: str
    parts: tuple[Segment, ...]
    uninterruptible: bool = False

    @property
    def redacted(self) -> str:
        """The text with `[name]` in place of each slot's value."""
        return "".join(f"[{part.slot}]" if part.slot else part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Action:
    """Something for the host to do once. `key` is the same in every replay of the call."""

    name: str
    args: Mapping[str, str]
    key: str


@dataclass(frozen=True, slots=True)
class Listen:
    """How to hear the reply.

    `patience_ms` is the pause that ends a reply which holds what was asked for, `unfinished_ms`
    one which does not yet. `min_digits`..`max_digits` bound typed input where `accepts_digits`.
    `expects_reply` is false while the dialogue waits for a tool or has ended: silence then is
    no `NoInput`.
    """

    slot: Slot | None = None
    patience_ms: int = 500
    unfinished_ms: int = 1200
    min_digits: int = 0
    max_digits: int = 0
    interruptible: bool = True
    accepts_digits: bool = False
    expects_reply: bool = True


Reply = Literal["continue", "ended", "already_closed"]


@dataclass(frozen=True, slots=True)
class Turn:
    """The result of one step; see the module's drawing."""

    state: State
    say: tuple[Prompt, ...] = ()
    actions: tuple[Action, ...] = ()
    listen: Listen = field(default_factory=Listen)
    checked: tuple[Checked, ...] = ()
    reply: Reply = "continue"

    @property
    def text(self) -> str:
        """All that is said, as one line."""
        return " ".join(prompt.text for prompt in self.say)
