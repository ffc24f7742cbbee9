"""The knobs of fine-tuning that matter, all in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """The knobs that matter.

    Attributes:
        epochs: passes over the examples.
        batch: texts a step.
        rate: of the encoder's weights, at its height.
        head_rate: of the classifier's.
        decay: what each layer further from the end learns less by (0.9: a tenth).
        dropout: share of values that are left out.
        binary: weight of the binary loss.
        smoothing: share of a label that is spread over the others.
        words: whether the table of words learns too.
        threads: processor threads.
        seed: of the order and the dropout.
    """

    epochs: int = 5
    batch: int = 32
    rate: float = 1e-4
    head_rate: float = 5e-4
    decay: float = 0.9
    dropout: float = 0.1
    binary: float = 1.0
    smoothing: float = 0.05
    words: bool = False
    threads: int = 1
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, and the numbers of the intents that are said in it, the first before all."""

    text: str
    labels: tuple[int, ...]


OWN = Settings(rate=2e-4, words=True)
"""For the model of the flows: many short texts in two languages, one of them new to the encoder."""
