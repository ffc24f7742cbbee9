"""Trains the voice detector: which frames of a call hold speech.

    recordings + noises over simulated calls ──> Observer ──> GRU, one step a frame ──> voice.npz

The truth is that of the clean recording, with gaps to 100 ms bridged: a stop inside a word is no
pause. Some minutes on one core.

    python -m models.turns.recipe.end_voice --speech DIR --out models/turns
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import nn

from appliance.audio import channel, sounds, voice
from appliance.types import FRAME_BYTES

from . import corpora, end_pauses

READ = {
    "speechocean762_adult": 350,
    "speechocean762_child": 120,
    "librispeech_train-clean-100": 170,
    "kathleen": 200,
    "dc_tts_fork_male": 50,
    "asterisk_en_GB": 200,
    "fsdd": 400,
    "mycroft_precise": 100,
}
HIDDEN, STEPS, BATCH, EPOCHS, RATE = 24, 400, 24, 30, 6e-3
_BRIDGE = 5  # frames
_NOISE_ONLY = 150
HELD_OUT_NOISES = 3
"""The last so many recorded noises are for judging."""


def bridged(flags: np.ndarray, frames: int = _BRIDGE) -> np.ndarray:
    """Fills gaps of at most so many frames."""
    flags, places = flags.copy(), np.flatnonzero(flags)
    for before, after in pairwise(places):
        if after - before <= frames + 1:
            flags[before:after] = True
    return flags


def truth(wave: np.ndarray, length: int) -> np.ndarray:
    """Speech of a recording that stands in its own quiet: bool for each 20 ms of `length`."""
    flags, offset = np.zeros(2 * length, bool), int(end_pauses._BEFORE_S * 100)
    known = end_pauses.speech_of(wave)[: 2 * length - offset]
    flags[offset : offset + len(known)] = known
    return bridged(flags.reshape(-1, 2).any(axis=1))


def noisy_line(rng: np.random.Generator) -> corpora.Line:
    """An ordinary call, more often from a noisy place than most are."""
    line = corpora.draw_line(rng)
    snr = rng.uniform(3, 25) if rng.random() < 0.6 else rng.uniform(25, 60)
    return corpora.Line(line.level_db, snr, line.codec, line.loss, line.room)


def observe(wave: np.ndarray) -> np.ndarray:
    """What the detector sees of a call: [frames, FEATURES]."""
    pcm, eye = corpora.to_pcm(wave), voice.Observer()
    count = len(pcm) // FRAME_BYTES
    return np.stack([eye.look(pcm[i * FRAME_BYTES : (i + 1) * FRAME_BYTES]) for i in range(count)])


def examples(speech: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """Features [n, STEPS, FEATURES] and truth [n, STEPS]; calls stand one after the other."""
    rng, heard = np.random.default_rng(5), corpora.sounds(speech)
    around = corpora.Sounds(heard.noises[:-HELD_OUT_NOISES], heard.rooms, heard.tones)
    seen, said = [], []
    for name, most in READ.items():
        for clip in corpora.clips(speech, name, most, held_out=False):
            if end_pauses.is_clean(clip.wave):
                wave = end_pauses.in_its_quiet(rng, clip.wave)
                call = observe(corpora.over_the_line(rng, wave, noisy_line(rng), around))
                seen.append(call)
                said.append(truth(clip.wave, len(call)))
        print(name, sum(map(len, seen)), flush=True)
    for _ in range(_NOISE_ONLY):
        call = observe(_no_speech(rng, around))
        seen.append(call)
        said.append(np.zeros(len(call), bool))
    order = rng.permutation(len(seen))
    flat, flags = np.concatenate([seen[i] for i in order]), np.concatenate([said[i] for i in order])
    count = len(flat) // STEPS
    return (
        torch.from_numpy(flat[: count * STEPS].reshape(count, STEPS, -1)),
        torch.from_numpy(flags[: count * STEPS].reshape(count, STEPS).astype(np.float32)),
    )


def _no_speech(rng: np.random.Generator, around: corpora.Sounds) -> np.ndarray:
    length, kind = int(rng.uniform(3, 6) * corpora.RATE_HZ), rng.random()
    if kind < 0.5:
        track = around.noises[rng.integers(len(around.noises))]
        wave = np.resize(np.roll(track, int(rng.integers(len(track)))), length)
    elif kind < 0.65:
        wave = sounds.noise(rng, length, slope=rng.uniform(0, 0.9))
    elif kind < 0.8:
        wave = sounds.music(rng, length)
    else:
        wave = sounds.tone(rng, sounds.TONES[rng.integers(len(sounds.TONES))], length)
    wave = channel.set_rms(wave.astype(np.float32), rng.uniform(-60, -22))
    band = channel.band_limit(wave, *channel.BAND_HZ)
    return band + channel.set_rms(sounds.noise(rng, length), rng.uniform(-75, -55))


class Network(nn.Module):
    """A GRU and one output."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(voice.FEATURES, HIDDEN, batch_first=True)
        self.out = nn.Linear(HIDDEN, 1)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """[n, steps, FEATURES] -> logits [n, steps]."""
        return self.out(self.gru(given)[0])[..., 0]


def train(seen: torch.Tensor, said: torch.Tensor) -> Network:
    """Fits the network; deterministic."""
    torch.manual_seed(2)
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-3)
    steps = EPOCHS * (len(seen) // BATCH) + 1
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for epoch in range(EPOCHS):
        order, losses = torch.randperm(len(seen)), []
        for at in range(0, len(seen) - BATCH + 1, BATCH):
            chosen = order[at : at + BATCH]
            given = seen[chosen] + 0.05 * torch.randn_like(seen[chosen])
            logits = network(given)
            loss = nn.functional.binary_cross_entropy_with_logits(logits, said[chosen])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        print(f"epoch {epoch}: {np.mean(losses):.4f}", flush=True)
    return network.eval()


def weights(network: Network) -> dict[str, np.ndarray]:
    """As `appliance.audio.voice` names them: torch's gates are reset, update, new, as there."""
    gru, out = network.gru, network.out
    named = {
        "w": gru.weight_ih_l0, "u": gru.weight_hh_l0, "b": gru.bias_ih_l0, "c": gru.bias_hh_l0,
        "v": out.weight[0], "a": out.bias,
    }  # fmt: skip
    return {name: value.detach().numpy().astype(np.float16) for name, value in named.items()}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    seen, said = examples(args.speech)
    print(tuple(seen.shape), float(said.mean()))
    np.savez(args.out / voice.FILE, **weights(train(seen, said)))


if __name__ == "__main__":
    main()
