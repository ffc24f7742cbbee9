"""`appliance models` as an operator uses it: a box with the shipped model, a stick, recordings."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile

from appliance.checksums import write_checksums
from tests.cli.in_process import appliance
from tests.stt.whisper_folders import SHIPPED, random_weights, write_huggingface

_SPOKEN = SHIPPED.parents[1] / "voice"
VOICES = f"""
[speaking.models]
en = "{_SPOKEN}/en/kathleen.onnx"
es = "{_SPOKEN}/es/dita.onnx"
[speaking.voices.slow]
speed = 0.75
"""
"""`config check` looks for voices too."""


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """Where the appliance runs: one model, for English, sealed."""
    model = tmp_path / "models/stt/en"
    shutil.copytree(SHIPPED, model)
    write_checksums(model)
    (tmp_path / "appliance.toml").write_text("")
    return tmp_path


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    weights, config = random_weights(64, 1)
    return write_huggingface(tmp_path / "stick" / "whisper-tiny", weights, config)


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """Two that can be heard (of noise: nobody speaks in them), and one that is no sound at all."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    noise = 0.05 * np.random.default_rng(1).standard_normal(8000)
    for name in ("a.wav", "b.wav"):
        soundfile.write(folder / name, noise, 8000)
    (folder / "c.wav").write_text("no sound")
    (folder / "said.tsv").write_text("file\ttext\tgroup\na.wav\tone two\tx\nb.wav\tyes\ty\n"
                                     "c.wav\tno\ty\n")  # fmt: skip
    return folder


def test_list_add_check(box: Path, stick: Path) -> None:
    added = appliance("models", "add", stick, cwd=box)
    assert added.returncode == 0, added.stderr
    assert "· convert and quantize to int8" in added.stdout
    assert f'en = "{box}/models/stt/whisper-tiny" in [hearing.models]' in added.stdout

    listed = appliance("models", "list", cwd=box)
    assert listed.returncode == 0
    header, *rows = (line.split() for line in listed.stdout.splitlines())
    assert header[:3] == ["model", "origin", "languages"]
    assert [row[:3] for row in rows] == [["en", "shipped", "en"], ["whisper-tiny", "added", "en"]]
    assert ["good", "en", f"{box}/models/stt/en"] == rows[0][-3:]
    assert rows[1][-2:] == ["good", f"{box}/models/stt/whisper-tiny"]  # calls do not use it
    assert "hearing.models.es:" in listed.stderr

    (box / "appliance.toml").write_text('[hearing.models]\nes = "models/stt/whisper-tiny"\n')
    again = appliance("models", "list", cwd=box)
    assert again.stdout.splitlines()[2].split()[-2] == "es"
    assert again.stderr == ""

    checked = appliance("models", "check", cwd=box)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.splitlines()[-1] == "models: 2, faults: 0"


def test_add_what_is_no_model(box: Path, tmp_path: Path) -> None:
    done = appliance("models", "add", tmp_path, "--name", "x", cwd=box)
    assert done.returncode == 2
    assert done.stderr.startswith(f"appliance: {tmp_path}: neither a faster-whisper folder")


def test_damage_is_found_and_a_change_on_purpose_is_sealed(box: Path) -> None:
    with (box / "models/stt/en/tokenizer.json").open("a") as file:
        file.write("\n")
    found = appliance("models", "check", "en", cwd=box)
    assert found.returncode == 1
    assert "    ✗ tokenizer.json: not the file it was" in found.stdout
    assert "changed: tokenizer.json" in appliance("models", "list", cwd=box).stdout
    assert appliance("models", "check", "en", "--write-sums", cwd=box).returncode == 0
    assert appliance("models", "check", "en", cwd=box).returncode == 0
    all_at_once = appliance("models", "check", "--write-sums", cwd=box)
    assert (all_at_once.returncode, "name the models" in all_at_once.stderr) == (2, True)


@pytest.mark.parametrize("text", ["[", '{"sampling_rate": "x"}'])
def test_an_odd_model_is_listed_as_such_beside_the_others(box: Path, text: str) -> None:
    shutil.copytree(box / "models/stt/en", box / "models/stt/odd")
    (box / "models/stt/odd/preprocessor_config.json").write_text(text)
    listed = appliance("models", "list", cwd=box)
    assert listed.returncode == 0
    assert [line.split()[:2] for line in listed.stdout.splitlines()[1:3]] == [
        ["en", "shipped"],
        ["odd", "?"],
    ]
    assert "preprocessor_config.json: damaged" in listed.stdout


@pytest.mark.parametrize("name", ["ctc.npz", "language.npz"])
def test_a_truncated_file_is_a_fault_and_no_traceback(
    box: Path, recordings: Path, name: str
) -> None:
    shutil.copytree(box / "models/stt/en", box / "models/stt/bad")
    path = box / "models/stt/bad" / name
    path.write_bytes(path.read_bytes()[:5000])
    write_checksums(path.parent)
    checked = appliance("models", "check", cwd=box)
    assert checked.returncode == 1
    assert f"{name}: not a " in checked.stdout
    assert [line[0] for line in checked.stdout.splitlines()[:2]] == ["✗", " "]
    assert f"✓ {box}/models/stt/en" in checked.stdout  # it goes on to the next
    for command in (("add", path.parent, "--name", "new"), ("eval", recordings, "--model", "bad")):
        done = appliance("models", *command, cwd=box)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"{name}: not a " in done.stderr


def test_eval_counts_and_names_what_it_left_out(
    box: Path, stick: Path, recordings: Path, tmp_path: Path
) -> None:
    figures, heard = tmp_path / "figures.json", tmp_path / "heard.tsv"
    done = appliance(
        "models", "eval", recordings, "--model", "en", "--model", stick.parent.parent / "none",
        cwd=box,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no model of that name" in done.stderr
    done = appliance("models", "eval", recordings, "--channel", "recorded", "--json", figures,
                     "--transcripts", heard, cwd=box)  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert f"✗ {recordings}/c.wav: cannot be read" in done.stderr
    assert "1 of 3 recordings left out" in done.stderr
    told = json.loads(figures.read_text())
    assert (told["channel"], told["window"], told["language"]) == ("recorded", "short", "en")
    assert [each["file"] for each in told["skipped"]] == [f"{recordings}/c.wav"]
    shipped = hashlib.sha256((SHIPPED / "model.bin").read_bytes()).hexdigest()
    assert told["models"][0]["sha256"] == shipped
    groups = told["models"][0]["groups"]
    assert groups.keys() == {"all", "x", "y"}
    assert groups["all"]["utterances"] == 2
    assert groups["all"]["wer"]["count"] == 3
    assert groups["x"]["digits"]["count"] == 1
    assert groups["y"]["digits"] is None
    lines = [line.split("\t") for line in heard.read_text().splitlines()]
    assert lines[0] == ["model", "file", "errors", "said", "heard"]
    assert [line[1:4:2] for line in lines[1:]] == [["a.wav", "one two"], ["b.wav", "yes"]]


def test_eval_of_two_models_and_a_part(box: Path, stick: Path, recordings: Path) -> None:
    assert appliance("models", "add", stick, "--name", "tiny", cwd=box).returncode == 0
    done = appliance(
        "models", "eval", recordings, "--model", "en", "--model", "tiny", "--limit", "1",
        "--window", "padded", cwd=box,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:3]]
    assert [row[:3] for row in rows] == [["en", "all", "1"], ["tiny", "all", "1"]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--channel", "radio"], "--channel: radio: there are telephone, clean, recorded"),
        (["--window", "wide"], "--window: wide: there are short, padded"),
        (["--language", "fr"], "--language: fr: there are en, es"),
        (["--language", "es"], "hearing.models.es: "),
        (["--json", "none/figures.json"], "there is no folder none"),
        (["--table", "none.tsv"], "none.tsv: cannot be read: No such file"),
        (["--json", "appliance.toml/x"], "there is no folder appliance.toml"),
        (["--json", "models"], "models: cannot be written: Is a directory"),
        (["--transcripts", "recordings/said.tsv"], "is one of the files that are judged by"),
        (["--json", "recordings/x/../b.wav"], "is one of the files that are judged by"),
    ],
)
def test_eval_refuses_what_it_does_not_know(
    box: Path, recordings: Path, options: list[str], said: str
) -> None:
    (recordings / "x").mkdir()
    before = {path: path.read_bytes() for path in recordings.iterdir() if path.is_file()}
    done = appliance("models", "eval", recordings, *options, cwd=box)
    assert done.returncode == 2
    assert said in done.stderr
    assert before == {path: path.read_bytes() for path in recordings.iterdir() if path.is_file()}


def test_eval_of_nothing_that_can_be_used(box: Path, recordings: Path) -> None:
    for name in ("a.wav", "b.wav"):
        (recordings / name).unlink()
    done = appliance("models", "eval", recordings, cwd=box)
    assert done.returncode == 2
    assert "none of 3 recordings can be used" in done.stderr
    assert "a.wav: no such file" in done.stderr


def test_a_model_that_cannot_be_used_is_not_sealed(box: Path) -> None:
    model = box / "models/stt/en"
    sealed = (model / "SHA256SUMS").read_bytes()
    whole = (model / "model.bin").read_bytes()
    (model / "model.bin").write_bytes(whole[:5_000_000])
    done = appliance("models", "check", "en", "--write-sums", cwd=box)
    assert done.returncode == 2
    assert f"{model} cannot be loaded" in done.stderr
    assert (model / "SHA256SUMS").read_bytes() == sealed
    (model / "model.bin").write_bytes(whole)
    (model / "tokenizer.json").rename(model / "gone")
    done = appliance("models", "check", "en", "--write-sums", cwd=box)
    assert (done.returncode, "not sealed: no tokenizer.json" in done.stderr) == (2, True)
    (model / "gone").rename(model / "tokenizer.json")
    (model / "more.txt").write_text("")
    done = appliance("models", "check", "en", "--write-sums", cwd=box)
    assert done.returncode == 0
    assert f"{model}: sealed; before: not listed: more.txt" in done.stdout
    (model / "SHA256SUMS").write_text("")
    done = appliance("models", "check", "en", "--write-sums", cwd=box)
    assert (done.returncode, "SHA256SUMS: empty" in done.stdout) == (0, True)


def test_check_tells_of_a_missing_model_and_how_to_seal(box: Path) -> None:
    (box / "models/stt/en/SHA256SUMS").unlink()
    done = appliance("models", "check", cwd=box)
    assert done.returncode == 0
    assert "hearing.models.es: " in done.stderr
    command = f"appliance models check {box}/models/stt/en --write-sums"
    assert f"({command})" in done.stdout
    assert appliance(*command.split()[1:], cwd=box).returncode == 0


def test_the_advice_is_a_path_that_any_configuration_can_name(box: Path, stick: Path) -> None:
    done = appliance("models", "add", stick, "--models", "models/stt", cwd=box)
    assert f'en = "{box}/models/stt/whisper-tiny"' in done.stdout


def test_config_check_tells_of_a_missing_model(box: Path) -> None:
    (box / "appliance.toml").write_text(VOICES)
    assert appliance("config", "check", "appliance.toml", cwd=box).returncode == 0
    (box / "appliance.toml").write_text(f'{VOICES}[call]\nlanguage = "es"\n')
    done = appliance("config", "check", "appliance.toml", cwd=box)
    assert done.returncode == 2
    assert "hearing.models.es: " in done.stderr
    assert "appliance models add FOLDER --name es" in done.stderr


def test_config_check_tells_of_a_viewer_that_others_may_be(box: Path) -> None:
    (box / "open").mkdir()
    (box / "open").chmod(0o777)
    (box / "appliance.toml").write_text(f'{VOICES}[hearing]\nlive_view = "open/live.sock"\n')
    done = appliance("config", "check", "appliance.toml", cwd=box)
    assert done.returncode == 2
    assert "hearing.live_view: " in done.stderr
    assert "others may write there" in done.stderr


@pytest.mark.parametrize("command", ["list", "add", "check", "eval"])
def test_help_has_an_example(command: str, tmp_path: Path) -> None:
    done = appliance("models", command, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert f"Example: appliance models {command} " in done.stdout
