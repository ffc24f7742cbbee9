"""From examples to a model folder: split, fit, quantize, calibrate.

examples -> fit part -> network -> int8 ONNX --> vectors -> temperature, threshold
         -> calibration part ------------------^
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from appliance.errors import ConfigError
from appliance.knowledge.encoder import SentenceEncoder
from appliance.nlu.loading import encoder_digest
from appliance.nlu.model import CLASSIFIER, Classifier, in_context
from appliance.training.calibration import calibrate
from appliance.training.examples import Example
from appliance.training.linear import fit_linear
from appliance.training.noise import Noise
from appliance.training.sampling import epoch
from appliance.training.settings import Sample, Settings

ENCODER, TOKENIZER = "encoder.onnx", "tokenizer.json"
CALIBRATION_SHARE = 0.06
"""So many lines are kept back to calibrate with, where there is no part for it."""
_FEWEST = 5
"""Examples of an intent; with fewer there is nothing to learn from."""
_ROUNDS = 2
"""Epochs of readings and noise that the classifier alone is fitted to."""

Tell = Callable[[str, int, int], None]
"""A stage of the work, how much of it is done, and of how much."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What is fitted to, and what is calibrated on; no line is in both."""

    fit: tuple[Example, ...]
    calibration: tuple[Example, ...]

    @classmethod
    def of(cls, examples: Sequence[Example], calibration: Sequence[Example] = ()) -> Parts:
        """Split by line, always alike, unless there is a part for it.

        No intent is kept back with its only line: it would not be learnt.
        """
        if calibration:
            return cls(tuple(examples), tuple(calibration))
        kept: tuple[list[Example], list[Example]] = ([], [])
        first: dict[str, str] = {}  # by its words, so that other lines may come and go
        for each in examples:
            words = first.setdefault(each.line or each.text, each.text)
            kept[crc32(words.encode()) / 2**32 < CALIBRATION_SHARE].append(each)
        fitted = {name for each in kept[0] for name in each.intents}
        only = [each for each in kept[1] if not fitted.issuperset(each.intents)]
        held = [each for each in kept[1] if fitted.issuperset(each.intents)]
        return cls((*kept[0], *only), tuple(held))

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes: every intent that is fitted to."""
        return tuple(sorted({name for each in self.fit for name in each.intents}))


@dataclass(frozen=True, slots=True)
class Training:
    """What a model is trained with.

    Attributes:
        parts: the examples.
        base: the folder whose encoder it begins with.
        settings: of the fine-tuning, which needs torch; None fits the classifier alone.
        noise: of the recognizer.
        about: what the model tells of its making.
    """

    parts: Parts
    base: Path
    settings: Settings | None
    noise: Noise = field(default_factory=Noise)
    about: dict[str, Any] = field(default_factory=dict)


def train(training: Training, output: Path, tell: Tell) -> Classifier:
    """Train a model into a folder that is there and empty.

    Raises:
        ConfigError: too few examples, no such base, or torch is missing.
    """
    labels = _checked(training)
    shutil.copyfile(training.base / TOKENIZER, output / TOKENIZER)
    if training.settings:
        weight, bias = _fine_tuned(training, training.settings, labels, output, tell)
    else:
        shutil.copyfile(training.base / ENCODER, output / ENCODER)
        weight, bias = _fitted(training, labels, tell)
    classifier = Classifier(labels, weight, bias)
    held = training.parts.calibration
    texts = [in_context(each.text, each.slot) for each in held]
    vectors = _vectors(SentenceEncoder(output), texts, "calibrating", tell)
    chosen = calibrate(classifier.scores(vectors), _numbers(labels, [e.intents for e in held]))
    classifier = replace(
        classifier,
        temperature=max(chosen.temperature, _least_temperature(training.base)),
        threshold=chosen.threshold,
        encoder=encoder_digest(output),
        about=training.about | _about(training),
    )
    classifier.save(output)
    return classifier


def _least_temperature(base: Path) -> float:
    """That of the model which is gone on from: its encoder may have seen what calibrates now.

    On what it has seen it is surer than it is right, and the temperature would come out too low.
    """
    return Classifier.load(base).temperature if (base / CLASSIFIER).is_file() else 0.0


def _checked(training: Training) -> tuple[str, ...]:
    """The labels, if there is enough to train with."""
    for name in (ENCODER, TOKENIZER):
        if not (training.base / name).is_file():
            raise ConfigError(
                f"{training.base / name} is missing: the base must be a model's folder"
            )
    labels = training.parts.labels
    if len(labels) < 2:
        raise ConfigError("examples of at least two intents are needed")
    for label in labels:
        count = sum(label in each.intents for each in training.parts.fit)
        if count < _FEWEST:
            raise ConfigError(f"{label}: {count} examples; at least {_FEWEST} are needed")
    if not training.parts.calibration:
        raise ConfigError("too few examples to keep some back for calibration")
    return labels


def _fine_tuned(
    training: Training, settings: Settings, labels: tuple[str, ...], output: Path, tell: Tell
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The encoder, written as int8, and the classifier after it."""
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415

        from appliance.training.fit import fit  # noqa: PLC0415 (torch and onnx: an extra)
        from appliance.training.network import load_network, write_quantized  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"fine-tuning needs what is not installed here ({error.name}): pip install "
            "'voice-appliance[intents]', or fit the classifier alone (--quick)"
        ) from error
    network = load_network(training.base / ENCODER, dropout=settings.dropout)
    tokenizer = Tokenizer.from_file(str(training.base / TOKENIZER))

    def samples(number: int) -> list[Sample]:
        said = epoch(training.parts.fit, number, training.noise)
        numbers = _numbers(labels, [each.intents for each in said])
        return [Sample(each.text, which) for each, which in zip(said, numbers, strict=True)]

    weight, bias = fit(
        network, tokenizer, samples, len(labels), settings,
        lambda done, total, loss: tell(f"training, loss {loss:.2f}", done, total),
    )  # fmt: skip
    tell("quantizing", 0, 1)
    write_quantized(network, output / ENCODER)
    tell("quantizing", 1, 1)
    return weight, bias


def _fitted(
    training: Training, labels: tuple[str, ...], tell: Tell
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The classifier alone, on vectors of the encoder as it is."""
    said = [
        each
        for number in range(_ROUNDS)
        for each in epoch(training.parts.fit, number, training.noise)
    ]
    said = list({(each.text, each.intents): each for each in said}.values())
    encoder = SentenceEncoder(training.base, setting="the base")
    vectors = _vectors(encoder, [each.text for each in said], "encoding", tell)
    tell("fitting", 0, 1)
    found = fit_linear(vectors, _numbers(labels, [each.intents for each in said]), len(labels))
    tell("fitting", 1, 1)
    return found


def _vectors(
    encoder: SentenceEncoder, texts: Sequence[str], stage: str, tell: Tell
) -> npt.NDArray[np.float32]:
    vectors = np.zeros((len(texts), encoder.width), np.float32)
    for number, text in enumerate(texts):
        vectors[number] = encoder.encode(text)
        if number % 200 == 0 or number == len(texts) - 1:
            tell(stage, number + 1, len(texts))
    return vectors


def _numbers(labels: tuple[str, ...], said: Sequence[tuple[str, ...]]) -> list[tuple[int, ...]]:
    place = {name: number for number, name in enumerate(labels)}
    return [tuple(place[name] for name in each if name in place) for each in said]


def _about(training: Training) -> dict[str, Any]:
    return {
        "examples": len(training.parts.fit),
        "lines": len({each.line or each.text for each in training.parts.fit}),
        "settings": asdict(training.settings) if training.settings else "classifier only",
    }
