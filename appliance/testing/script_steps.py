"""What a step of a scripted dialogue may be; see `dialogue_script` for the whole."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from appliance.testing.peer import MIN_REPLY_MS, QUIET_MS

Seconds = Annotated[float, Field(gt=0, le=120)]
Asked = Literal[
    "yes_no", "zip", "date", "amount", "name", "address", "phone", "email", "time", "text"
]
"""What the question was that an utterance answers: the flow's `listen.slot`."""


class ScriptPart(BaseModel):
    """Frozen, and strict about keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WaitReply(ScriptPart):
    """Wait until the appliance has spoken and been silent."""

    timeout_s: Seconds = 15.0
    quiet_ms: int = Field(QUIET_MS, ge=MIN_REPLY_MS, le=10000)


class Say(ScriptPart):
    """Speak, perhaps with pauses for thought between the parts.

    `pauses_ms`: one for each place between two parts; without it the caller draws them, for each
    call anew, from pauses that people make (`pauses`). `asked`: for reports.
    """

    text: str = ""
    parts: tuple[str, ...] = ()
    pauses_ms: tuple[Annotated[int, Field(ge=20, le=5000)], ...] | None = None
    asked: Asked | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.text) == bool(self.parts):
            raise ValueError("either text or parts")
        if self.pauses_ms is not None and len(self.pauses_ms) != len(self.parts) - 1:
            raise ValueError("as many pauses_ms as places between parts")
        return self

    @property
    def said(self) -> tuple[str, ...]:
        """The parts; a plain text is one."""
        return self.parts or (self.text,)


class Spell(ScriptPart):
    """Read digits out one by one; `groups` of them have a drawn pause between them."""

    digits: Annotated[str, Field(pattern=r"^[0-9]+$")]
    groups: tuple[Annotated[int, Field(ge=1)], ...] = ()
    asked: Asked | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.groups and sum(self.groups) != len(self.digits):
            raise ValueError("the groups do not add up to the digits")
        return self


class TalkOver(ScriptPart):
    """Speak while the appliance speaks."""

    say: str
    after_ms: int = Field(500, ge=40, le=30000)
    timeout_s: Seconds = 15.0


class WaitHangup(ScriptPart):
    """Wait for the appliance to end the call."""

    timeout_s: Seconds = 15.0


class Step(ScriptPart):
    """One step: exactly one of the fields is set."""

    wait_reply: WaitReply | None = None
    say: Say | None = None
    spell: Spell | None = None
    press: Annotated[str, Field(pattern=r"^[0-9*#]+$")] | None = None
    talk_over: TalkOver | None = None
    pause: Annotated[int, Field(ge=20, le=120000)] | None = None
    hang_up: Literal[True] | None = None
    wait_hangup: WaitHangup | None = None

    @property
    def kind(self) -> str:
        """Name of the field that is set."""
        return next(iter(self.model_fields_set))

    @property
    def asked(self) -> Asked | None:
        """What its words answer, where the script tells."""
        spoken = self.say or self.spell
        return spoken.asked if spoken is not None else None

    @property
    def pauses(self) -> int:
        """Places where its speaker pauses for thought."""
        if self.say is not None:
            return len(self.say.said) - 1
        return max(0, len(self.spell.groups) - 1) if self.spell is not None else 0


BARE: dict[str, object] = {"wait_reply": {}, "hang_up": True, "wait_hangup": {}}
"""Steps that may be a word alone, with what it stands for."""
_SHORT = {"say": "text", "spell": "digits"}


def spell_out(step: object, number: int) -> dict[str, object]:
    """A step as a mapping with one key: bare words and bare texts stand for their defaults.

    Raises:
        ValueError: it is no step; `number` names it.
    """
    if isinstance(step, str) and step in BARE:
        return {step: BARE[step]}
    if isinstance(step, dict) and len(step) == 1:
        name, value = next(iter(step.items()))
        return {name: {_SHORT[name]: value} if name in _SHORT and isinstance(value, str) else value}
    raise ValueError(f"step {number} is not one of {', '.join(Step.model_fields)}: {step!r}")
