"""A scripted dialogue: what the caller does, step by step, as YAML.

```yaml
flow: collections                                  # whose texts it answers
language: en                                       # of the call
caller: "+13105550100"
expect: ptp_set                                    # the outcome, for those who check it
steps:
  - wait_reply: {timeout_s: 15, quiet_ms: 700}     # or just: wait_reply
  - say: yes, this is she
  - say: {parts: [my address is, seventy five highland avenue], asked: address}   # with a pause
  - say: {parts: ["um", "yes"], pauses_ms: [400]}  # of a given length; else one is drawn
  - spell: "90210"                                 # digits, read out one by one
  - spell: {digits: "90210", groups: [3, 2], asked: zip}   # with a pause between the groups
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
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from pydantic import ValidationError

from appliance.errors import ConfigError, PeerError
from appliance.testing.activity import Span
from appliance.testing.hesitation import draw_pause_ms, speak_with_pauses, spell_in_groups
from appliance.testing.peer import CallPeer, Speech
from appliance.testing.script_steps import Asked, Say, ScriptPart, Spell, Step, spell_out
from appliance.testing.speech import CallerVoice
from appliance.types import Language

SCRIPTS = Path(__file__).parent / "scripts"
"""Folder of the scripts that ship."""


class Script(ScriptPart):
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
    steps = [spell_out(step, number) for number, step in enumerate(data["steps"], 1)]
    try:
        return Script.model_validate({**data, "steps": steps})
    except ValidationError as error:
        raise ValueError("; ".join(_describe(dict(found)) for found in error.errors())) from error


def calendar_values(today: date) -> dict[str, str]:
    """Days as a caller says them: `last_day` of this month, e.g. "november thirtieth"."""
    last = calendar.monthrange(today.year, today.month)[1]
    month = calendar.month_name[today.month].lower()
    return {"last_day": f"{month} {_ordinal(last)}"}


class StepFailed(PeerError):  # noqa: N818 (what happened, not a failure of this code)
    """A step could not be done; `kind` is the step's."""

    def __init__(self, number: int, kind: str, why: PeerError) -> None:
        super().__init__(f"step {number} ({kind}): {why}")
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Spoken:
    """An utterance as it went out: its span on the wire, what it answered, its inner pauses."""

    span: Span
    asked: Asked | None
    pauses: int = 0
    over_prompt: bool = False


Rendered = tuple[Step, Speech]


async def run_script(
    peer: CallPeer,
    script: Script,
    voice: CallerVoice,
    values: Mapping[str, str] | None = None,
) -> None:
    """Do the steps, one after another, in a call that is up.

    Raises:
        StepFailed: a step failed; the message names it.
        ConfigError: a text names a value that is not given, or cannot be spoken.
    """
    steps = await asyncio.to_thread(render_script, script, voice, values)
    async for _ in perform(peer, steps):
        pass


async def perform(peer: CallPeer, steps: Sequence[Rendered]) -> AsyncIterator[Spoken]:
    """Do steps that are rendered; yields what was said, as it is said.

    Raises:
        StepFailed: a step failed; the message names it.
    """
    for number, (step, speech) in enumerate(steps, 1):
        try:
            span = await _do(peer, step, speech)
        except PeerError as error:
            raise StepFailed(number, step.kind, error) from error
        if span is not None:
            yield Spoken(span, step.asked, step.pauses, step.talk_over is not None)


def render_script(
    script: Script, voice: CallerVoice, values: Mapping[str, str] | None = None, seed: int = 1
) -> list[Rendered]:
    """Each step with what it says; silent steps with nothing. `seed` fixes the drawn pauses.

    Raises:
        ConfigError: a text names a value that is not given, or cannot be spoken.
    """
    filled = values if values is not None else calendar_values(date.today())  # noqa: DTZ011
    chance = np.random.default_rng(seed)
    rendered = []
    for step in script.steps:
        speech = Speech(np.zeros(0, np.int16))
        if step.talk_over is not None:
            speech = voice.speak(_fill(step.talk_over.say, filled))
        elif step.say is not None:
            speech = _spoken(step.say, voice, filled, chance)
        elif step.spell is not None:
            speech = _spelled(step.spell, voice, chance)
        rendered.append((step, speech))
    return rendered


def _spoken(
    say: Say, voice: CallerVoice, values: Mapping[str, str], chance: np.random.Generator
) -> Speech:
    parts = [_fill(part, values) for part in say.said]
    if len(parts) == 1:
        return voice.speak(parts[0])
    drawn = say.pauses_ms or [draw_pause_ms(chance) for _ in parts[1:]]
    return speak_with_pauses(voice, parts, drawn)


def _spelled(spell: Spell, voice: CallerVoice, chance: np.random.Generator) -> Speech:
    if spell.groups:
        return spell_in_groups(voice, spell.digits, spell.groups, chance)
    return voice.spell(spell.digits)


async def _do(peer: CallPeer, step: Step, speech: Speech) -> Span | None:
    """One step; returns the span of what it said, if it said something."""
    if step.talk_over is not None:
        return await peer.talk_over(speech, step.talk_over.after_ms, step.talk_over.timeout_s)
    if step.say is not None or step.spell is not None:
        return await peer.say(speech)
    if step.wait_reply is not None:
        await peer.wait_reply(step.wait_reply.timeout_s, step.wait_reply.quiet_ms)
    elif step.press is not None:
        await peer.digits(step.press)
    elif step.pause is not None:
        await peer.pause(step.pause)
    elif step.hang_up:
        await peer.hang_up()
    elif step.wait_hangup is not None:
        await peer.wait_hangup(step.wait_hangup.timeout_s)
    return None


def _fill(text: str, values: Mapping[str, str]) -> str:
    try:
        return text.format_map(values)
    except (KeyError, ValueError, IndexError) as error:
        raise ConfigError(f"script text {text!r}: no value for {error}") from error


def _describe(problem: dict[str, Any]) -> str:
    """One line per problem, with the step counted from 1."""
    place = [part + 1 if isinstance(part, int) else part for part in problem["loc"]]
    return f"{' '.join(str(part) for part in place)}: {problem['msg']}"


def _ordinal(number: int) -> str:
    """28 to 31, the last days that months have, as words."""
    return {28: "twenty eighth", 29: "twenty ninth", 30: "thirtieth", 31: "thirty first"}[number]
