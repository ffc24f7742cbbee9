"""Mixes training speech into babble and keeps prompts of the appliance's voice, for the channel.

    python -m models.stt.recipe.babble --data DIR

Writes `DIR/augment-speech`: tracks of three to eight people talking at once (real and synthetic
training speakers, never held-out ones) and utterances of the Piper voice, whose echo a caller's
line returns. Mixed once, because a mixture of eight costs more than all the rest of a draw.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from appliance.audio import sounds

from . import shards

_TRACK_S = 15
_TRACKS = 40
_PROMPTS = 200
_SYNTHETIC_SHARDS = 3
_LEAST_S = 0.8  # single words make no conversation


def talk(data: Path) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Training utterances (float32), and those of the Piper voice among them.

    Raises:
        ValueError: a held-out utterance lies among the training shards.
    """
    speech, prompts = [], []
    names = shards.list_shards(data / "train", "real-*")
    names += shards.list_shards(data / "train", "synth-*")[:_SYNTHETIC_SHARDS]
    for path in names:
        for samples, row in zip(*shards.read_shard(path), strict=True):
            if row.held_out:
                raise ValueError(f"{path}: a held-out utterance among the training shards")
            if len(samples) < _LEAST_S * shards.RATE_HZ:
                continue
            piper = row.speaker.startswith("piper:")
            (prompts if piper else speech).append(samples.astype(np.float32) / 32768)
    return speech, prompts


def build(data: Path, seed: int) -> None:
    """Writes the shard."""
    rng = np.random.default_rng(seed)
    speech, prompts = talk(data)
    chosen = [speech[i] for i in rng.choice(len(speech), min(4000, len(speech)), replace=False)]
    audio, rows = [], []
    for number in range(_TRACKS):
        talkers = int(rng.integers(3, 9))
        track = sounds.babble(rng, chosen, _TRACK_S * shards.RATE_HZ, talkers)
        audio.append((np.clip(track, -1, 1) * 32767).astype(np.int16))
        rows.append(shards.Row("", "babble", f"babble-{number}-of-{talkers}"))
    for number in rng.choice(len(prompts), min(_PROMPTS, len(prompts)), replace=False):
        audio.append((prompts[number] * 32767).astype(np.int16))
        rows.append(shards.Row("", "prompt", "piper"))
    shards.write_shard(data / "augment-speech", audio, rows)
    print(f"augment-speech: {len(rows)} sounds from {len(speech)} utterances")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of shards")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    build(args.data, args.seed)


if __name__ == "__main__":
    main()
