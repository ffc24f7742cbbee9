"""A loaded flow, and a flow bound to one call.

    flow.yaml + prompts.*.yaml + checks.py --loader--> Flow --bind(call, account)--> CallFlow

The account's data lives in the `CallFlow` and nowhere else: not in the state, not in the log.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from appliance.dialogue.checks import Check
from appliance.dialogue.declarations import PRIVATE_TYPES, FactType, FlowPart
from appliance.dialogue.faults import FaultyFlowError, UnknownError
from appliance.dialogue.grammar_es import before_noun
from appliance.dialogue.lexicon import said_of
from appliance.dialogue.markup import around_slot
from appliance.dialogue.obligations import Obligations, obligations_of
from appliance.dialogue.passages import Passages
from appliance.dialogue.routes import routes
from appliance.dialogue.schema import Decision, FlowSpec
from appliance.dialogue.secrets import Keyring, Vault
from appliance.dialogue.speech import SAMPLES, SHARES, parse_money, share_of, speak
from appliance.dialogue.templates import Template
from appliance.dialogue.turn import HandoffNote, Listen, Prompt, Segment, State
from appliance.dialogue.voicing import Voicing
from appliance.dialogue.waits import WAITS
from appliance.dialogue.ways import check_ways
from appliance.errors import ConfigError
from appliance.types import Language

_OVERRIDES = ("slot", "patience_ms", "unfinished_ms")
"""What a question of a form sets for itself."""
_SHORTEST_PRIVATE = 3

Facts = Mapping[str, bool | str]


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow whose parts fit together (see `names`); `checker` proves the rest.

    `hash` covers flow.yaml, all prompts, the code of the checks with their data, and a campaign
    that was laid over them. `seed`, if it has one, makes all calls choose the same variants.
    """

    spec: FlowSpec
    templates: Mapping[Language, Mapping[str, Template]]
    checks: Mapping[str, Check]
    hash: str
    folder: Path | None = None
    passages: Passages = field(default_factory=dict)
    data: Mapping[str, FlowPart] = field(default_factory=dict)
    campaign: str = ""
    seed: str | None = None
    route_paths: Mapping[int, str] = field(init=False, repr=False, compare=False)
    voicings: Mapping[Language, Voicing] = field(init=False, repr=False, compare=False)
    obligations: Obligations = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        said = {each: Voicing(each, self.spec.lexicon.get(each)) for each in self.templates}
        object.__setattr__(self, "voicings", said)
        paths = {id(route): ".".join(at) for at, route in routes(self.spec)}
        object.__setattr__(self, "route_paths", paths)
        object.__setattr__(self, "obligations", obligations_of(self.spec, self.templates))

    @property
    def name(self) -> str:
        """The flow's name."""
        return self.spec.flow

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages it has prompts in."""
        return tuple(self.templates)

    @property
    def needs_account(self) -> bool:
        """Whether a call is only possible with what an account holds."""
        sources = {each.source for each in self.spec.variables.values()}
        return bool(self.spec.requires) or "account" in sources

    def can_be(self, fact: str, value: object) -> bool:
        """Whether a check or a tool may give a fact this value; flags are set by routes alone."""
        kind, variable = self.spec.facts.get(fact, "flag"), self.spec.variables.get(fact)
        if kind == "flag":
            return False
        if variable is not None and variable.share_of and value in SHARES:
            return True
        if kind == "passage":
            return any(value in texts for texts in self.passages.values())
        try:
            return bool(_fact(value, kind, "en"))
        except ValueError:
            return False

    def voice_of(self, state: str) -> str | None:
        """The voice that speaks in a state, by name; None where the flow names no voices."""
        here = self.spec.states.get(state)  # none before the start
        return (here.voice if here else None) or next(iter(self.spec.voices), None)

    def parting(self, language: Language) -> Prompt | None:
        """What is said before a call is ended that the box cannot go on with, whoever calls."""
        name = self.spec.cut_off
        if name is None:
            return None
        unlocked = self.templates[language][name].unlock(Keyring({}))
        return unlocked.render(lambda place, _, __: place, 0, self.voice_of(self.spec.start))

    def bind(
        self,
        call_id: str,
        account: Mapping[str, Any],
        language: Language = "en",
        *,
        languages: Iterable[Language] | None = None,
        entry: Facts | None = None,
        seed: str | None = None,
    ) -> CallFlow:
        """This flow for one call.

        Args:
            call_id: names the call; idempotency keys and the choice among variants come from it.
            account: the data that variables and checks read.
            language: the first language of the call.
            languages: those that the box speaks; default: only `language`.
            entry: what is known at the start; the flow takes what it declares under `entry`.
            seed: chooses among variants in place of the flow's seed or `call_id`.

        Raises:
            ConfigError: a language is missing, or the account or entry lacks what the flow needs.
        """
        if language not in self.templates:
            raise ConfigError(f"flow {self.name}: no prompts.{language}.yaml")
        self._check_account(account, language)
        facts = self._entry_facts(entry or {}, language)
        after = {name: frozenset(each.after) for name, each in self.spec.secrets.items()}
        spoken = frozenset((language, *(languages or ()))) & set(self.templates)
        return CallFlow(
            self, call_id, Vault(account, after), language, spoken, facts,
            seed or self.seed or call_id,
        )  # fmt: skip

    def _check_account(self, account: Mapping[str, Any], language: Language) -> None:
        where = f"account for flow {self.name}"
        for name, pattern in self.spec.requires.items():
            value = account.get(name)
            if not isinstance(value, str) or not re.fullmatch(pattern, value):
                raise ConfigError(f"{where}: {name}: must be text of the form {pattern}")
        for name, variable in self.spec.variables.items():
            if variable.source == "account":
                try:
                    speak(account.get(name), variable.type, language)
                except ValueError as error:
                    raise ConfigError(f"{where}: {name}: {error}") from error
        try:
            check_ways(account, self.spec, self.templates)
        except ValueError as error:
            raise ConfigError(f"{where}: {error}") from error

    def _entry_facts(self, entry: Facts, language: Language) -> Facts:
        facts: dict[str, bool | str] = {}
        for name, need in self.spec.entry.items():
            value = entry.get(name)
            if value is None:
                if need == "required":
                    raise ConfigError(f"entry of flow {self.name}: {name}: is required")
                continue
            kind = self.spec.facts[name]
            try:
                if kind == "flag":
                    facts[name] = value is True
                else:
                    facts[name] = _fact(value, kind, language)
            except ValueError as error:
                raise ConfigError(f"entry of flow {self.name}: {name}: {error}") from error
        return facts

    @property
    def private_facts(self) -> Mapping[str, str]:
        """Facts that may be personal, each with what stands for its value in logs."""
        facts = self.spec.facts.items()
        return {
            name: SAMPLES[kind]
            for name, kind in facts
            if not isinstance(kind, tuple) and kind != "flag" and kind in PRIVATE_TYPES
        }


@dataclass(frozen=True, slots=True)
class CallFlow:
    """A flow with this call's identity, account and language: the first argument of `step`."""

    flow: Flow
    call_id: str
    vault: Vault
    language: Language = "en"
    languages: frozenset[Language] = frozenset({"en"})
    entry: Facts = field(default_factory=dict, repr=False)
    seed: str = ""

    @property
    def account_id(self) -> str:
        """The operator's own name for the account; empty if it has none."""
        return str(self.vault.for_checks().get("account_id", ""))

    def hand_over(self, flow: Flow, language: Language, entry: Facts) -> CallFlow:
        """Another flow for the same call, which goes on in this language.

        Raises:
            ConfigError: the account or the entry lacks what that flow needs.
        """
        account = self.vault.for_checks()
        return flow.bind(
            f"{self.call_id}/{flow.name}", account, language, languages=self.languages, entry=entry,
            seed=f"{self.seed}/{flow.name}",
        )  # fmt: skip

    def open(self, notes: tuple[HandoffNote, ...] = ()) -> State:
        """The state before `CallStarted`; `notes` come with a call that was handed over."""
        return State(
            flow=self.flow.name,
            flow_hash=self.flow.hash,
            language=self.language,
            facts=dict(self.entry),
            notes=notes,
        )

    def render(
        self, name: str, facts: Facts, language: Language, *, state: str = "", step: int = 0
    ) -> Prompt:
        """A prompt with its variables filled in, in the voice of a state.

        Raises:
            FaultyFlowError: a condition of the prompt or of a secret in it does not hold, or a
                variable is not known. The checker proves that no way leads here.
        """
        unlocked = self.flow.templates[language][name].unlock(Keyring(facts))
        pick = zlib.crc32(f"{self.seed}:{step}:{name}".encode())

        def spoken(place: Segment, keys: Keyring, after: str) -> Segment:
            slot = place.slot or ""
            kind, value = self.flow.spec.variables[slot].type, self._value(slot, facts, keys)
            if kind == "passage":  # approved text like the prompt's own, not a value
                passage = self.flow.passages[language][str(value)]
                return Segment(passage.text, speech=passage.speech)
            text, voicing = speak(value, kind, language), self.flow.voicings[language]
            if kind == "number" and language == "es" and not place.reading:
                text = before_noun(int(str(value)), after)
                return Segment(text, slot)
            if place.reading:
                said = voicing.read_value(value, kind, place.reading)
            else:
                said = voicing.value(value, kind, self._way(slot, language))
            return Segment(text, slot, around_slot(slot, said))

        return unlocked.render(spoken, pick, self.flow.voice_of(state))

    def holding(self, state: State) -> str | None:
        """The marked text that asks for patience here; None if the flow has none."""
        name = self.flow.spec.holding
        if name is None:
            return None
        return self.render(name, {}, state.language, state=state.current).speech

    def waiting(
        self, phrase: Literal["holding", "holding_again", "transferring"], state: State
    ) -> Prompt | None:
        """What is said to who waits; where the flow has no such phrase, the more general one."""
        spec = self.flow.spec
        again = spec.holding_again or spec.holding
        names = {"holding": spec.holding, "holding_again": again}
        name = names.get(phrase, spec.transferring or again)
        return self.render(name, {}, state.language, state=state.current) if name else None

    def applies(self, name: str, facts: Facts, language: Language) -> bool:
        """Whether a prompt is said where these facts hold; see `PromptSpec.only_if`."""
        return self.flow.templates[language][name].applies(facts.get)

    def text(self, name: str, facts: Facts, language: Language) -> str:
        """One of the flow's `texts`: those of its prompts that apply, rendered as one line.

        Raises:
            FaultyFlowError: one of them may not be said, or needs what is not known.
        """
        return " ".join(
            self.render(prompt, facts, language).text
            for prompt in self.flow.spec.texts[name]
            if self.applies(prompt, facts, language)
        )

    def texts(self, facts: Facts, language: Language) -> Mapping[str, str]:
        """The flow's `texts`, each made when it is asked for; those that may be said here."""
        return _Texts(self, facts, language)

    def takeaways(self, state: State) -> tuple[str, ...]:
        """What the flow sums a call up with, as texts. They may hold what the caller said."""
        return tuple(
            self.render(name, state.facts, state.language).text
            for name in self.flow.spec.takeaways
            if self.applies(name, state.facts, state.language)
        )

    def value(self, name: str, facts: Facts) -> object:
        """A variable's or a fact's value, for a tool; a secret one only once it may be known."""
        return self._value(name, facts, Keyring(facts))

    def _value(self, name: str, facts: Facts, keys: Keyring) -> object:
        variable = self.flow.spec.variables.get(name)
        if variable is not None and variable.source == "account":
            return self.vault.open(name, keys)
        if variable is not None and variable.value is not None:
            return variable.value
        value = facts.get(name)
        if value is None:
            raise UnknownError(f"{name} is not known yet")
        if variable is not None and variable.share_of and value in SHARES:
            return share_of(parse_money(self.vault.open(variable.share_of, keys)), str(value))
        return value

    def _way(self, variable: str, language: Language) -> str | None:
        """How this account wants a variable said, whose value is already unlocked."""
        if self.flow.spec.variables[variable].source != "account":
            return None
        return said_of(self.vault.for_checks(), variable, language)

    def private_words(self) -> frozenset[str]:
        """The words of the account's texts (names above all), lower case: they stay out of logs."""
        return frozenset(word for text in self.vault.texts() for word in words_of(text))

    def listen(self, state: State) -> Listen:
        """What a state waits for."""
        here = self.flow.spec.states.get(state.current)
        if state.ended or not isinstance(here, Decision):
            return Listen(language=state.language, expects_reply=False)
        asked = (each for each in here.asks if state.last_question in each.prompts)
        own = next(asked, None)
        given = own.model_dump(include={*_OVERRIDES}, exclude_none=True) if own else {}
        expected = here.listen.model_copy(update=given)
        usual = WAITS[expected.slot]
        keypad = (own.keypad if own else None) or here.listen.keypad
        keys = any(key.startswith("key.") for key in (*here.on, *self.flow.spec.universal))
        return Listen(
            slot=expected.slot,
            language=state.language,
            patience_ms=expected.patience_ms or usual.patience_ms,
            unfinished_ms=expected.unfinished_ms or usual.unfinished_ms,
            no_input_ms=expected.no_input_ms,
            min_digits=keypad.min if keypad else int(keys),
            max_digits=keypad.max if keypad else int(keys),
            interruptible=expected.barge_in,
            accepts_digits=keypad is not None or keys,
        )


class _Texts(Mapping[str, str]):
    """See `CallFlow.texts`."""

    def __init__(self, flow: CallFlow, facts: Facts, language: Language) -> None:
        self._flow, self._facts, self._language = flow, facts, language

    def __getitem__(self, name: str) -> str:
        try:
            return self._flow.text(name, self._facts, self._language)
        except FaultyFlowError as error:
            raise KeyError(name) from error

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._flow.flow.spec.texts if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _fact(value: object, kind: FactType | tuple[str, ...], language: Language) -> str:
    """A fact's value as the state keeps it; ValueError if it is not of its kind."""
    if kind == "data":
        json.loads(str(value))
    elif kind == "flag":
        raise ValueError("a flag is no value")
    elif not isinstance(kind, tuple):
        speak(value, kind, language)
    elif value not in kind:
        raise ValueError(f"not one of {', '.join(kind)}")
    return str(value)


def words_of(text: str) -> list[str]:
    """The words of a personal text that give it away, lower case; short ones are everybody's."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return [word for word in words if len(word) >= _SHORTEST_PRIVATE]
