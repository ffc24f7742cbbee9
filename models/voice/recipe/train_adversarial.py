"""Stage 5: a voice's own vocoder, against light spectrogram discriminators. Resumes.

    python -m models.voice.recipe.train_adversarial --work FOLDER --voice NAME [--start FILE]

Goes on from the vocoder of all voices, or from --start (another voice's adversarial.pt).

Spectral losses alone leave the upper harmonics too regular and the hiss too weak, because they
reward the average. Part of the segments get the mel that the acoustic model predicts for the
recording, so the vocoder also learns to sharpen what it will be given in service.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.voice.recipe.acoustic import AcousticModel
from models.voice.recipe.dataset import Floats, Utterance, load_utterances
from models.voice.recipe.examples import make_batch, make_example
from models.voice.recipe.segments import RESOLUTIONS, SegmentSource, SpectralLoss
from models.voice.recipe.settings import load_settings
from models.voice.recipe.text import Vocabulary
from models.voice.recipe.train_acoustic import teacher_forced
from models.voice.recipe.train_vocoder import copy_synthesis_loss, render
from models.voice.recipe.training import Run
from models.voice.recipe.vocoder import Vocoder

CONVERGENCE, MAGNITUDE, MEL = 1.0, 2.0, 12.0
"""Weights of the spectral losses: mel leads, because matching each bin would forbid noise."""
MATCHING = 2.0
"""Weight of feature matching (Kumar et al. 2019)."""


class SpectrogramJudge(nn.Module):
    """Discriminator on one resolution of the compressed complex spectrogram."""

    window: Tensor

    def __init__(self, fft: int, hop: int, channels: int) -> None:
        super().__init__()
        self.fft, self.hop = fft, hop
        self.register_buffer("window", torch.hann_window(fft))
        shapes = (  # inputs, kernel (time, frequency), stride
            (2, (3, 9), (1, 2)),
            (channels, (3, 9), (1, 2)),
            (channels, (3, 9), (2, 2)),
            (channels, (3, 3), (1, 1)),
        )
        norm = torch.nn.utils.parametrizations.weight_norm
        self.layers = nn.ModuleList(
            norm(
                nn.Conv2d(
                    inputs, channels, kernel, stride, padding=(kernel[0] // 2, kernel[1] // 2)
                )
            )
            for inputs, kernel, stride in shapes
        )
        self.last = norm(nn.Conv2d(channels, 1, 3, padding=1))

    def forward(self, audio: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Audio [B, samples] → verdicts by patch, near 1 for real, and the inner features."""
        spectrum = torch.stft(
            audio, self.fft, self.hop, window=self.window, return_complex=True
        ).transpose(1, 2)
        # Magnitude to the power 0.3, so that weak parts count: |z|^0.3 = |z|² ^ -0.35 * |z|.
        gain = (spectrum.real**2 + spectrum.imag**2 + 1e-7) ** -0.35
        x = torch.stack([spectrum.real * gain, spectrum.imag * gain], 1)
        x = x.contiguous(memory_format=torch.channels_last)
        features = []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.1)
            features.append(x)
        return self.last(x), features


class Judges(nn.Module):
    """One judge for each resolution, and the least-squares losses (Mao et al. 2017)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.each = nn.ModuleList(
            SpectrogramJudge(fft, hop, channels) for fft, hop in RESOLUTIONS
        ).to(memory_format=torch.channels_last)

    def own_loss(self, made: Tensor, real: Tensor) -> tuple[Tensor, list[list[Tensor]]]:
        """What the judges want: 1 for real, 0 for made. Also what real looks like inside each."""
        total, looks = torch.zeros(()), []
        self.requires_grad_(True)
        with torch.autocast("cpu", torch.bfloat16):
            for judge in self.each:
                verdicts, features = judge(torch.cat([real, made.detach()]))
                yes, no = verdicts.float().chunk(2)
                total = total + ((1 - yes) ** 2).mean() + (no**2).mean()
                looks.append([feature.detach().chunk(2)[0] for feature in features])
        return total, looks

    def maker_loss(self, made: Tensor, looks: list[list[Tensor]]) -> tuple[Tensor, Tensor]:
        """What the vocoder wants: to pass for real, and to look real inside the judges."""
        passing, matching = torch.zeros(()), torch.zeros(())
        self.requires_grad_(False)  # a third of the work: only the vocoder learns here
        with torch.autocast("cpu", torch.bfloat16):
            for judge, wanted in zip(self.each, looks, strict=True):
                verdict, features = judge(made)
                passing = passing + ((1 - verdict.float()) ** 2).mean()
                for a, b in zip(features, wanted, strict=True):
                    matching = matching + (a.float() - b.float()).abs().mean()
        return passing, matching


def predicted_mels(
    model: AcousticModel, vocabulary: Vocabulary, utterances: Sequence[Utterance]
) -> list[Floats]:
    """The mel [T, 80] that the acoustic model makes with the recorded durations and prosody."""
    model.eval()
    mels = []
    with torch.no_grad():
        for utterance in utterances:
            example = make_example(utterance, vocabulary, model.statistics, model.energy_scale)
            decoded = teacher_forced(model, make_batch([example]))[0]
            mels.append(model.denormalise(decoded)[0][0].numpy())
    return mels


def load_acoustic(work: Path) -> tuple[AcousticModel, Vocabulary]:
    """The trained acoustic model (averaged weights), ready to run."""
    vocabulary = Vocabulary.from_json(json.loads((work / "vocabulary.json").read_text("utf-8")))
    model = AcousticModel(vocabulary)
    model.load_state_dict(torch.load(work / "acoustic.pt", weights_only=True)["averaged"])
    return model.eval(), vocabulary


def main() -> None:
    """Train until the budget is used."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--voice", required=True)
    parser.add_argument("--start", type=Path, help="checkpoint to go on from")
    parser.add_argument("--minutes", type=float, help="instead of the settings' budget")
    arguments = parser.parse_args()
    work: Path = arguments.work / arguments.voice
    start: Path = arguments.start or arguments.work / "vocoder.pt"
    settings = load_settings()
    torch.manual_seed(1)
    random.seed(1)
    utterances = load_utterances(work)
    training = [u for u in utterances if not u.held_out]
    held_out = [u for u in utterances if u.held_out][:20]
    vocoder = Vocoder()
    begun = torch.load(start, weights_only=True)
    vocoder.load_state_dict(begun["averaged"])
    judges = Judges(settings.adversarial.channels)
    if "judges" in begun["extra"]:
        judges.load_state_dict(begun["extra"]["judges"])
    rate = settings.adversarial.learning_rate
    optimizer = torch.optim.AdamW(vocoder.parameters(), rate, betas=(0.8, 0.99))
    judging = torch.optim.AdamW(judges.parameters(), 3e-4, betas=(0.8, 0.99))
    minutes = arguments.minutes or settings.adversarial.minutes
    run = Run(vocoder, optimizer, minutes, work / "adversarial.pt")
    run.extra = {"judges": judges, "judging": judging}
    run.resume()
    source = SegmentSource(
        training,
        settings.vocoder.segment_frames,
        predicted_mels(*load_acoustic(work), training),
        settings.adversarial.predicted_share,
    )
    loss = SpectralLoss()
    weights = torch.tensor([CONVERGENCE, MAGNITUDE, MEL])
    for step in run.steps():
        run.set_rate(rate)
        segments = source.draw(settings.vocoder.batch)
        made = render(vocoder, segments)
        judged, looks = judges.own_loss(made, segments.audio)
        judging.zero_grad()
        judged.backward()  # type: ignore[no-untyped-call]
        judging.step()
        _, parts = loss(made, segments.audio)
        passing, matching = judges.maker_loss(made, looks)
        warm = min(1.0, step / 300)
        run.update((parts * weights).sum() + warm * (passing + MATCHING * matching), clip=5.0)
        names = "convergence, log magnitude, log mel, judges, passing, matching"
        detail = torch.stack([judged, passing, matching]).detach()
        run.report(names, torch.cat([parts.detach(), detail]))
        if step % 1000 == 999:
            print("held out", copy_synthesis_loss(run.averaged, held_out, loss), flush=True)


if __name__ == "__main__":
    main()
