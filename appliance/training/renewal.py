"""Trains a model anew, judges it as calls are understood, and takes it into use if it may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from appliance.config import UnderstandingConfig
from appliance.errors import ConfigError
from appliance.nlu.loading import open_model, open_understander
from appliance.nlu.model import CLASSIFIER, Classifier
from appliance.training.evaluation import Evaluation, evaluate
from appliance.training.examples import Example
from appliance.training.installing import install, kept_at
from appliance.training.judging import Verdict, by_understander, compare, in_parts
from appliance.training.trainer import Tell, Training, train
from appliance.workshop import workshop


@dataclass(frozen=True, slots=True)
class Renewal:
    """What came of it.

    Attributes:
        found: the new model's figures, for all and by language.
        classifier: what calibration has chosen.
        verdict: why it is not installed; accepted where no model was there before.
        kept: where the old model is now, if there was one and it was replaced.
        compared: the model that it was compared with; none where none could be opened.
        old: that model's figures.
    """

    found: dict[str, Evaluation]
    classifier: Classifier
    verdict: Verdict
    kept: Path | None
    compared: Path | None = None
    old: Evaluation | None = None


def renew(training: Training, target: Path, judges: Sequence[Example], tell: Tell) -> Renewal:
    """Train, judge with the rules before the model, compare with the installed one, install.

    Raises:
        ConfigError: it cannot be trained or written; the installed model is as it was.
    """
    with workshop(target) as folder:
        classifier = train(training, folder, tell)
        found = in_parts(judges, by_understander(open_understander(_with(folder))))
        verdict, old = Verdict(()), None
        before = _before(target)
        if before:
            tell("judging the installed model", 0, 1)
            old = evaluate(judges, by_understander(open_understander(_with(before))))
            tell("judging the installed model", 1, 1)
            verdict = compare(found["all"], old)
        whole = before in (target, None)
        kept = install(folder, target, keep=whole) if verdict.accepted else None
    return Renewal(found, classifier, verdict, kept, before, old)


def _before(target: Path) -> Path | None:
    """The model to compare with: the installed one, or the one before if that was cut short."""
    for folder in (target, kept_at(target)):
        if (folder / CLASSIFIER).is_file():
            try:
                open_model(_with(folder))
            except ConfigError:
                continue
            return folder
    return None


def _with(folder: Path) -> UnderstandingConfig:
    return UnderstandingConfig(model=folder)
