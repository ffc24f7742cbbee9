"""Training examples of the acoustic model: token targets and padded batches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from models.voice.recipe.acoustic import repeat_by_duration
from models.voice.recipe.dataset import Utterance
from models.voice.recipe.settings import MEL_BANDS
from models.voice.recipe.text import Vocabulary

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Example:
    """One utterance, N tokens and T frames.

    Attributes:
        ids, durations: [N]. prosody: pitch and energy [N, 2] in standard deviations.
        target: mel and log-F0 [T, 81]. voiced: [T]. index [T], place [T, 3]: see
        `repeat_by_duration`.
    """

    ids: Tensor
    durations: Tensor
    prosody: Tensor
    target: Tensor
    voiced: Tensor
    index: Tensor
    place: Tensor


@dataclass(frozen=True)
class Batch:
    """Examples padded to the longest: fields as in `Example` with a first axis B, and masks."""

    ids: Tensor
    durations: Tensor
    prosody: Tensor
    target: Tensor
    voiced: Tensor
    index: Tensor
    place: Tensor
    token_mask: Tensor
    frame_mask: Tensor


def token_prosody(utterance: Utterance) -> Floats:
    """Mean voiced log-F0 and mean log-mel of every token [N, 2]; gaps by straight lines.

    Raises:
        ValueError: the utterance has no durations yet.
    """
    if utterance.durations is None:
        raise ValueError(f"{utterance.file} is not aligned")
    count = len(utterance.tokens)
    token = np.repeat(np.arange(count), utterance.durations)
    voiced = np.bincount(token, utterance.voiced, count)
    pitch = np.bincount(token, utterance.log_f0 * utterance.voiced, count)
    energy = np.bincount(token, utterance.mel.mean(1), count)
    columns = []
    for total, weight in ((pitch, voiced), (energy, utterance.durations)):
        known = np.flatnonzero(weight)
        if len(known) == 0:
            raise ValueError(f"{utterance.file} has no voiced frame")
        columns.append(np.interp(np.arange(count), known, total[known] / weight[known]))
    return np.stack(columns, 1).astype(np.float32)


def make_example(
    utterance: Utterance, vocabulary: Vocabulary, statistics: Tensor, energy_scale: Tensor
) -> Example:
    """Tensors of one aligned utterance, prosody normalised by the model's statistics."""
    prosody = torch.from_numpy(token_prosody(utterance))
    pitch = (prosody[:, 0] - statistics[0, MEL_BANDS]) / statistics[1, MEL_BANDS]
    energy = (prosody[:, 1] - energy_scale[0]) / energy_scale[1]
    durations = torch.as_tensor(utterance.durations)
    index, place = repeat_by_duration(durations)
    target = np.concatenate([utterance.mel, utterance.log_f0[:, None]], 1)
    return Example(
        ids=torch.tensor(vocabulary.encode(utterance.tokens)),
        durations=durations,
        prosody=torch.stack([pitch, energy], 1),
        target=torch.from_numpy(target),
        voiced=torch.from_numpy(utterance.voiced),
        index=index,
        place=place,
    )


def make_batch(examples: Sequence[Example]) -> Batch:
    """Pad and stack."""

    def stack(name: str) -> Tensor:
        rows = [getattr(example, name) for example in examples]
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)

    def mask(lengths: list[int]) -> Tensor:
        ends = torch.tensor(lengths).unsqueeze(1)
        return (torch.arange(max(lengths)) < ends).float().unsqueeze(-1)

    names = ("ids", "durations", "prosody", "target", "voiced", "index", "place")
    return Batch(
        **{name: stack(name) for name in names},
        token_mask=mask([len(e.ids) for e in examples]),
        frame_mask=mask([len(e.voiced) for e in examples]),
    )


def epoch(examples: Sequence[Example], frames: int) -> list[Batch]:
    """Batches of about `frames` frames, similar lengths together, in random order."""
    order = sorted(examples, key=lambda e: len(e.voiced) + random.uniform(-30, 30))
    groups: list[list[Example]] = [[]]
    for example in order:
        longest = max([len(e.voiced) for e in groups[-1]] + [len(example.voiced)])
        if groups[-1] and longest * (len(groups[-1]) + 1) > frames:
            groups.append([])
        groups[-1].append(example)
    random.shuffle(groups)
    return [make_batch(group) for group in groups]
