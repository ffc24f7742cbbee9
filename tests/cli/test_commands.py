import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def appliance(*args: str, said: str = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "appliance", *args],
        input=said, capture_output=True, text=True, cwd=cwd, timeout=60, check=False,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip


@pytest.mark.parametrize("command", [["serve"], ["demo"], ["chat"], ["config", "check"]])
def test_help_has_an_example(command: list[str]) -> None:
    done = appliance(*command, "--help")
    assert done.returncode == 0
    assert f"Example: appliance {' '.join(command)}" in done.stdout


def test_chat_holds_a_conversation() -> None:
    done = appliance("chat", said="yes\n90210\nstop calling me\n")
    assert done.returncode == 0, done.stderr
    assert "mark_do_not_contact" in done.stdout
    assert "ended: cease_contact" in done.stdout


def test_chat_ends_with_its_input() -> None:
    done = appliance("chat", said="")
    assert done.returncode == 0, done.stderr
    assert "Am I speaking with" in done.stdout


def test_chat_with_an_unknown_flow() -> None:
    done = appliance("chat", "nonsense")
    assert done.returncode == 2
    assert "nonsense: neither a shipped flow (" in done.stderr


def test_good_configuration() -> None:
    done = appliance("config", "check", "appliance.example.toml")
    assert done.returncode == 0
    assert "good; flow collections, SIP on 127.0.0.1:5060" in done.stdout


@pytest.mark.parametrize("command", [["config", "check"], ["prompts", "list", "--config"]])
def test_a_flow_that_does_not_speak_the_language_of_calls(
    command: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "spanish.toml"
    path.write_text(
        '[call]\nflow = "renovation"\nlanguage = "es"\n'
        f'[hearing.models]\nes = "{ROOT}/models/stt/es"\n'
        f'[speaking.models]\nes = "{ROOT}/models/voice/es/dita.onnx"\n'
    )
    done = appliance(*command, str(path))
    assert done.returncode == 2
    assert "call.language: flow renovation has no prompts.es.yaml" in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_configuration(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("[line]\nprot = 1\n")
    done = appliance("config", "check", str(path))
    assert done.returncode == 2
    assert f"{path}:2: line.prot: unknown key" in done.stderr
    assert "Traceback" not in done.stderr


def test_serve_without_configuration(tmp_path: Path) -> None:
    done = appliance("serve", cwd=tmp_path)
    assert done.returncode == 2
    assert "appliance.toml: cannot be read: No such file" in done.stderr
