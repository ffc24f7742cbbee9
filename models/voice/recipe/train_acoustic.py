"""Stage 4: train the acoustic model on the aligned recordings. Resumes from its checkpoint.

    python -m models.voice.recipe.train_acoustic --work FOLDER --voice NAME [--start VOICE]

With --start it begins with what another voice has learnt, whatever its language.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from models.voice.recipe.acoustic import AcousticModel
from models.voice.recipe.dataset import Utterance, load_utterances
from models.voice.recipe.examples import Batch, Example, epoch, make_batch, make_example
from models.voice.recipe.segments import statistics
from models.voice.recipe.settings import MEL_BANDS, AcousticSettings, load_settings
from models.voice.recipe.text import Vocabulary
from models.voice.recipe.training import Run

PARTS = "mel, structure, F0, voicing, duration, pitch, energy"


def structure_distance(a: Tensor, b: Tensor, mask: Tensor) -> Tensor:
    """1 − SSIM of two normalised mels [B, T, 80] over 7 × 7 patches (Wang et al. 2004)."""

    def smooth(x: Tensor) -> Tensor:
        return F.avg_pool2d(x.unsqueeze(1), 7, 1, 3).squeeze(1)

    a, b = a * mask, b * mask
    mean_a, mean_b = smooth(a), smooth(b)
    variance = smooth(a * a) - mean_a**2 + smooth(b * b) - mean_b**2
    covariance = smooth(a * b) - mean_a * mean_b
    likeness = (2 * mean_a * mean_b + 0.1) * (2 * covariance + 0.1)
    likeness = likeness / ((mean_a**2 + mean_b**2 + 0.1) * (variance + 0.1))
    return ((1 - likeness) * mask).sum() / mask.sum() / MEL_BANDS


def teacher_forced(model: AcousticModel, batch: Batch) -> tuple[Tensor, Tensor]:
    """Decoder output [B, T, 82] for the recorded durations and prosody, and predictions."""
    with torch.autocast("cpu", torch.bfloat16):
        hidden, predicted = model.encode(batch.ids, batch.token_mask)
        hidden = model.add_prosody(hidden, batch.prosody * batch.token_mask)
        index = batch.index.unsqueeze(-1).expand(-1, -1, hidden.shape[2])
        frames = torch.gather(hidden, 1, index)
        frames = torch.cat([frames, batch.place.to(frames.dtype)], -1)
        decoded = model.decode(frames, batch.frame_mask)
    return decoded.float(), predicted.float()


def losses(model: AcousticModel, batch: Batch) -> tuple[Tensor, Tensor]:
    """Weighted loss, and its parts [7] in the order of PARTS."""
    decoded, predicted = teacher_forced(model, batch)
    wanted = (batch.target - model.statistics[0]) / model.statistics[1]
    mask, frames = batch.frame_mask, batch.frame_mask.sum()
    error = (decoded[..., : MEL_BANDS + 1] - wanted).abs() * mask
    # Pitch between voiced stretches is only interpolated, so it counts little.
    heard = (0.05 + batch.voiced) * mask[..., 0]
    voicing = F.binary_cross_entropy_with_logits(decoded[..., -1], batch.voiced, reduction="none")
    tokens, known = batch.token_mask[..., 0], batch.token_mask.sum()
    duration = (predicted[..., 0] - torch.log1p(batch.durations.float())).abs()
    prosody = (predicted[..., 1:] - batch.prosody) ** 2
    parts = torch.stack(
        [
            error[..., :MEL_BANDS].sum() / frames / MEL_BANDS,
            structure_distance(decoded[..., :MEL_BANDS], wanted[..., :MEL_BANDS], mask),
            (error[..., MEL_BANDS] * heard).sum() / heard.sum(),
            (voicing * mask[..., 0]).sum() / frames,
            (duration * tokens).sum() / known,
            (prosody[..., 0] * tokens).sum() / known,
            (prosody[..., 1] * tokens).sum() / known,
        ]
    )
    weights = torch.tensor([1.0, 0.5, 0.3, 0.3, 0.5, 0.1, 0.1])
    return (parts * weights).sum(), parts.detach()


def build_model(
    vocabulary: Vocabulary, training: Sequence[Utterance], settings: AcousticSettings
) -> AcousticModel:
    """A fresh model that knows the statistics of its training data."""
    model = AcousticModel(vocabulary, settings.dropout, settings.predictor_dropout)
    model.statistics.copy_(statistics(training))
    level = torch.cat([torch.from_numpy(u.mel.mean(1)) for u in training])
    model.energy_scale.copy_(torch.stack([level.mean(), level.std()]))
    return model


def begin_with(model: AcousticModel, vocabulary: Vocabulary, work: Path) -> None:
    """Take over the weights of another voice: of the phones, those that both have."""
    state = torch.load(work / "acoustic.pt", weights_only=True)["averaged"]
    other = Vocabulary.from_json(json.loads((work / "vocabulary.json").read_text("utf-8")))
    theirs = {base: state["phone.weight"][index] for index, base in enumerate(other.bases)}
    phones = model.phone.weight.detach().clone()
    for index, base in enumerate(vocabulary.bases):
        if base in theirs:
            phones[index] = theirs[base]
    own = {name: getattr(model, name) for name in ("parts", "statistics", "energy_scale")}
    model.load_state_dict(state | own | {"phone.weight": phones})


def endless(examples: Sequence[Example], frames: int) -> Iterator[Batch]:
    """Epoch after epoch."""
    while True:
        yield from epoch(examples, frames)


def held_out_losses(model: AcousticModel, examples: Sequence[Example]) -> str:
    """Mean parts over the held-out examples, as text."""
    model.eval()
    with torch.no_grad():
        rows = [
            losses(model, make_batch(examples[start : start + 10]))[1]
            for start in range(0, len(examples), 10)
        ]
    return " ".join(f"{value:.3f}" for value in torch.stack(rows).mean(0).tolist())


def main() -> None:
    """Train until the budget is used."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--voice", required=True)
    parser.add_argument("--start", help="a trained voice to begin with")
    parser.add_argument("--minutes", type=float, help="instead of the settings' budget")
    arguments = parser.parse_args()
    work: Path = arguments.work / arguments.voice
    settings = load_settings().acoustic
    torch.manual_seed(0)
    random.seed(0)
    utterances = load_utterances(work)
    vocabulary = Vocabulary.from_json(json.loads((work / "vocabulary.json").read_text("utf-8")))
    model = build_model(vocabulary, [u for u in utterances if not u.held_out], settings)
    if arguments.start:
        begin_with(model, vocabulary, arguments.work / arguments.start)
    scales = (model.statistics, model.energy_scale)
    training = [make_example(u, vocabulary, *scales) for u in utterances if not u.held_out]
    held_out = [make_example(u, vocabulary, *scales) for u in utterances if u.held_out]
    optimizer = torch.optim.AdamW(
        model.parameters(), settings.learning_rate, betas=(0.9, 0.98), weight_decay=0.02
    )
    minutes = arguments.minutes or settings.minutes
    run = Run(model, optimizer, minutes, work / "acoustic.pt")
    run.resume()
    batches = endless(training, settings.frames_per_batch)
    for step in run.steps():
        run.set_rate(settings.learning_rate)
        model.train()
        total, parts = losses(model, next(batches))
        run.update(total)
        run.report(PARTS, parts)
        if step % 500 == 499:
            print("held out", held_out_losses(run.averaged, held_out), flush=True)
    print("held out", held_out_losses(run.averaged, held_out), flush=True)


if __name__ == "__main__":
    main()
