"""Trains and judges on a public set, so that the trainer can be compared with published tables."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from appliance.knowledge.encoder import SentenceEncoder
from appliance.nlu.model import IntentModel
from appliance.training.evaluation import Evaluation, evaluate
from appliance.training.examples import Example
from appliance.training.judging import by_model
from appliance.training.noise import Noise
from appliance.training.public import PublicSet
from appliance.training.settings import Settings
from appliance.training.trainer import Parts, Tell, Training, train

_ROUNDS = 300
"""Readings whose time is taken."""
_WORDS = 12


def run(
    public: PublicSet, base: Path, settings: Settings | None, output: Path, tell: Tell
) -> tuple[Evaluation, dict[str, Any]]:
    """Train on a set and judge by its test part.

    Args:
        public: the set.
        base: the encoder to begin with.
        settings: of the fine-tuning; None for the classifier alone.
        output: an empty folder for the model.
        tell: told of the progress.

    Returns:
        the evaluation, and the same with timing and size as JSON values.
    """
    begun = time.perf_counter()
    training = Training(Parts.of(public.train, public.val), base, settings, Noise())
    classifier = train(training, output, tell)
    took = time.perf_counter() - begun
    model = IntentModel(SentenceEncoder(output), classifier)
    tell("judging", 0, 1)
    found = evaluate(public.test, by_model(model))
    tell("judging", 1, 1)
    told = {
        "set": public.name,
        "train": len(public.train),
        "test_part": "held back from the other parts" if public.held_back else "as published",
        **found.as_json(),
        "training_s": round(took),
        "size_mb": round(size_mb(output), 1),
        **speed(model, public.test),
    }
    return found, told


def size_mb(folder: Path) -> float:
    """Size of a model's files."""
    return sum(each.stat().st_size for each in folder.iterdir() if each.is_file()) / 1e6


def speed(model: IntentModel, examples: list[Example]) -> dict[str, float]:
    """Milliseconds to read an utterance of twelve words on one thread, all of it included."""
    words = " ".join(each.text for each in examples[:400]).split()
    texts = [
        " ".join(words[at : at + _WORDS]) for at in range(0, max(len(words) - _WORDS, 1), _WORDS)
    ]
    times = []
    for number in range(_ROUNDS):
        begun = time.perf_counter()
        model.read(texts[number % len(texts)])
        times.append(1000 * (time.perf_counter() - begun))
    return {
        "read_12_words_p50_ms": round(float(np.percentile(times, 50)), 2),
        "read_12_words_p95_ms": round(float(np.percentile(times, 95)), 2),
    }
