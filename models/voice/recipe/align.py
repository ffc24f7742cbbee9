"""Stage 3: find the duration of every token of every recording.

    python -m models.voice.recipe.align --work FOLDER --voice NAME

A three-state monophone GMM-HMM is trained from a flat start by Viterbi passes at 8 ms; then a
small convolutional net learns its alignment and realigns. Writes `durations.npz` in frames of
16 ms. Why own code: the wheel of piper-tts lacks its compiled aligner.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from models.voice.recipe.dataset import Utterance, load_utterances, save_durations
from models.voice.recipe.hmm import (
    Floats,
    Ints,
    Mixtures,
    StatePath,
    cepstra,
    frames_between,
    state_path,
    viterbi,
)
from models.voice.recipe.settings import AlignmentSettings, load_settings
from models.voice.recipe.text import split_stress

_MERGED = {"ᵻ": "ɪ", "ɐ": "ə", "o": "ɔ", "n̩": "n", "ɜ": "ɚ", "e": "ɛ", "a": "æ"}
"""Phones too rare, or too alike, for a density of their own."""
_BATCH = 64


def density_phone(token: str) -> str | None:
    """The phone whose densities a token uses, or None where only silence can be."""
    if token in "^$ .,;?!:":
        return None
    base = split_stress(token)[0].replace("ː", "")
    return _MERGED.get(base, base)


def paths_of(utterances: Sequence[Utterance]) -> tuple[list[StatePath], int]:
    """State paths, and how many densities there are."""
    phones = [[density_phone(token) for token in u.tokens] for u in utterances]
    names = sorted({phone for row in phones for phone in row if phone is not None})
    numbers = {name: index + 1 for index, name in enumerate(names)}
    paths = []
    for row in phones:
        # "^" holds the silence in front; the last mark and "$" share the one at the end.
        numbered = [None if phone is None else numbers[phone] for phone in row]
        paths.append(state_path(numbered[:-1]))
    return paths, 3 * (len(names) + 1)


def flat_start(features: Floats, path: StatePath) -> Ints:
    """Densities by frame: silence at the quiet ends, the rest shared out evenly."""
    energy = features[:, 0]
    low, high = np.quantile(energy, [0.1, 0.9])
    loud = np.flatnonzero(energy > low + 0.35 * (high - low))
    start, end = max(3, loud[0]), min(len(energy) - 3, loud[-1] + 1)
    core = [i for i in range(3, len(path.density) - 3) if path.skippable[i] == 0]
    labels = np.empty(len(energy), np.int64)
    labels[:start] = np.arange(start) * 3 // start
    labels[end:] = np.arange(len(energy) - end) * 3 // (len(energy) - end)
    share = np.arange(end - start) * len(core) // (end - start)
    labels[start:end] = path.density[np.array(core)[share]]
    return labels


def align_all(scores: Sequence[Floats], paths: Sequence[StatePath]) -> list[Ints]:
    """`viterbi` in batches of similar length, results in the given order."""
    order = np.argsort([len(score) for score in scores])
    results: dict[int, Ints] = {}
    for start in range(0, len(order), _BATCH):
        chosen = order[start : start + _BATCH]
        found = viterbi([scores[i] for i in chosen], [paths[i] for i in chosen])
        results |= dict(zip(chosen.tolist(), found, strict=True))
    return [results[index] for index in range(len(scores))]


def align_by_mixtures(
    features: Sequence[Floats], paths: Sequence[StatePath], densities: int, passes: int
) -> list[Ints]:
    """States by frame, from a flat start; mixtures grow from 1 to 2 to 4 components."""
    labels = [flat_start(f, p) for f, p in zip(features, paths, strict=True)]
    everything = np.concatenate(features)
    states: list[Ints] = []
    for index in range(passes):
        components = 1 if index < 6 else 2 if index < 9 else 4
        mixtures = Mixtures(everything, np.concatenate(labels), densities, components)
        states = align_all([mixtures.log_likelihood(f) for f in features], paths)
        new = [p.density[s] for p, s in zip(paths, states, strict=True)]
        changed = np.mean(np.concatenate(new) != np.concatenate(labels))
        labels = new
        print(f"pass {index}: {components} components, {changed:.3f} changed", flush=True)
    return states


class StateNet(nn.Sequential):
    """Log-mel [B, 40, T] → scores of the densities [B, densities, T]."""

    def __init__(self, densities: int) -> None:
        super().__init__(
            nn.Conv1d(40, 128, 5, padding=2),
            nn.ReLU(),
            nn.Conv1d(128, 128, 5, padding=4, dilation=2),
            nn.ReLU(),
            nn.Conv1d(128, 128, 5, padding=4, dilation=2),
            nn.ReLU(),
            nn.Conv1d(128, densities, 1),
        )


def train_epoch(
    net: StateNet, optimizer: torch.optim.Optimizer, mels: Sequence[Floats], labels: Sequence[Ints]
) -> float:
    """One pass over the recordings; returns the share of frames that the net got right."""
    right = total = 0
    order = np.random.permutation(len(mels))
    for start in range(0, len(order), 16):
        chosen = order[start : start + 16]
        frames = max(len(mels[i]) for i in chosen)
        x = torch.zeros(len(chosen), 40, frames)
        y = torch.full((len(chosen), frames), -100)
        for row, i in enumerate(chosen):
            x[row, :, : len(mels[i])] = torch.from_numpy(mels[i].T)
            y[row, : len(labels[i])] = torch.from_numpy(labels[i])
        scores = net(x)
        loss = F.cross_entropy(scores, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right += int((scores.argmax(1) == y)[y >= 0].sum())
        total += int((y >= 0).sum())
    return right / total


def realign_by_net(
    mels: Sequence[Floats],
    paths: Sequence[StatePath],
    states: list[Ints],
    densities: int,
    rounds: int,
) -> list[Ints]:
    """Train the net on the alignment and align again by its scores, `rounds` times."""
    torch.manual_seed(0)
    np.random.seed(0)
    net = StateNet(densities)
    optimizer = torch.optim.AdamW(net.parameters(), 2e-3)
    for index in range(rounds):
        labels = [p.density[s] for p, s in zip(paths, states, strict=True)]
        counts = np.bincount(np.concatenate(labels), minlength=densities) + 50.0
        prior = np.log(counts / counts.sum()).astype(np.float32)
        for _ in range(3 if index == 0 else 2):
            right = train_epoch(net, optimizer, mels, labels)
            print(f"round {index}: {right:.3f} of the frames right", flush=True)
        with torch.no_grad():
            scores = [
                F.log_softmax(net(torch.from_numpy(mel.T)[None])[0], 0).T.numpy() - 0.6 * prior
                for mel in mels
            ]
        states = align_all(scores, paths)
    return states


def starts_of(states: Ints, path: StatePath, tokens: int) -> Ints:
    """First 8 ms frame of every token, [tokens + 1] with the end; tokens without frames repeat."""
    return np.searchsorted(path.token[states], np.arange(tokens + 1))


def align(utterances: Sequence[Utterance], settings: AlignmentSettings) -> list[Ints]:
    """Durations of all tokens of all utterances, and a printed check of the boundaries."""
    paths, densities = paths_of(utterances)
    pairs = [cepstra(u.audio) for u in utterances]
    features, mels = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    first = align_by_mixtures(features, paths, densities, settings.passes)
    states = realign_by_net(mels, paths, first, densities, settings.realignments)
    differences, durations = [], []
    for u, path, before, after in zip(utterances, paths, first, states, strict=True):
        # "$" has no states, so its duration is 0: the last mark owns the final silence.
        old, new = (starts_of(s, path, len(u.tokens)) for s in (before, after))
        differences.append(8 * np.abs(old - new)[1:-2])
        durations.append(frames_between(new, u.frames))
    off_ms = np.concatenate(differences)
    print(f"boundaries of mixtures and net: {np.mean(off_ms <= 16):.3f} within 16 ms")
    return durations


def main() -> None:
    """Write `durations.npz`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--voice", required=True)
    arguments = parser.parse_args()
    work: Path = arguments.work / arguments.voice
    start = time.monotonic()
    save_durations(work, align(load_utterances(work), load_settings().alignment))
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
