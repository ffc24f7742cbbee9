"""`appliance voices` as an operator uses it: a box with a shipped voice, a stick with another."""

import json
import wave
from pathlib import Path

import numpy as np
import pytest

from appliance.audio.level import active_level_dbm0, to_float
from appliance.checksums import write_checksums
from tests.cli.in_process import Done, appliance
from tests.tts.piper_voices import RATE_HZ, write_voice


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """Where the appliance runs: one voice, for English, sealed; bob is the same one, lower."""
    voice = write_voice(tmp_path / "models/voice/en/kathleen.onnx")
    write_checksums(voice.parent)
    (tmp_path / "appliance.toml").write_text("[speaking.voices.bob]\npitch = 0.84\n")
    return tmp_path


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    return write_voice(tmp_path / "stick/es_MX-several-medium.onnx", speakers=3, locale="es_MX")


def rows(done: Done) -> list[list[str]]:
    return [line.split() for line in done.stdout.splitlines()[1:]]


def dominant_hz(path: Path) -> tuple[float, int]:
    with wave.open(str(path)) as file:
        rate_hz = file.getframerate()
        samples = to_float(file.readframes(file.getnframes()))
    power = np.abs(np.fft.rfft(samples[:rate_hz]))
    return float(power.argmax()), rate_hz


def test_add_list_and_use(box: Path, stick: Path) -> None:
    (stick.parent / "LICENSE").write_text("CC0")
    added = appliance("voices", "add", stick, "--name", "several", cwd=box)
    assert added.returncode == 0, added.stderr
    file = f"{box}/models/voice/several/several.onnx"
    assert "· load it and let it speak" in added.stdout
    assert f'To use it: es = "{file}" in [speaking.models]' in added.stdout
    assert (box / "models/voice/several/LICENSE").read_text() == "CC0"

    listed = appliance("voices", "list", cwd=box)
    assert [[*row[:5], row[6], row[7]] for row in rows(listed)] == [
        ["kathleen", "shipped", "en_US", "22.05", "1", "-", "-"],
        ["several", "added", "es_MX", "22.05", "3", "-", "-"],
    ]
    assert rows(listed)[0][8:11] == ["good", "default,", "bob"]
    assert rows(listed)[1][8:] == ["good", file]
    assert "speaking.models.es: " in listed.stderr

    (box / "appliance.toml").write_text(
        '[call]\nlanguage = "es"\n[speaking.models]\nes = "models/voice/several/several.onnx"\n'
        '[speaking.voices.bob]\nes = "models/voice/several/several.onnx"\nspeaker = "p2"\n'
    )
    again = appliance("voices", "list", cwd=box)
    assert rows(again)[1][8:11] == ["good", "default,", "bob"]
    assert again.stderr == ""
    assert appliance("voices", "check", cwd=box).stdout.endswith("voices: 2, faults: 0\n")


def test_try_writes_what_is_heard_and_what_it_costs(box: Path) -> None:
    (box / "out").mkdir()
    done = appliance("voices", "try", "kathleen", "Hello there. How are you today?",
                     "--out", "out", "--json", "figures.json", cwd=box)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert dominant_hz(box / "out/kathleen.wav") == (150, RATE_HZ)
    assert dominant_hz(box / "out/kathleen.telephone.wav")[1] == 8000
    with wave.open(str(box / "out/kathleen.telephone.wav")) as file:
        level_dbm0 = active_level_dbm0(to_float(file.readframes(file.getnframes())))
    assert level_dbm0 == pytest.approx(-20, abs=3)
    figures = json.loads((box / "figures.json").read_text())
    assert figures["voice"] == f"{box}/models/voice/en/kathleen.onnx"
    assert figures["level_dbm0"] == pytest.approx(level_dbm0, abs=0.1)
    assert 0 < figures["real_time_factor"] < 5
    assert figures["left_out"] == []
    assert f"factor {figures['real_time_factor']:.3f}, of the processor" in done.stdout
    row = rows(appliance("voices", "list", cwd=box))[0]
    assert row[6:8] == [f"{figures['real_time_factor']:.3f}", f"{figures['first_audio_ms']:.0f}"]


def test_try_a_persona_a_file_and_a_speaker(box: Path, stick: Path) -> None:
    assert appliance("voices", "try", "bob", cwd=box).returncode == 0
    assert dominant_hz(box / "bob.wav")[0] == pytest.approx(150 * 0.84, abs=1)
    assert appliance("voices", "try", "default", "--pitch", "1.2", cwd=box).returncode == 0
    assert dominant_hz(box / "default.wav")[0] == pytest.approx(180, abs=1)
    done = appliance("voices", "try", stick, "--speaker", "p2", cwd=box)
    assert done.returncode == 0, done.stderr
    assert dominant_hz(box / "es_MX-several-medium.wav")[0] == pytest.approx(270, abs=1)
    assert "es_MX, speaker p2" in done.stdout


def test_sounds_that_a_voice_lacks_are_told(box: Path) -> None:
    settings = box / "models/voice/en/kathleen.onnx.json"
    said = json.loads(settings.read_text())
    del said["phoneme_id_map"]["ʃ"]
    settings.write_text(json.dumps(said))
    done = appliance("voices", "try", "kathleen", "Shall we?", cwd=box)
    assert "left out     ʃ" in done.stdout
    checked = appliance("voices", "check", "kathleen", "--write-sums", cwd=box)
    assert checked.returncode == 0
    assert "has no sound for ʃ, and leaves it out" in checked.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("carol",), "carol: no voice of that name"),
        (("bob", "--speaker", "p9"), "has no speaker p9; it has 0 to 0"),
        (("bob", "--language", "fr"), "--language: fr: there are en, es"),
        (("bob", "--language", "es"), "speaking.models.es: "),
        (("kathleen", "--language", "es"), "speaks en_US"),
        (("bob", "..."), "there is nothing to say"),
        (("bob", "--out", "none"), "there is no folder none"),
        (("bob", "<b>Hello</b>"), "the text cannot be spoken: <b>"),
        (("bob", '<break time="300ms"/>'), "there is nothing to say"),
    ],
)
def test_try_refuses(box: Path, arguments: tuple[str, ...], said: str) -> None:
    done = appliance("voices", "try", *arguments, cwd=box)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_damage_is_found_and_a_change_on_purpose_is_sealed(box: Path) -> None:
    voice = box / "models/voice/en/kathleen.onnx"
    write_voice(voice, loudness=0.2)
    found = appliance("voices", "check", cwd=box)
    assert found.returncode == 1
    assert "    ✗ kathleen.onnx: not the file it was" in found.stdout
    assert "changed: kathleen.onnx" in appliance("voices", "list", cwd=box).stdout
    done = appliance("voices", "check", "--write-sums", cwd=box)
    assert (done.returncode, "name the voices" in done.stderr) == (2, True)
    assert appliance("voices", "check", "kathleen", "--write-sums", cwd=box).returncode == 0
    assert appliance("voices", "check", cwd=box).returncode == 0
    voice.write_bytes(voice.read_bytes()[:300])
    done = appliance("voices", "check", "kathleen", "--write-sums", cwd=box)
    assert (done.returncode, "cannot be loaded" in done.stderr) == (2, True)


def test_an_odd_voice_is_listed_beside_the_others(box: Path, stick: Path) -> None:
    odd = box / "models/voice/odd/odd.onnx"
    odd.parent.mkdir()
    odd.write_bytes(b"")
    (odd.parent / "odd.onnx.json").write_text("[")
    listed = appliance("voices", "list", cwd=box)
    assert [row[:2] for row in rows(listed)] == [["kathleen", "shipped"], ["odd", "?"]]
    assert "odd.onnx.json: no settings of a voice" in listed.stdout


def test_config_check_tells_of_a_voice_that_is_not_there(box: Path) -> None:
    (box / "models/stt").symlink_to(Path(__file__).parents[2] / "models/stt")
    assert appliance("config", "check", "appliance.toml", cwd=box).returncode == 0
    (box / "appliance.toml").write_text('[speaking.voices.bob]\nen = "bob.onnx"\n')
    done = appliance("config", "check", "appliance.toml", cwd=box)
    assert done.returncode == 2
    assert f"speaking.voices.bob.en: {box}/bob.onnx is missing" in done.stderr
    assert "appliance voices add FILE" in done.stderr
    (box / "appliance.toml").write_text('[call]\nlanguage = "es"\n')
    done = appliance("config", "check", "appliance.toml", cwd=box)
    assert (done.returncode, "speaking.models.es: " in done.stderr) == (2, True)


@pytest.mark.parametrize("command", ["list", "add", "check", "try"])
def test_help_has_an_example(command: str, tmp_path: Path) -> None:
    done = appliance("voices", command, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert f"Example: appliance voices {command} " in done.stdout
