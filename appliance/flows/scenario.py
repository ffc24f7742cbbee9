"""Written dialogues that a flow must follow: the caller's side in, the appliance's side checked.

- name: pays in full today
after: verified              # another scenario's steps first
steps:
- says: yes I can          # or digits: "90210" | silence: true | fails: stt
expect:                  # | tool: [name, outcome] | hangs_up: true | starts: true
say: [confirm_promise] # all prompt ids; `asks`: the last of them
state: confirm_promise # also phase, slot, reply, actions (name to arguments)
never: [debt]          # words that must not be said
outcome: ptp_set
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from appliance.dialogue.events import EngineFailed
from appliance.dialogue.schema import Names
from appliance.dialogue.turn import Turn
from appliance.errors import ConfigError
from appliance.flows.textcall import TextCall
from appliance.types import Stage


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Expected(_Part):
    """What a turn must be; what is not named is free."""

    say: Names | None = None
    asks: str | None = None
    state: str | None = None
    phase: str | None = None
    slot: str | None = None
    reply: str | None = None
    actions: dict[str, dict[str, str]] | None = None
    never: Names = ()


def _pair(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Step(_Part):
    """One event of the caller's side, with what must come of it. Exactly one event is set."""

    starts: bool = False
    says: str | None = None
    digits: str | None = None
    silence: bool = False
    fails: Stage | None = None
    tool: Annotated[tuple[str, str] | None, BeforeValidator(_pair)] = None
    hangs_up: bool = False
    expect: Expected = Expected()

    def play(self, call: TextCall) -> Turn:
        """Give the event to a call."""
        if self.says is not None:
            return call.says(self.says)
        if self.digits is not None:
            return call.types(self.digits)
        if self.fails is not None:
            return call.take(EngineFailed(self.fails))
        if self.tool is not None:
            return call.tool(*self.tool)
        if self.silence:
            return call.is_silent()
        return call.hangs_up() if self.hangs_up else call.starts()


class Scenario(_Part):
    """A dialogue with its outcome (none where another one goes on from it)."""

    name: str
    after: str | None = None
    steps: tuple[Step, ...]
    outcome: str | None = None


def load_scenarios(path: Path) -> dict[str, Scenario]:
    """Read a file of scenarios, by name.

    Raises:
        ConfigError: unreadable, or not scenarios.
    """
    try:
        # BaseLoader: everything is text, so that "no" and 2026-11-13 stay what they are
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506
        scenarios = [Scenario.model_validate(each) for each in data]
    except (OSError, TypeError, yaml.YAMLError, ValidationError) as error:
        raise ConfigError(f"{path}: {error}") from error
    return {scenario.name: scenario for scenario in scenarios}


def play(scenario: Scenario, among: Mapping[str, Scenario], call: TextCall) -> Iterator[Turn]:
    """Play a scenario on a fresh call, turn by turn.

    Raises:
        AssertionError: a turn is not as expected; the message names the step.
    """
    steps = (*(among[scenario.after].steps if scenario.after else ()), *scenario.steps)
    for number, step in enumerate(steps, 1):
        turn = step.play(call)
        wrong = differences(step.expect, turn)
        if wrong:
            raise AssertionError(f"{scenario.name}, step {number}: {'; '.join(wrong)}")
        yield turn
    if scenario.outcome != call.state.outcome:
        raise AssertionError(f"{scenario.name}: outcome {call.state.outcome}")


def differences(expected: Expected, turn: Turn) -> list[str]:
    """What of a turn is not as expected."""
    prompts = tuple(prompt.id for prompt in turn.say)
    got = {
        "say": prompts,
        "asks": prompts[-1] if prompts else None,
        "state": turn.state.current,
        "phase": turn.state.phase,
        "slot": turn.listen.slot,
        "reply": turn.reply,
        "actions": {action.name: dict(action.args) for action in turn.actions},
    }
    wanted = expected.model_dump(exclude={"never"}, exclude_none=True)
    wrong = [
        f"{name} is {got[name]!r}, not {value!r}"
        for name, value in wanted.items()
        if got[name] != value
    ]
    said = turn.text.lower()
    return wrong + [f"says {word!r}" for word in expected.never if word.lower() in said]
