"""The properties of a flow as a watcher sees them: what to remember, and what sets off an alarm.

Monitors are small registers beside the call's own: whether a prompt was said, a tool had an
outcome, how often something happened. They change nothing in the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from appliance.dialogue.flow import Flow
from appliance.dialogue.properties import AtMost, Condition, Never, Past, Property, finds_word
from appliance.types import Language

ENDS = "every way ends with exactly one outcome, within the limit of turns"
ROUTED = "every event comes to a question, a tool or an end"
CONDITIONS = "nothing is said or given to a tool before its conditions hold"
KNOWN_FIRST = "no variable is used before its value is known"
OBLIGED = "what must be heard and was cut off is said again before the flow goes on"
ANSWERED = "nothing that the caller does is answered with silence"
AUTOMATION = "asked whether it is automated, it says so in that very turn"
USED = "every state, prompt and route is used"
STRUCTURE = "tools are called from states that list them, and nothing else ends a call"
LANGUAGES = "every prompt has its text in every language"

BUILT_IN = (
    CONDITIONS, KNOWN_FIRST, STRUCTURE, ROUTED, ENDS, AUTOMATION, OBLIGED, ANSWERED, LANGUAGES,
    USED,
)  # fmt: skip
"""What is proven of every flow. STRUCTURE and LANGUAGES hold of every flow that loads."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A property that does not hold, and what happened instead."""

    title: str
    detail: str


OWED, HEARD = 1, 2
"""What the register of an obligation says: it was said, or also heard to its end."""


def monitors_of(past: Past) -> Mapping[str, int]:
    """The registers that remember whether something has happened, each with what it then says."""
    if past.heard:
        return {f"heard {name}": HEARD for name in past.heard}
    return {f"said {past.said}" if past.said else f"done {past.done}": 1}


class Watch:
    """A flow's own properties, indexed by what can break them."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._properties = flow.spec.properties
        self.nevers = [(each.title, each.never) for each in self._properties if each.never]
        self.whenevers = [(each.title, each.whenever) for each in self._properties if each.whenever]
        self.mosts = [(each.title, each.at_most) for each in self._properties if each.at_most]
        pasts = _pasts(never for _, never in self.nevers)
        self.hearings = tuple(past.heard for past in pasts if past.heard)
        """The prompts of which a property wants the last one heard."""
        self.monitors = self._monitors()
        """The registers to keep, with the highest number of each."""
        self._said = {
            (language, prompt): self._never_said(language, prompt)
            for language, texts in flow.templates.items()
            for prompt in texts
        }

    def _monitors(self) -> Mapping[str, int]:
        found = {f"heard {name}": OWED for name in self.flow.obligations.all}
        for past in _pasts(never for _, never in self.nevers):
            found |= monitors_of(past)
        found |= {f"times {title}": most.times + 1 for title, most in self.mosts}
        return found

    @property
    def conditions(self) -> frozenset[str]:
        """The facts that properties look at."""
        conditions = (each for _, n in self.nevers for each in (n.before, n.after))
        return frozenset(f"fact {each}" for each in conditions if isinstance(each, str))

    def saying(self, language: Language, prompt: str) -> list[tuple[str, Never, str]]:
        """The properties that speak of what a prompt says, with what it says."""
        return self._said[language, prompt]

    def _never_said(self, language: Language, prompt: str) -> list[tuple[str, Never, str]]:
        template = self.flow.templates[language][prompt]
        variables = {prompt, *template.variables}
        shares = (self.flow.spec.variables[each].share_of for each in template.variables)
        variables.update(each for each in shares if each)
        texts = list(template.proven)
        kinds = {self.flow.spec.variables[each].type for each in template.variables}
        if "passage" in kinds:  # it may say any of them
            passages = self.flow.passages.get(language, {}).values()
            texts += [text for each in passages for text in each.proven]
        text = " ".join(texts)
        found = []
        for title, never in self.nevers:
            hits = [name for name in never.say if name in variables]
            words = (*never.words.get(language, ()), *never.words.get("*", ()))
            hits += [word for word in words if finds_word(word, text)]
            if hits:
                found.append((title, never, f"{prompt} says {', '.join(hits)}"))
        return found

    def ends_within(self) -> Iterator[tuple[str, int]]:
        """The limits of turns that are to be proven."""
        for each in self._properties:
            if each.always_ends_within:
                yield each.title, each.always_ends_within


def counted(most: AtMost) -> tuple[str, str]:
    """What a property counts: the kind of thing and its name."""
    if most.say:
        return "say", most.say
    return ("tool", most.tool) if most.tool else ("state", most.state or "")


def titles(properties: Iterable[Property]) -> list[str]:
    """All that is to be proven, built-in properties first."""
    return [*BUILT_IN, *(each.title for each in properties)]


def describe(condition: Condition | None) -> str:
    """A condition as people read it."""
    if isinstance(condition, Past):
        if condition.heard:
            return f"{' or '.join(condition.heard)} was heard"
        return f"{condition.said} was said" if condition.said else f"{condition.done}"
    return condition or ""


def _pasts(nevers: Iterable[Never]) -> Iterator[Past]:
    for never in nevers:
        for condition in (never.before, never.after):
            if isinstance(condition, Past):
                yield condition
