"""Stage 2: train the vocoder of all voices on spectral losses. Resumes from its checkpoint.

    python -m models.voice.recipe.train_vocoder --work FOLDER --voices NAME [NAME ...]

Needs the prepared features only, so it may run beside the alignment. Voices may be added when it
resumes. Each voice goes on from here with a vocoder of its own (train_adversarial.py).
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import torch

from models.voice.recipe.dataset import Utterance, load_utterances
from models.voice.recipe.segments import Segments, SegmentSource, SpectralLoss, statistics
from models.voice.recipe.settings import HOP, load_settings
from models.voice.recipe.training import Run
from models.voice.recipe.vocoder import Vocoder


def render(vocoder: Vocoder, segments: Segments) -> torch.Tensor:
    """Audio [B, samples] with fresh noise, the network in bfloat16."""
    with torch.autocast("cpu", torch.bfloat16):
        audio: torch.Tensor = vocoder(
            segments.mel, segments.log_f0, segments.voiced, torch.randn(segments.audio.shape)
        )
    return audio.float()


def copy_synthesis_loss(vocoder: Vocoder, utterances: list[Utterance], loss: SpectralLoss) -> str:
    """Mean loss parts over whole utterances, as text."""
    parts = []
    with torch.no_grad():
        for u in utterances:
            mel, log_f0, voiced = (torch.from_numpy(a)[None] for a in (u.mel, u.log_f0, u.voiced))
            audio = torch.from_numpy(u.audio)[None, : u.frames * HOP]
            made = vocoder(mel, log_f0, voiced, torch.randn(audio.shape))
            parts.append(loss(made, audio)[1])
    return " ".join(f"{value:.3f}" for value in torch.stack(parts).mean(0).tolist())


def main() -> None:
    """Train until the budget is used."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--voices", nargs="+", required=True)
    arguments = parser.parse_args()
    work: Path = arguments.work
    settings = load_settings().vocoder
    torch.manual_seed(0)
    random.seed(0)
    utterances = [u for name in arguments.voices for u in load_utterances(work / name)]
    training = [u for u in utterances if not u.held_out]
    held_out = [u for u in utterances if u.held_out][::6]
    vocoder = Vocoder()
    vocoder.statistics.copy_(statistics(training))
    optimizer = torch.optim.AdamW(
        vocoder.parameters(), settings.learning_rate, betas=(0.8, 0.99), weight_decay=0.01
    )
    run = Run(vocoder, optimizer, settings.minutes, work / "vocoder.pt")
    run.resume()
    source = SegmentSource(training, settings.segment_frames)
    loss = SpectralLoss()
    for step in run.steps():
        run.set_rate(settings.learning_rate)
        segments = source.draw(settings.batch)
        total, parts = loss(render(vocoder, segments), segments.audio)
        run.update(total)
        run.report("convergence, log magnitude, log mel", parts.detach())
        if step % 1000 == 999:
            print("held out", copy_synthesis_loss(run.averaged, held_out, loss), flush=True)
    print("held out", copy_synthesis_loss(run.averaged, held_out, loss), flush=True)


if __name__ == "__main__":
    main()
