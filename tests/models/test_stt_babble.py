from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.stt.recipe import babble, mixture, shards


def write(folder: Path, name: str, speaker: str, held_out: bool = False) -> None:
    sound = (9000 * np.sin(np.arange(16000) / 3)).astype(np.int16)
    rows = [shards.Row("yes", "call", speaker, held_out) for _ in range(4)]
    shards.write_shard(folder / "train" / name, [sound] * 4, rows)


def test_the_channel_gets_babble_and_the_echo_of_our_voice(tmp_path: Path) -> None:
    write(tmp_path, "synth-000", "flite:rms")
    write(tmp_path, "synth-001", "piper:given")
    babble.build(tmp_path, seed=1)
    kit = mixture.load_kit(tmp_path)
    assert len(kit.babble) == 40
    assert len(kit.prompts) == 4
    assert not kit.noises  # there is no `augment` here
    assert all(0.01 < np.sqrt((track**2).mean()) < 0.3 for track in kit.babble)


def test_held_out_speakers_do_not_babble(tmp_path: Path) -> None:
    write(tmp_path, "synth-000", "flite:slt", held_out=True)
    with pytest.raises(ValueError, match="held-out utterance among the training shards"):
        babble.build(tmp_path, seed=1)
