"""Written dialogues that a flow must follow: the caller's side in, the appliance's side checked.

    - name: pays in full today
      after: verified              # another scenario's steps first
      language: en                 # also languages: [en, es], entry: {campaign: spring},
                                   # number: "15550101" (account), now: 2026-11-11T10:30-05:00
      steps:
        - says: yes I can          # or digits: "90210" | silence: true | fails: stt
          expect:                  # | tool: [name, outcome] | hangs_up: true | starts: true
            say: [confirm_promise] # all prompt ids; `asks`: the last of them
            state: confirm_promise # also phase, slot, reply, intent, outcome
            does: [note]           # tools called; or actions: {note: {day: 2026-11-12}}
            never: [debt]          # words that must not be said
        - means: negation          # an intent instead of words, with what checks are to find
          checks: {read_offer: none}
      outcome: ptp_set

A step without words needs no understanding, so a dialogue of the checker is a scenario too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from appliance.dialogue.declarations import Names
from appliance.dialogue.events import (
    CallStarted,
    Checked,
    Digits,
    EngineFailed,
    Event,
    Heard,
    HungUp,
    NoInput,
    ToolDone,
)
from appliance.dialogue.faults import FaultyFlowError
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.rehearsal import given, recorded
from appliance.dialogue.turn import Turn
from appliance.errors import ConfigError
from appliance.flows.scenario_errors import describe
from appliance.flows.textcall import TextCall
from appliance.types import Intent, Language, Stage, Understanding

NOTHING = "nothing"
"""What a caller means who is not understood."""


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
    intent: str | None = None
    outcome: str | None = None
    does: Names | None = None
    actions: dict[str, dict[str, str]] | None = None
    never: Names = ()
    refused: str | None = None


def _pair(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _as_json(value: Any) -> Any:
    """A fact of type `data` may be written as YAML."""
    return json.dumps(value) if isinstance(value, dict | list) else value


Value = Annotated[
    str, BeforeValidator(_as_json, json_schema_input_type=str | dict[str, Any] | list[Any])
]

_EVENTS = ("starts", "says", "means", "digits", "silence", "fails", "tool", "hangs_up")


class Step(_Part):
    """One event of the caller's side, with what must come of it. Exactly one event is set."""

    starts: bool = False
    says: str | None = None
    means: str | None = None
    digits: str | None = None
    silence: bool = False
    fails: Stage | None = None
    tool: Annotated[tuple[str, str] | None, BeforeValidator(_pair)] = None
    hangs_up: bool = False
    checks: dict[str, str] = {}
    facts: dict[str, Value] = {}
    unheard: Names = Field((), description="Of these the caller has not heard all (`must_hear`)")
    last_turn: bool = False
    expect: Expected = Expected()

    @model_validator(mode="after")
    def _one_event(self) -> Self:
        given = [name for name in _EVENTS if getattr(self, name) not in (None, False)]
        if len(given) != 1:
            raise ValueError(f"give one of {', '.join(_EVENTS)}, not {given}")
        return self

    def play(self, call: TextCall) -> Turn:
        """Give the event to a call."""
        if self.last_turn:
            call.skips_to_last_turn()
        if self.says is not None:
            return call.says(self.says, unheard=self.unheard)
        event = self._event(call.flow.flow, tuple(self._checked(call)))
        return call.take(replace(event, unheard=self.unheard))

    def _event(self, flow: Flow, checked: tuple[Checked, ...]) -> Event:
        if self.means is not None:
            intents = () if self.means == NOTHING else (Intent(self.means, 1.0),)
            return Heard(Understanding(self.means, intents), checked=checked)
        if self.digits is not None:
            return Digits(self.digits, checked=checked)
        if self.fails is not None:
            return EngineFailed(self.fails, checked=checked)
        if self.tool is not None:
            facts = given(flow, *self.tool, self.facts)
            return ToolDone(*self.tool, facts=facts, checked=checked)
        if self.silence:
            return NoInput(checked=checked)
        return HungUp(checked=checked) if self.hangs_up else CallStarted(checked=checked)

    def _checked(self, call: TextCall) -> Iterator[Checked]:
        flow = call.flow.flow
        for check, outcome in self.checks.items():
            declared = flow.checks[check]
            names = {
                *declared.produces.get(outcome, ()),
                *declared.may_produce.get(outcome, ()),
            }
            facts = {name: value for name, value in self.facts.items() if name in names}
            yield recorded(flow, check, outcome, facts)


class Scenario(_Part):
    """A dialogue with its outcome (none where another one goes on from it)."""

    name: str
    after: str | None = None
    number: str = Field("default", description="The account, by the caller's number")
    now: datetime = datetime.fromisoformat("2026-11-11T10:30:00-05:00")  # a Wednesday
    language: Language = "en"
    languages: tuple[Language, ...] = ()
    entry: dict[str, bool | Value] = {}
    steps: tuple[Step, ...]
    outcome: str | None = None


def load_scenarios(path: Path) -> dict[str, Scenario]:
    """Read a file of scenarios, by name.

    Raises:
        ConfigError: unreadable, not scenarios, or one that builds on none.
    """
    try:
        # BaseLoader: everything is text, so that "no" and 2026-11-13 stay what they are
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506
        scenarios = TypeAdapter(list[Scenario]).validate_python(data or [])
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: {error}") from error
    except ValidationError as error:
        raise ConfigError(describe(path, error)) from error
    named = {scenario.name: scenario for scenario in scenarios}
    for scenario in scenarios:
        if named[scenario.name] is not scenario:
            raise ConfigError(f"{path}: {scenario.name}: is there twice")
        if scenario.after is not None and scenario.after not in named:
            raise ConfigError(f"{path}: {scenario.name}: after: no scenario {scenario.after}")
        if _follows_itself(scenario, named):
            raise ConfigError(f"{path}: {scenario.name}: after: goes on from itself")
    return named


def bind_scenario(scenario: Scenario, flow: Flow, account: Mapping[str, Any]) -> CallFlow:
    """The flow bound as a scenario wants it: its languages and what is known at the start.

    Raises:
        ConfigError: the flow has no such language, or does not take such an entry.
    """
    entry = {
        name: value == "true" if flow.spec.facts.get(name) == "flag" else value
        for name, value in scenario.entry.items()
    }
    return flow.bind(
        scenario.name, account, scenario.language, languages=scenario.languages, entry=entry
    )


def _follows_itself(scenario: Scenario, among: Mapping[str, Scenario]) -> bool:
    seen, before = set(), scenario.after
    while before is not None and before not in seen:
        seen.add(before)
        before = among[before].after if before in among else None
    return before is not None


def all_steps(scenario: Scenario, among: Mapping[str, Scenario]) -> tuple[Step, ...]:
    """A scenario's steps after those of the one that it goes on from, and so on."""
    before = all_steps(among[scenario.after], among) if scenario.after else ()
    return (*before, *scenario.steps)


def play(scenario: Scenario, among: Mapping[str, Scenario], call: TextCall) -> Iterator[Turn]:
    """Play a scenario on a fresh call, turn by turn.

    Raises:
        AssertionError: a turn is not as expected; the message names the step.
    """
    steps = all_steps(scenario, among)
    for number, step in enumerate(steps, 1):
        where = f"{scenario.name}, step {number}"
        try:
            turn = step.play(call)
        except FaultyFlowError as error:
            if step.expect.refused != str(error):
                raise AssertionError(f"{where}: refused: {error}") from error
            return
        wrong = differences(step.expect, turn, call)
        if wrong:
            raise AssertionError(f"{where}: {'; '.join(wrong)}")
        yield turn
    if scenario.outcome != call.state.outcome:
        ended = call.state.outcome
        raise AssertionError(f"{scenario.name}: outcome {ended}, not {scenario.outcome}")


def differences(expected: Expected, turn: Turn, call: TextCall) -> list[str]:
    """What of a turn is not as expected."""
    prompts = tuple(prompt.id for prompt in turn.say)
    event = call.events[-1]
    top = event.understanding.top if isinstance(event, Heard) else None
    got = {
        "say": prompts,
        "asks": prompts[-1] if prompts else None,
        "state": turn.state.current,
        "phase": turn.state.phase,
        "slot": turn.listen.slot,
        "reply": turn.reply,
        "intent": top.name if top else None,
        "outcome": turn.state.outcome,
        "does": tuple(action.name for action in turn.actions),
        "actions": {action.name: dict(action.args) for action in turn.actions},
        "refused": None,
    }
    wanted = expected.model_dump(exclude={"never"}, exclude_none=True)
    wrong = [
        f"{name} is {got[name]!r}, not {value!r}"
        for name, value in wanted.items()
        if got[name] != value
    ]
    said = turn.text.lower()
    return wrong + [f"says {word!r}" for word in expected.never if word.lower() in said]
