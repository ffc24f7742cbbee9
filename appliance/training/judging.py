"""Judges an understanding by examples that nobody trained on, and a new model by the old one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from appliance.dialogue.checks import CONFIDENT
from appliance.nlu.hybrid import GUARDED
from appliance.nlu.model import CONTENT, IntentModel
from appliance.nlu.understander import Context, Understander
from appliance.training.evaluation import Answer, Evaluation, Read, evaluate
from appliance.training.examples import Example, read_examples
from appliance.types import Intent

_LEAST_EXAMPLES = 5
"""A guarded intent with fewer held-out examples says nothing."""


def by_model(model: IntentModel) -> Read:
    """The model alone."""

    def read(example: Example) -> Answer:
        reading = model.read(example.text, example.slot)
        return reading.intents, reading.out_of_scope

    return read


def by_understander(understander: Understander) -> Read:
    """The whole understanding, in the example's own language.

    Where it hears no intent, and does not call the utterance out of scope, it has heard content.
    """

    def read(example: Example) -> Answer:
        found = understander.understand(example.text, Context(example.slot, example.language))
        heard = tuple(each for each in found.intents if each.confidence >= CONFIDENT)
        if not heard and not found.out_of_scope:
            return (Intent(CONTENT, CONFIDENT),), False
        return heard, found.out_of_scope or not heard

    return read


def heldout(folders: Iterable[Path]) -> list[Example]:
    """The examples to judge by, of several folders.

    Raises:
        ConfigError: a folder has none, or a file is not of the form.
    """
    return [example for folder in folders for example in read_examples(folder)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a model may be installed, and why not."""

    worse: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """Whether it is not worse on anything that is guarded."""
        return not self.worse


def compare(new: Evaluation, old: Evaluation) -> Verdict:
    """Judge a model by the one that is installed, on the same examples.

    Worse is: a guarded intent that is missed more often, or all of them together heard more often
    where they are not said.
    """
    worse = []
    for name in GUARDED:
        before, after = old.guards[name], new.guards[name]
        if after.said >= _LEAST_EXAMPLES and len(after.missed) > len(before.missed):
            more = [example.text for example in after.missed if example not in before.missed]
            worse.append(
                f"{name}: missed {len(after.missed)} of {after.said}, before {len(before.missed)}; "
                f"now for instance: {'; '.join(map(repr, more[:3]))}"
            )
    alarms = sum(len(guard.false) for guard in new.guards.values())
    before_alarms = sum(len(guard.false) for guard in old.guards.values())
    if alarms > before_alarms:
        worse.append(f"false alarms of guarded intents: {alarms}, before {before_alarms}")
    return Verdict(tuple(worse))


def in_parts(examples: Sequence[Example], read: Read) -> dict[str, Evaluation]:
    """The figures for each language that the examples are of, and for all."""
    found = {"all": evaluate(examples, read)}
    languages = sorted({example.language for example in examples})
    for language in languages if len(languages) > 1 else ():
        chosen = [example for example in examples if example.language == language]
        found[language] = evaluate(chosen, read)
    return found
