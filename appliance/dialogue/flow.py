"""A loaded flow, and a flow bound to one call.

    flow.yaml + prompts.*.yaml + checks.py --loader--> Flow --bind(call, account)--> CallFlow

The account's data lives in the `CallFlow` and nowhere else: not in the state, not in the log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

from appliance.dialogue.checks import Check
from appliance.dialogue.schema import Decision, Expectation, FlowSpec, PromptSpec
from appliance.dialogue.speech import SHARES, parse_money, share_of, speak
from appliance.dialogue.turn import Listen, Prompt, Segment, State
from appliance.errors import ConfigError

_SHORTEST_PRIVATE = 3


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt's text cut at its variables, with every fact that must hold before it is said."""

    id: str
    parts: tuple[Segment, ...]
    uninterruptible: bool
    after: frozenset[str]

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of its variables, in order."""
        return tuple(part.slot for part in self.parts if part.slot)

    @property
    def shown(self) -> str:
        """The text with `[name]` in place of each variable: for people and for logs."""
        return "".join(f"[{part.slot}]" if part.slot else part.text for part in self.parts)


def parse_template(name: str, prompt: PromptSpec, spec: FlowSpec) -> Template:
    """Cut a prompt's text at its `{variables}`.

    Raises:
        ValueError: unbalanced braces, or more than a name inside them.
    """
    parts: list[Segment] = []
    for text, variable, style, conversion in Formatter().parse(" ".join(prompt.text.split())):
        if text:
            parts.append(Segment(text))
        if variable is not None:
            if style or conversion or not variable.isidentifier():
                raise ValueError(f"{{{variable}}} is not a variable's name")
            parts.append(Segment("", variable))
    names = {part.slot for part in parts if part.slot}
    names |= {spec.variables[name].share_of or name for name in names & set(spec.variables)}
    after = {secret.after for name, secret in spec.secrets.items() if name in names}
    if prompt.after:
        after.add(prompt.after)
    return Template(name, tuple(parts), prompt.uninterruptible, frozenset(after))


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow that passed its checks at load. `hash` covers flow.yaml and all prompts."""

    spec: FlowSpec
    templates: Mapping[str, Mapping[str, Template]]
    checks: Mapping[str, Check]
    hash: str

    @property
    def name(self) -> str:
        """The flow's name."""
        return self.spec.flow

    def bind(self, call_id: str, account: Mapping[str, Any], language: str = "en") -> CallFlow:
        """This flow for one call.

        Raises:
            ConfigError: the language is missing, or the account lacks a variable of the flow.
        """
        if language not in self.templates:
            raise ConfigError(f"flow {self.name}: no prompts.{language}.yaml")
        for name, pattern in self.spec.requires.items():
            value = account.get(name)
            if not isinstance(value, str) or not re.fullmatch(pattern, value):
                raise ConfigError(
                    f"account for flow {self.name}: {name}: must be text of the form {pattern}"
                )
        for name, variable in self.spec.variables.items():
            if variable.source == "account":
                try:
                    speak(account.get(name), variable.type)
                except ValueError as error:
                    raise ConfigError(f"account for flow {self.name}: {name}: {error}") from error
        return CallFlow(self, call_id, account, language)


@dataclass(frozen=True, slots=True)
class CallFlow:
    """A flow with this call's identity, account and language: the first argument of `step`."""

    flow: Flow
    call_id: str
    account: Mapping[str, Any] = field(repr=False)
    language: str = "en"

    def open(self) -> State:
        """The state before `CallStarted`."""
        return State(flow=self.flow.name, flow_hash=self.flow.hash)

    def render(self, name: str, facts: Mapping[str, bool | str]) -> Prompt:
        """A prompt with its variables filled in.

        Raises:
            PermissionError: a condition of the prompt or of a secret in it does not hold. The
                loader proves that no route does this, so it is a bug, and it must end the call.
        """
        template = self.flow.templates[self.language][name]
        missing = [fact for fact in template.after if facts.get(fact) is not True]
        if missing:
            raise PermissionError(f"prompt {name} before {', '.join(missing)}")
        parts = tuple(
            Segment(self._spoken(part.slot, facts), part.slot) if part.slot else part
            for part in template.parts
        )
        text = "".join(part.text for part in parts)
        return Prompt(name, text, parts, template.uninterruptible)

    def private_words(self) -> frozenset[str]:
        """The words of the account's texts (names above all), lower case: they stay out of logs."""
        texts = (str(value) for value in self.account.values() if isinstance(value, str))
        words = {word for text in texts for word in re.findall(r"[^\W\d_]+", text.lower())}
        return frozenset(word for word in words if len(word) >= _SHORTEST_PRIVATE)

    def value(self, name: str, facts: Mapping[str, bool | str]) -> object:
        """A variable's or a fact's value; a share of an account variable is worked out here."""
        variable = self.flow.spec.variables.get(name)
        if variable is not None and variable.source == "account":
            return self.account[name]
        value = facts[name]
        if variable is not None and variable.share_of and value in SHARES:
            return share_of(parse_money(self.account[variable.share_of]), str(value))
        return value

    def _spoken(self, name: str, facts: Mapping[str, bool | str]) -> str:
        return speak(self.value(name, facts), self.flow.spec.variables[name].type)

    def listen(self, state: State) -> Listen:
        """What a state waits for."""
        spec = self.flow.spec.states.get(state.current)
        if state.ended or not isinstance(spec, Decision):
            return Listen(expects_reply=False)
        return _as_listen(spec.listen)


def _as_listen(expected: Expectation) -> Listen:
    keypad = expected.keypad
    return Listen(
        slot=expected.slot,
        patience_ms=expected.patience_ms,
        unfinished_ms=expected.unfinished_ms,
        min_digits=keypad.min if keypad else 0,
        max_digits=keypad.max if keypad else 0,
        interruptible=expected.barge_in,
        accepts_digits=keypad is not None,
    )
