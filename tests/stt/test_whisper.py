"""The adapter around faster-whisper: what the encoder is given, and what it cannot load."""

import subprocess
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from appliance.config import HearingConfig
from appliance.errors import ConfigError
from appliance.stt.conversion import convert
from appliance.stt.whisper import WhisperRecognizer
from appliance.types import Transcript
from tests.stt.whisper_folders import random_weights, write_huggingface

SHIPPED = Path(__file__).resolve().parents[2] / "models/stt/en"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of random weights, with a decoder only."""
    root = tmp_path_factory.mktemp("whisper")
    weights, config = random_weights(64, 1)
    (root / "ct2").mkdir()
    convert(write_huggingface(root / "hf", weights, config), root / "ct2")
    return root / "ct2"


@pytest.mark.parametrize(("window", "frames"), [("short", 50), ("padded", 3000)])
def test_the_window_that_the_encoder_is_given(
    folder: Path, window: Literal["short", "padded"], frames: int
) -> None:
    """One second at 8 kHz with a hop of 20 ms; padded as faster-whisper itself does it."""
    recognizer = WhisperRecognizer(folder, HearingConfig(window=window))
    second = np.random.default_rng(1).standard_normal(8000).astype(np.float32)
    features = np.asarray(recognizer._features(second))
    assert features.shape == (1, 80, frames)
    assert not features[..., 60:].any()


def test_any_model_hears_a_second(folder: Path) -> None:
    noise = (3000 * np.random.default_rng(1).standard_normal(8000)).astype("<i2").tobytes()
    for window in ("short", "padded"):
        heard = WhisperRecognizer(folder, HearingConfig(window=window)).recognize(noise)
        assert 0 <= heard.confidence <= 1
        assert heard.text == heard.text.lower()


@pytest.mark.parametrize("shipped", [True, False])
def test_less_than_a_frame_is_nothing_said(folder: Path, shipped: bool) -> None:
    """A caller who hangs up leaves such pieces; odd bytes too."""
    recognizer = WhisperRecognizer(SHIPPED if shipped else folder)
    noise = (9000 * np.random.default_rng(1).standard_normal(800)).astype("<i2").tobytes()
    for pieces in (0, 1, 2, 16, 80, 239, 240, 400, 638, 639):
        assert recognizer.recognize(noise[:pieces]) == Transcript("", 1.0)
    for enough in (640, 641, 960, 1600):
        recognizer.recognize(noise[:enough])


def test_a_language_that_the_model_does_not_know(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"lacks the token <\|es\|>"):
        WhisperRecognizer(folder, language="es")


def test_a_folder_without_a_tokenizer_asks_nobody_else_for_one(folder: Path) -> None:
    (folder / "tokenizer.json").rename(folder / "elsewhere.json")
    try:
        with pytest.raises(ConfigError, match=r"cannot be loaded: no tokenizer\.json"):
            WhisperRecognizer(folder)
    finally:
        (folder / "elsewhere.json").rename(folder / "tokenizer.json")


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no model\.bin; .*appliance models add"):
        WhisperRecognizer(tmp_path)


GROWTH = """
import os
import numpy as np
from pathlib import Path
from appliance.config import HearingConfig
from appliance.stt.whisper import WhisperRecognizer
from appliance.testing.soak.vitals import read_vitals
recognizer = WhisperRecognizer(Path({folder!r}), HearingConfig())
lengths = np.random.default_rng(1).permutation(np.arange(50, 350))
noise = (3000 * np.random.default_rng(2).standard_normal(400 * 160)).astype("<i2").tobytes()
for count, frames in enumerate(lengths):
    if count == 100:
        before = read_vitals(os.getpid()).anonymous_kib
    recognizer.recognize(noise[: 320 * int(frames)])
print(read_vitals(os.getpid()).anonymous_kib - before)
"""


def test_utterances_of_ever_new_lengths_do_not_pile_up() -> None:
    """Each length has kernels of its own; without a limit they took 35 MB more here."""
    program = GROWTH.format(folder=str(SHIPPED))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 10_000  # KiB
