"""A scripted dialogue: what the caller does, step by step, as YAML.

```yaml
flow: collections                                  # whose texts it answers
language: en                                       # of the call
caller: "+13105550100"
expect: ptp_set                                    # the outcome, for those who check it
steps:
  - wait_reply: {timeout_s: 15, quiet_ms: 700}     # or just: wait_reply
  - say: yes, this is she
  - spell: "90210"                                 # digits, read out one by one
  - press: "90210"                                 # digits, as keys
  - talk_over: {say: stop calling me, after_ms: 500}
  - pause: 2000                                    # milliseconds of silence
  - hang_up
  - wait_hangup: {timeout_s: 20}
```
`{last_day}` and the like in a text are filled in from the values given to `run_script`, so that
a script that names a day stays true on any day.
"""

from __future__ import annotations

import asyncio
import calendar
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appliance.errors import ConfigError, PeerError
from appliance.testing.peer import MIN_REPLY_MS, QUIET_MS, CallPeer, Speech
from appliance.testing.speech import CallerVoice
from appliance.types import Language

SCRIPTS = Path(__file__).parent / "scripts"
"""Folder of the scripts that ship."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WaitReply(_Part):
    """Wait until the appliance has spoken and been silent."""

    timeout_s: float = Field(15.0, gt=0, le=120)
    quiet_ms: int = Field(QUIET_MS, ge=MIN_REPLY_MS, le=10000)


class TalkOver(_Part):
    """Speak while the appliance speaks."""

    say: str
    after_ms: int = Field(500, ge=40, le=30000)
    timeout_s: float = Field(15.0, gt=0, le=120)


class WaitHangup(_Part):
    """Wait for the appliance to end the call."""

    timeout_s: float = Field(15.0, gt=0, le=120)


class Step(_Part):
    """One step: exactly one of the fields is set."""

    wait_reply: WaitReply | None = None
    say: str | None = None
    spell: Annotated[str, Field(pattern=r"^[0-9]+$")] | None = None
    press: Annotated[str, Field(pattern=r"^[0-9*#]+$")] | None = None
    talk_over: TalkOver | None = None
    pause: Annotated[int, Field(ge=20, le=120000)] | None = None
    hang_up: Literal[True] | None = None
    wait_hangup: WaitHangup | None = None

    @property
    def kind(self) -> str:
        """Name of the field that is set."""
        return next(iter(self.model_fields_set))


class Script(_Part):
    """A whole dialogue; `caller` is the number that the caller shows, `flow` the one to call.

    It is held in `language`.

    `expect` is the outcome that the call should come to, for those who check it.
    """

    flow: str = "collections"
    language: Language = "en"
    caller: str = "+13105550100"
    expect: str | None = None
    about: str = ""
    steps: tuple[Step, ...]


def load_script(path: Path) -> Script:
    """Read a script.

    Raises:
        ConfigError: names the file, the step and what is wrong.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot be read as YAML: {error}") from error
    try:
        return parse_script(data)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from error


def parse_script(data: Any) -> Script:
    """Check a parsed YAML document.

    Raises:
        ValueError: it is no script; names each step that is wrong, counted from 1.
    """
    if not isinstance(data, dict) or not data.get("steps"):
        raise ValueError("a script needs a list of steps")
    if not isinstance(data["steps"], list):
        raise ValueError("the steps of a script are a list")  # noqa: TRY004 (parse_x raises it)
    steps = [_spell_out(step, number) for number, step in enumerate(data["steps"], 1)]
    try:
        return Script.model_validate({**data, "steps": steps})
    except ValidationError as error:
        raise ValueError("; ".join(_describe(dict(found)) for found in error.errors())) from error


def calendar_values(today: date) -> dict[str, str]:
    """Days as a caller says them: `last_day` of this month, e.g. "november thirtieth"."""
    last = calendar.monthrange(today.year, today.month)[1]
    month = calendar.month_name[today.month].lower()
    return {"last_day": f"{month} {_ordinal(last)}"}


async def run_script(
    peer: CallPeer,
    script: Script,
    voice: CallerVoice,
    values: Mapping[str, str] | None = None,
) -> None:
    """Do the steps, one after another, in a call that is up.

    Raises:
        PeerError: a step failed; the message names it.
        ConfigError: a text names a value that is not given, or cannot be spoken.
    """
    filled = values if values is not None else calendar_values(date.today())  # noqa: DTZ011
    steps = await asyncio.to_thread(_render, script, voice, filled)
    for number, (step, speech) in enumerate(steps, 1):
        try:
            await _do(peer, step, speech)
        except PeerError as error:
            raise PeerError(f"step {number} ({step.kind}): {error}") from error


def _render(
    script: Script, voice: CallerVoice, values: Mapping[str, str]
) -> list[tuple[Step, Speech]]:
    """Each step with what it says; silent steps with nothing."""
    rendered = []
    for step in script.steps:
        text = step.talk_over.say if step.talk_over else step.say
        speech = Speech(np.zeros(0, np.int16))
        if text is not None:
            speech = voice.speak(_fill(text, values))
        elif step.spell is not None:
            speech = voice.spell(step.spell)
        rendered.append((step, speech))
    return rendered


async def _do(peer: CallPeer, step: Step, speech: Speech) -> None:
    """One step."""
    if step.wait_reply is not None:
        await peer.wait_reply(step.wait_reply.timeout_s, step.wait_reply.quiet_ms)
    elif step.talk_over is not None:
        await peer.talk_over(speech, step.talk_over.after_ms, step.talk_over.timeout_s)
    elif step.press is not None:
        await peer.digits(step.press)
    elif step.pause is not None:
        await peer.pause(step.pause)
    elif step.hang_up:
        await peer.hang_up()
    elif step.wait_hangup is not None:
        await peer.wait_hangup(step.wait_hangup.timeout_s)
    else:
        await peer.say(speech)


def _fill(text: str, values: Mapping[str, str]) -> str:
    try:
        return text.format_map(values)
    except (KeyError, ValueError, IndexError) as error:
        raise ConfigError(f"script text {text!r}: no value for {error}") from error


def _spell_out(step: Any, number: int) -> dict[str, Any]:
    """A step as a mapping with one key: a bare word stands for its defaults."""
    if isinstance(step, str) and step in _BARE:
        return {step: _BARE[step]}
    if isinstance(step, dict) and len(step) == 1:
        return step
    raise ValueError(f"step {number} is not one of {', '.join(Step.model_fields)}: {step!r}")


_BARE: dict[str, Any] = {"wait_reply": {}, "hang_up": True, "wait_hangup": {}}


def _describe(problem: dict[str, Any]) -> str:
    """One line per problem, with the step counted from 1."""
    place = [part + 1 if isinstance(part, int) else part for part in problem["loc"]]
    return f"{' '.join(str(part) for part in place)}: {problem['msg']}"


def _ordinal(number: int) -> str:
    """28 to 31, the last days that months have, as words."""
    return {28: "twenty eighth", 29: "twenty ninth", 30: "thirtieth", 31: "thirty first"}[number]
