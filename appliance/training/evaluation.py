"""How well utterances are understood: accuracy, what must never be missed, and what goes wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from appliance.dialogue.checks import CONFIDENT
from appliance.nlu.hybrid import GUARDED
from appliance.training.calibration import expected_error
from appliance.training.examples import OUT_OF_SCOPE, Example
from appliance.types import Intent

Answer = tuple[Sequence[Intent], bool]
"""The intents that are read, best first, and whether the utterance is out of scope."""
Read = Callable[[Example], Answer]


@dataclass(frozen=True, slots=True)
class Mistake:
    """An example whose first intent is another than what it means."""

    example: Example
    found: str
    confidence: float

    @property
    def meant(self) -> str:
        """The intent it should have been."""
        return _meant(self.example)


@dataclass(frozen=True, slots=True)
class Guard:
    """How a guarded intent fares: `missed` of `said`, and `false` alarms of `others`."""

    said: int
    missed: tuple[Example, ...]
    others: int
    false: tuple[Example, ...]

    @property
    def recall(self) -> float:
        """The share that is heard; 1 where it is never said."""
        return 1 - len(self.missed) / self.said if self.said else 1.0

    @property
    def false_alarms(self) -> float:
        """The share of other utterances in which it is heard."""
        return len(self.false) / self.others if self.others else 0.0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of a run.

    Attributes:
        examples: how many there were.
        inside: how many of them are in scope.
        first: share of those in scope whose intent ranks first, whatever the verdict.
        accepted: the same, and the verdict is "in scope".
        outside: share of those out of scope with the verdict "out of scope"; None without any.
        also: share of what is said besides that is found with confidence; None without any.
        calibration: expected calibration error of the first intent's confidence.
        guards: by guarded intent.
        by_intent: for each intent its examples, how many are found first, and how often it is
            found first where another is meant.
        mistakes: the surest first.
        confused: how often one intent was taken for another.
    """

    examples: int
    inside: int
    first: float
    accepted: float
    outside: float | None
    also: float | None
    calibration: float
    guards: dict[str, Guard]
    by_intent: dict[str, tuple[int, int, int]]
    mistakes: tuple[Mistake, ...]
    confused: tuple[tuple[str, str, int], ...]

    @property
    def guarded_recall(self) -> float:
        """Over all guarded intents together."""
        said = sum(guard.said for guard in self.guards.values())
        missed = sum(len(guard.missed) for guard in self.guards.values())
        return 1 - missed / said if said else 1.0

    @property
    def false_alarms(self) -> float:
        """The share of utterances in which a guarded intent is heard that is not said."""
        heard = {example for guard in self.guards.values() for example in guard.false}
        return len(heard) / self.examples if self.examples else 0.0

    def as_json(self) -> dict[str, object]:
        """The figures without the utterances."""
        return {
            "examples": self.examples, "in_scope": self.inside,
            "accuracy": round(self.first, 4), "accuracy_accepted": round(self.accepted, 4),
            "out_of_scope_recall": self.outside if self.outside is None else round(self.outside, 4),
            "also_recall": self.also if self.also is None else round(self.also, 4),
            "calibration_error": round(self.calibration, 4),
            "guarded_recall": round(self.guarded_recall, 4),
            "guarded_false_alarms": round(self.false_alarms, 4),
            "guarded": {
                name: {"said": guard.said, "recall": round(guard.recall, 4),
                       "false_alarms": round(guard.false_alarms, 4)}
                for name, guard in self.guards.items()
            },
            "by_intent": {
                name: {"examples": count, "right": right, "false": false}
                for name, (count, right, false) in self.by_intent.items()
            },
        }  # fmt: skip


def evaluate(examples: Sequence[Example], read: Read) -> Evaluation:
    """Read every example and count.

    Args:
        examples: what is read.
        read: the understanding that is judged.
    """
    answers = [read(example) for example in examples]
    firsts = [_first(intents) for intents, _ in answers]
    rows = list(zip(examples, answers, firsts, strict=True))
    inside = [row for row in rows if row[0].intents]
    outside = [row for row in rows if not row[0].intents]
    right = np.array([first[0] == _meant(example) for example, _, first in inside], bool)
    accepted = np.array([not answer[1] for _, answer, _ in inside], bool)
    surest = np.array([first[1] for _, _, first in inside], np.float32)
    wrong = [row for row, ok in zip(inside, right, strict=True) if not ok]
    wrong += [row for row in outside if not row[1][1]]
    mistakes = [Mistake(example, *first) for example, _, first in wrong]
    also = [
        each in _confident(answer[0])
        for example, answer, _ in inside
        for each in example.intents[1:]
    ]
    pairs = Counter((each.meant, each.found) for each in mistakes)
    return Evaluation(
        examples=len(rows),
        inside=len(inside),
        first=float(right.mean()) if len(right) else 0.0,
        accepted=float((right & accepted).mean()) if len(right) else 0.0,
        outside=float(np.mean([row[1][1] for row in outside])) if outside else None,
        also=float(np.mean(also)) if also else None,
        calibration=expected_error(surest, right) if len(right) else 0.0,
        guards={name: _guard(name, rows) for name in GUARDED},
        by_intent=_by_intent(inside),
        mistakes=tuple(sorted(mistakes, key=lambda each: -each.confidence)),
        confused=tuple((meant, found, count) for (meant, found), count in pairs.most_common()),
    )


def _meant(example: Example) -> str:
    return example.intents[0] if example.intents else OUT_OF_SCOPE


def _first(intents: Sequence[Intent]) -> tuple[str, float]:
    return (intents[0].name, intents[0].confidence) if intents else ("", 0.0)


def _confident(intents: Sequence[Intent]) -> set[str]:
    return {intent.name for intent in intents if intent.confidence >= CONFIDENT}


def _guard(name: str, rows: Sequence[tuple[Example, Answer, tuple[str, float]]]) -> Guard:
    """A guarded intent is heard where its confidence suffices, whatever ranks first."""
    heard = [(example, name in _confident(answer[0])) for example, answer, _ in rows]
    return Guard(
        said=sum(name in example.intents for example, _ in heard),
        missed=tuple(each for each, found in heard if name in each.intents and not found),
        others=sum(name not in example.intents for example, _ in heard),
        false=tuple(each for each, found in heard if name not in each.intents and found),
    )


def _by_intent(
    rows: Sequence[tuple[Example, Answer, tuple[str, float]]],
) -> dict[str, tuple[int, int, int]]:
    count = Counter(_meant(example) for example, _, _ in rows)
    right = Counter(_meant(example) for example, _, first in rows if first[0] == _meant(example))
    false = Counter(first[0] for example, _, first in rows if first[0] != _meant(example))
    return {name: (count[name], right[name], false[name]) for name in sorted(count)}
