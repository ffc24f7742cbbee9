"""A model is added whole or not at all, and says where it came from."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.checksums import write_checksums
from appliance.config import HearingConfig, ModelsConfig
from appliance.errors import ConfigError
from appliance.stt.catalogue import (
    assert_model,
    find_folder,
    find_folders,
    languages_of_calls,
    read_model,
)
from appliance.stt.inspection import inspect
from appliance.stt.installing import add_model
from tests.stt.whisper_folders import SHIPPED, random_weights, write_huggingface

NOW = datetime(2026, 11, 22, 15, tzinfo=UTC)
ROOT = Path(__file__).parents[2]


def add(source: Path, target: Path) -> list[str]:
    told: list[str] = []
    add_model(source, target.parent, target.name, NOW, told.append)
    return told


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A Hugging Face folder with a licence."""
    weights, config = random_weights(64, 1)
    folder = write_huggingface(tmp_path / "hf", weights, config)
    (folder / "LICENSE.txt").write_text("MIT")
    (folder / "training_args.bin").write_text("not for us")
    return folder


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A faster-whisper folder, like one from a stick; without checksums."""
    folder = tmp_path / "stick"
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns("SHA256SUMS"))
    return folder


def test_a_hugging_face_folder(foreign: Path, tmp_path: Path) -> None:
    told = add(foreign, tmp_path / "models" / "tiny")
    assert told[0] == "convert and quantize to int8"
    model = read_model(tmp_path / "models" / "tiny")
    assert (model.name, model.origin, model.languages) == ("tiny", "added", ("en",))
    assert (model.rate_hz, model.phone_head) == (8000, False)
    assert model.sums.intact
    assert "LICENSE.txt" in model.sums.good
    assert "training_args.bin" not in model.sums.good
    said = json.loads((model.folder / "provenance.json").read_text())
    assert (said["kind"], said["source"]) == ("Hugging Face", str(foreign))
    assert said["added"] == "2026-11-22T15:00:00+00:00"
    assert len(said["source_sha256"]["model.safetensors"]) == 64
    assert inspect(model.folder).faults == ()
    assert [path.name for path in model.folder.parent.iterdir()] == ["tiny"]


def test_a_faster_whisper_folder(copied: Path, tmp_path: Path) -> None:
    add(copied, tmp_path / "models" / "mine")
    model = read_model(tmp_path / "models" / "mine")
    assert model.phone_head == read_model(SHIPPED).phone_head
    assert (model.folder / "model.bin").read_bytes() == (SHIPPED / "model.bin").read_bytes()
    assert model.sums.intact
    assert model.folder.stat().st_mode & 0o777 == 0o755


def test_a_cache_of_links_becomes_files(foreign: Path, tmp_path: Path) -> None:
    """As huggingface_hub leaves them: snapshots/REVISION/NAME is a link to blobs/DIGEST."""
    blobs = tmp_path / "cache" / "blobs"
    blobs.parent.mkdir()
    foreign.rename(blobs)
    snapshot = tmp_path / "cache" / "snapshots" / "1f2e"
    snapshot.mkdir(parents=True)
    for path in blobs.iterdir():
        (snapshot / path.name).symlink_to(f"../../blobs/{path.name}")
    add(snapshot, tmp_path / "models" / "tiny")
    model = tmp_path / "models" / "tiny"
    assert not any(path.is_symlink() for path in model.iterdir())
    assert (model / "LICENSE.txt").read_text() == "MIT"


@pytest.mark.parametrize("name", ["README.md", "model.bin", "more"])
@pytest.mark.parametrize("to", ["/etc/passwd", "../secret", "../none", "../blobs/secret"])
def test_a_link_that_leads_out_is_refused(copied: Path, tmp_path: Path, name: str, to: str) -> None:
    for place in (tmp_path, tmp_path / "blobs"):
        place.mkdir(exist_ok=True)
        (place / "secret").write_text("key")
    (copied / name).unlink(missing_ok=True)
    (copied / name).symlink_to(to)
    with pytest.raises(ConfigError, match=f"{name}: a link to .*, outside of the folder"):
        add(copied, tmp_path / "models" / "mine")
    assert not (tmp_path / "models").exists()


def test_a_blob_that_is_a_link_itself_is_refused(copied: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "cache" / "snapshots" / "1f2e"
    snapshot.parent.mkdir(parents=True)
    copied.rename(snapshot)
    (tmp_path / "cache" / "blobs").mkdir()
    (tmp_path / "cache" / "blobs" / "ab").symlink_to("/etc/passwd")
    (snapshot / "README.md").symlink_to("../../blobs/ab")
    with pytest.raises(ConfigError, match="a link to /etc/passwd"):
        add(snapshot, tmp_path / "models" / "mine")


def test_what_is_no_part_of_a_model_stays_behind(copied: Path, tmp_path: Path) -> None:
    os.mkfifo(copied / "pipe")
    (copied / "more").mkdir()
    (copied / "inner.txt").symlink_to("README.md")
    (copied / "README.md").write_text("about")
    for name in ("pytorch_model.bin", "weights.pt"):
        (copied / name).write_text("a program")
    add(copied, tmp_path / "models" / "mine")
    found = {path.name for path in (tmp_path / "models" / "mine").iterdir()}
    assert not found & {"pipe", "more", "pytorch_model.bin", "weights.pt"}
    assert {"README.md", "inner.txt"} <= found


def cut(name: str):
    def harm(folder: Path) -> None:
        path = folder / name
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    return harm


def sealed_and_changed(folder: Path) -> None:
    write_checksums(folder)
    with (folder / "model.bin").open("r+b") as file:
        file.seek(5_000_000)
        file.write(b"damage")


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (cut("model.bin"), r"stick cannot be loaded: .*; damaged, .*copy the whole folder again"),
        (cut("tokenizer.json"), "cannot be loaded|tokenizer"),
        (cut("vocabulary.json"), "damaged|cannot be loaded"),
        (cut("ctc.npz"), r"stick/ctc\.npz: not a phone head: .*appliance models check"),
        (cut("language.npz"), r"stick/language\.npz: not a language"),
        (sealed_and_changed, r"not as it was when SHA256SUMS was written: changed: model\.bin"),
        (lambda folder: (folder / "tokenizer.json").unlink(),
         r"holds model\.bin but no tokenizer\.json"),
        (lambda folder: (folder / "vocabulary.json").unlink(), r"no vocabulary\.json"),
        (lambda folder: (folder / "model.bin").unlink(),
         r"neither a faster-whisper folder \(model\.bin\) nor a Hugging Face"),
        (shutil.rmtree, "no such folder"),
    ],
)  # fmt: skip
def test_what_cannot_be_added_leaves_nothing(copied: Path, tmp_path: Path, harm, said) -> None:
    harm(copied)
    with pytest.raises(ConfigError, match=said):
        add(copied, tmp_path / "models" / "mine")
    models = tmp_path / "models"
    assert not models.exists() or not list(models.iterdir())


@pytest.mark.parametrize("name", ["../mine", ".mine", "a b", "", "..", "x" * 65])
def test_names(copied: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be a model's name"):
        add_model(copied, tmp_path / "models", name, NOW, print)
    assert not (tmp_path / "models").exists()


def test_a_name_that_is_taken(copied: Path, tmp_path: Path) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"mine: the name is taken; give another \(--name\)"):
        add(copied, tmp_path / "models" / "mine")


def test_a_disk_that_is_too_full_is_told_before(copied: Path, tmp_path: Path, monkeypatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=3_000_000))
    with pytest.raises(
        ConfigError, match=r"the disk is too full: 1\d MB are needed, 3 MB are free"
    ):
        add(copied, tmp_path / "models" / "mine")
    assert not list((tmp_path / "models").iterdir())


ADDING = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from appliance.errors import ConfigError
from appliance.stt.installing import add_model
try:
    target = Path(sys.argv[2])
    now = datetime(2026, 1, 1, tzinfo=UTC)
    add_model(Path(sys.argv[1]), target.parent, target.name, now, print)
except ConfigError as error:
    print(error)
    sys.exit(2)
"""


def test_a_file_that_cannot_be_written_to_its_end(copied: Path, tmp_path: Path) -> None:
    """The kernel stops the write in the middle of model.bin, as a full disk would."""
    done = subprocess.run(
        [sys.executable, "-c", ADDING, str(copied), str(tmp_path / "models" / "mine")],
        cwd=ROOT, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10**6, 10**6)),
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        2, f"{tmp_path}/models/mine: the model cannot be made: File too large",
    )  # fmt: skip
    assert not list((tmp_path / "models").iterdir())


KILLED = ADDING.replace("print)", "lambda step: step == sys.argv[3] and os.kill(os.getpid(), 9))")


@pytest.mark.parametrize("step", ["copy", "checksums of the source", "checksums"])
def test_killed_at_any_step_nothing_appears_and_the_next_sweeps(
    copied: Path, tmp_path: Path, step: str
) -> None:
    models = tmp_path / "models"
    command = [
        sys.executable,
        "-c",
        "import os\n" + KILLED,
        str(copied),
        str(models / "mine"),
        step,
    ]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert find_folders(models, HearingConfig(models=ModelsConfig(en=tmp_path, es=tmp_path))) == []
    assert [path.name.startswith(".mine.") for path in models.iterdir()] == [True]
    add(copied, models / "mine")
    assert [path.name for path in models.iterdir()] == ["mine"]


def test_which_model_calls_use(copied: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    add(copied, models / "mine")
    hearing = HearingConfig(models=ModelsConfig(en=models / "mine", es=tmp_path / "none"))
    (models / "recipe").mkdir()
    assert find_folders(models, hearing) == [models / "mine"]
    assert find_folders(tmp_path / "empty", hearing) == [models / "mine"]
    assert languages_of_calls(models / "x" / ".." / "mine", hearing) == ("en",)
    assert find_folder("mine", models) == models / "mine"
    assert find_folder(str(copied), models) == copied
    assert_model(hearing, "en")
    with pytest.raises(
        ConfigError, match=r"hearing\.models\.es: .*none: there is no model; add one"
    ):
        assert_model(hearing, "es")
    with pytest.raises(ConfigError, match="recipe: no model of that name"):
        find_folder("recipe", models)


def tokens(folder: Path, names: list[str]) -> None:
    (folder / "vocabulary.json").write_text(json.dumps(names))


def test_languages_of_official_models(copied: Path) -> None:
    names = [f"w{n}" for n in range(51762)] + ["<|zh|>", "<|es|>", "<|en|>"]
    tokens(copied, [*names, *(f"<|{n}|>" for n in range(99))])
    (copied / "hearing.json").unlink(missing_ok=True)
    (copied / "config.json").write_text(json.dumps({"lang_ids": [51762, 51763, 51764]}))
    assert len(names) + 99 == 51864
    assert read_model(copied).languages == ("en",)  # names them all, and was taught one
    tokens(copied, [*names, *(f"<|{n}|>" for n in range(100))])
    assert read_model(copied).languages == ("en", "es", "zh")
    (copied / "hearing.json").write_text('{"language": "es"}')
    assert read_model(copied).languages == ("es",)
    (copied / "hearing.json").write_text("[")
    with pytest.raises(ConfigError, match=r"hearing\.json: damaged"):
        read_model(copied)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("preprocessor_config.json", '{"sampling_rate": null}'),
        ("preprocessor_config.json", '{"sampling_rate": "x"}'),
        ("preprocessor_config.json", '{"sampling_rate": 0}'),
        ("preprocessor_config.json", "[" * 100_000),
        ("config.json", '{"lang_ids": ["x"]}'),
        ("config.json", '{"lang_ids": 5}'),
        ("config.json", '{"lang_ids": {"1": 2}}'),
        ("vocabulary.json", '{"a": 1}'),
        ("hearing.json", "3"),
        ("SHA256SUMS", "x"),
    ],
)
def test_odd_files_are_named(copied: Path, name: str, text: str) -> None:
    (copied / "hearing.json").unlink(missing_ok=True)
    (copied / name).write_text(text)
    with pytest.raises(ConfigError, match=f"{name}:"):
        read_model(copied)
    assert name in inspect(copied).faults[0]


def test_what_is_seen_without_loading(copied: Path, tmp_path: Path) -> None:
    hearing = HearingConfig(models=ModelsConfig(en=copied, es=copied))
    (copied / "hearing.json").write_text('{"language": "es"}')
    assert_model(hearing, "es")
    with pytest.raises(ConfigError, match=r"hearing\.models\.en: .* hears es"):
        assert_model(hearing, "en")
    (copied / "model.bin").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"hearing\.models\.es: .*model\.bin: empty"):
        assert_model(hearing, "es")


def test_what_inspection_finds(copied: Path) -> None:
    assert inspect(copied).faults == ()
    assert "no SHA256SUMS" in inspect(copied).notes[0]
    write_checksums(copied)
    assert inspect(copied).notes == ()
    (copied / "more.txt").write_text("")
    assert inspect(copied).notes == ("more.txt: not in SHA256SUMS",)
    cut("model.bin")(copied)
    assert inspect(copied).faults == ("model.bin: not the file it was",)
    write_checksums(copied)
    assert "cannot be loaded" in inspect(copied).faults[0]
    (copied / "model.bin").unlink()
    assert "not a faster-whisper model" in inspect(copied).faults[0]
