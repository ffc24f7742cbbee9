"""The intent model: a small encoder with a linear classifier, calibrated.

    slot + words -> encoder -> vector [384] -> scores [labels] -> confidence of each intent
                                                               -> energy -> out of scope or not

Each intent has a confidence of its own, so two can be said at once, and none. A model is a folder:
`encoder.onnx`, `tokenizer.json`, and `classifier.npz`, which any backend of the encoder shares.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from appliance.dialogue.checks import CONFIDENT
from appliance.dialogue.intents import first_in_rank
from appliance.dialogue.schema import Slot
from appliance.errors import ConfigError
from appliance.types import Intent

Vector = npt.NDArray[np.float32]

CLASSIFIER = "classifier.npz"
CONTENT = "content"
"""The label of an answer that holds only a value: a date, a name. No intent comes of it."""
_LEAST = 0.05
"""Below this a confidence is not worth telling, but for the likeliest."""


class Encoder(Protocol):
    """Text in, vector out; see `appliance.knowledge.encoder`."""

    def encode(self, text: str) -> Vector:
        """The vector of a text. Raises EngineError."""
        ...


@dataclass(frozen=True, slots=True)
class Classifier:
    """What stands after the encoder.

    Attributes:
        labels: names of the classes.
        weight: float32 [labels, 384]; `bias`: [labels].
        temperature: scores are divided by it, so that confidences are frequencies.
        threshold: an energy below it is out of scope.
        encoder: which encoder it belongs to (`appliance.nlu.loading.encoder_digest`).
        about: whatever the trainer tells of itself (date, figures, settings).
    """

    labels: tuple[str, ...]
    weight: Vector
    bias: Vector
    temperature: float = 1.0
    threshold: float = -np.inf
    encoder: str = ""
    about: dict[str, Any] = field(default_factory=dict)

    def scores(self, vectors: Vector) -> Vector:
        """Scores [..., labels] of vectors [..., 384]."""
        found: Vector = vectors @ self.weight.T + self.bias
        return found

    def confidences(self, scores: Vector) -> Vector:
        """How likely each intent is said, each by itself."""
        found: Vector = 1 / (1 + np.exp(-np.clip(scores / self.temperature, -30, 30)))
        return found

    def save(self, folder: Path) -> None:
        """Write `classifier.npz`."""
        settings = {
            key: value for key, value in asdict(self).items() if key not in ("weight", "bias")
        }
        with (folder / CLASSIFIER).open("wb") as target:
            np.savez(
                target, weight=self.weight, bias=self.bias,
                settings=np.frombuffer(json.dumps(settings).encode(), np.uint8),
            )  # fmt: skip

    @classmethod
    def load(cls, folder: Path) -> Classifier:
        """Read `classifier.npz`.

        Raises:
            ConfigError: it is missing or none.
        """
        path = folder / CLASSIFIER
        try:
            with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as stored:
                settings = json.loads(stored["settings"].tobytes())
                weight, bias = stored["weight"], stored["bias"]
            loaded = cls(
                **{**settings, "labels": tuple(settings["labels"])}, weight=weight, bias=bias
            )
            whole = loaded.temperature > 0 and loaded.threshold < np.inf
            whole &= all(part.dtype == np.float32 and np.isfinite(part).all()
                         for part in (weight, bias))  # fmt: skip
        except Exception as error:  # those of numpy, zipfile and zlib share no base class
            raise ConfigError(
                f"{path}: not a classifier that this program has written: {error}"
            ) from error
        count = (len(loaded.labels),)
        if not whole or weight.ndim != 2 or not bias.shape == weight.shape[:1] == count:
            raise ConfigError(
                f"{path}: {weight.shape} weights for {len(loaded.labels)} labels, or no numbers"
            )
        return loaded


def energy(scores: Vector) -> Vector:
    """The logarithm of the sum of the scores' exponentials: high where any intent fits."""
    highest = scores.max(-1, keepdims=True)
    found: Vector = np.log(np.exp(scores - highest).sum(-1)) + highest[..., 0]
    return found


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model makes of an utterance: intents in order, and whether it is none of them."""

    intents: tuple[Intent, ...]
    out_of_scope: bool


class IntentModel:
    """Reads intents. Deterministic for one file and one processor type; serves all threads."""

    def __init__(self, encoder: Encoder, classifier: Classifier) -> None:
        """Put the parts together.

        Raises:
            ConfigError: they are not of one width.
        """
        width = len(encoder.encode("ready"))
        if classifier.weight.shape[1] != width:
            raise ConfigError(
                "understanding.model: the classifier reads vectors of "
                f"{classifier.weight.shape[1]}, the encoder gives {width}: they are of two models"
            )
        self._encoder, self.classifier = encoder, classifier

    def read(self, text: str, slot: Slot | None = None) -> Reading:
        """Read an utterance in the light of what was asked.

        Raises:
            EngineError: the encoder failed.
        """
        scores = self.classifier.scores(self._encoder.encode(in_context(text, slot)))
        outside = bool(energy(scores) < self.classifier.threshold)
        return Reading(self._ranked(scores, outside=outside), outside)

    def _ranked(self, scores: Vector, *, outside: bool) -> tuple[Intent, ...]:
        confidences = self.classifier.confidences(scores)
        best = int(scores.argmax())
        if not outside:  # it is one of the intents: the likeliest is as sure as the others leave it
            shares = np.exp((scores - scores[best]) / self.classifier.temperature)
            confidences[best] = max(confidences[best], 1 / shares.sum())
        found = [
            Intent(self.classifier.labels[n], round(float(confidences[n]), 3))
            for n in np.argsort(-confidences, kind="stable")
            if confidences[n] >= _LEAST or n == best
        ]
        return in_order(found)


def in_order(found: Iterable[Intent]) -> tuple[Intent, ...]:
    """Intents in the order to act on: what is said surely by its rank, then by confidence."""
    ranked = sorted(found, key=lambda intent: -intent.confidence)
    sure = first_in_rank(tuple(each.name for each in ranked if each.confidence >= CONFIDENT))
    place = {name: number for number, name in enumerate(sure)}
    return tuple(sorted(ranked, key=lambda intent: place.get(intent.name, len(place))))


def in_context(text: str, slot: Slot | None) -> str:
    """The words as the encoder reads them: after what was asked, if anything was."""
    return f"{slot.replace('_', ' ')} : {text}" if slot else text
