"""A model is replaced whole: killed at any moment, what is there is the old one or no model."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from appliance.config import UnderstandingConfig
from appliance.errors import ConfigError
from appliance.nlu.loading import encoder_digest, open_model
from appliance.nlu.model import Classifier
from appliance.training.installing import install, kept_at

ROOT = Path(__file__).parents[2]
NAMES = ("classifier.npz", "encoder.onnx", "tokenizer.json")


def model(folder: Path, said: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        (folder / name).write_text(f"{said} {name}")
    return folder


def held(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text().split()[0] for path in sorted(folder.iterdir())}


def test_the_first_model(tmp_path: Path) -> None:
    target = tmp_path / "models" / "intent"
    assert install(model(tmp_path / "new", "new"), target) is None
    assert held(target) == dict.fromkeys(NAMES, "new")
    assert not kept_at(target).exists()


def test_the_old_model_is_kept_and_other_files_stay(tmp_path: Path) -> None:
    target = model(tmp_path / "intent", "old")
    (target / "MODEL_CARD.md").write_text("card")
    kept = install(model(tmp_path / "new", "new"), target)
    assert kept == tmp_path / "intent.before"
    assert held(target) == dict.fromkeys(NAMES, "new") | {"MODEL_CARD.md": "card"}
    assert held(kept) == dict.fromkeys(NAMES, "old")
    assert list((tmp_path / "new").iterdir()) == []


def test_only_the_one_before_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "intent"
    for said in ("first", "second", "third"):
        install(model(tmp_path / "new", said), target)
    assert held(kept_at(target)) == dict.fromkeys(NAMES, "second")
    assert held(target) == dict.fromkeys(NAMES, "third")


def test_what_was_cut_short_does_not_replace_what_is_kept(tmp_path: Path) -> None:
    target = model(tmp_path / "intent", "half")
    model(kept_at(target), "good")
    assert install(model(tmp_path / "new", "new"), target, keep=False) is None
    assert held(kept_at(target)) == dict.fromkeys(NAMES, "good")
    assert held(target) == dict.fromkeys(NAMES, "new")


@pytest.mark.parametrize("last", range(6))
def test_failing_at_any_file_leaves_a_model_that_is_old_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    """The Nth copy or rename fails: the old model is there whole, or the new one's classifier is
    not there yet, and the message says where the old one is."""
    target = model(tmp_path / "intent", "old")
    folder = model(tmp_path / "new", "new")
    done = 0

    def failing(real):
        def operate(*args, **options):
            nonlocal done
            done += 1
            if done > last:
                raise OSError(28, "No space left on device")
            return real(*args, **options)

        return operate

    monkeypatch.setattr(shutil, "copy2", failing(shutil.copy2))
    monkeypatch.setattr(Path, "replace", failing(Path.replace))
    with pytest.raises(ConfigError, match=r"No space left on device; the old one is in .*\.before"):
        install(folder, target)
    assert held(target)["classifier.npz"] == "old"
    if last <= 3:
        assert held(target) == dict.fromkeys(NAMES, "old")
    else:
        assert held(kept_at(target)) == dict.fromkeys(NAMES, "old")


KILLED = """
import os, sys
from pathlib import Path
from appliance.training.installing import install
real, left = Path.replace, int(sys.argv[3])
def replace(self, target):
    global left
    if left == 0:
        os.kill(os.getpid(), 9)
    left -= 1
    return real(self, target)
Path.replace = replace
install(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.parametrize("files", [0, 1, 2])
def test_killed_between_two_files_is_noticed_when_it_is_loaded(tmp_path: Path, files: int) -> None:
    """With real models of two encoders: the old one loads, or loading names the remedy."""
    target, folder = real_model(tmp_path / "intent", b""), real_model(tmp_path / "new", b"\n")
    command = [sys.executable, "-c", KILLED, str(folder), str(target), str(files)]
    assert subprocess.run(command, cwd=ROOT, env={**os.environ}, check=False).returncode == -9
    config = UnderstandingConfig(model=target)
    if files < 2:  # encoder.onnx is the same in both; tokenizer.json comes after it
        assert open_model(config).read("hello").intents
    else:
        with pytest.raises(ConfigError, match=r"cut short: train again, .*\.before"):
            open_model(config)
        assert open_model(UnderstandingConfig(model=kept_at(target))).read("hello").intents


def real_model(folder: Path, mark: bytes) -> Path:
    """A model that loads; `mark` makes the tokenizer's file, and so the encoder, another one."""
    folder.mkdir()
    shutil.copy(ROOT / "models/encoder/encoder.onnx", folder)
    tokenizer = (ROOT / "models/encoder/tokenizer.json").read_bytes()
    (folder / "tokenizer.json").write_bytes(tokenizer + mark)
    digest = encoder_digest(folder)
    ones = np.ones(1, np.float32)
    Classifier(("busy",), np.zeros((1, 384), np.float32), ones, encoder=digest).save(folder)
    return folder


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"file: the new model could not be put in place") as told:
        install(model(tmp_path / "new", "new"), tmp_path / "file")
    assert "old one" not in str(told.value)
    assert held(tmp_path / "new") == dict.fromkeys(NAMES, "new")
