"""`appliance prompts` on a small flow with the shipped voice."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from appliance.cli.main import app
from appliance.errors import StoreError
from appliance.testing.served import ROOT

FLOW = """\
flow: tiny
version: 1
start: gate
automation: machine
holding: wait
outcomes: [over]
variables: {name: {type: name, source: account}}
universal:
  robot_question: {say: machine}
  stop_request: {goto: over}
fallbacks:
  unclear: {goto: over}
  silence: {goto: over}
  engine_failed: {goto: over}
  repeated: {goto: over}
  hung_up: {goto: over}
out_of_turns: {goto: over}
states:
  gate: {kind: decision, phase: only, ask: who, on: {affirmation: {goto: over}}}
  over: {kind: terminal, outcome: over}
"""
PROMPTS = """\
language: en
prompts:
  who: Hello. Am I speaking with {name}?
  machine: I am a machine.
  wait: One moment, please.
"""
SENTENCES = ("Hello.", "Am I speaking with {name}?", "I am a machine.", "One moment, please.")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/flow.yaml").write_text(FLOW, encoding="utf-8")
    (tmp_path / "tiny/prompts.en.yaml").write_text(PROMPTS, encoding="utf-8")
    path = tmp_path / "appliance.toml"
    path.write_text(
        f'[speaking]\ncache = "{tmp_path}/prompts"\nvoices = {{}}\n'
        f'[speaking.models]\nen = "{ROOT}/models/voice/en/kathleen.onnx"\n'
        f'[call]\nflow = "{tmp_path}/tiny"\n',
        encoding="utf-8",
    )
    return path


def run(config: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["prompts", *arguments, "--config", str(config)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_rendered_listed_checked_and_pruned(config: Path, tmp_path: Path) -> None:
    code, told = run(config, "check")
    assert (code, told.count("not rendered:")) == (1, 4)
    assert run(config, "render")[0] == 0
    assert run(config, "check") == (0, "prompts: damaged 0, not rendered 0\n")
    code, told = run(config, "list")
    assert code == 0
    assert all(sentence in told for sentence in SENTENCES)
    assert told.count(" head ") == 1
    assert "All prompts are rendered" in run(config, "list", "--missing")[1]

    prompts = tmp_path / "tiny/prompts.en.yaml"
    prompts.write_text(PROMPTS.replace("I am a machine", "I am no person"), encoding="utf-8")
    assert "would go: 1 files" in run(config, "prune", "--dry-run")[1]
    assert "removed: 0 files" in run(config, "prune", "--older-than", "1")[1]
    assert "left: 3 files" in run(config, "prune")[1]
    damaged = next((tmp_path / "prompts").rglob("*.spoken"))
    damaged.write_bytes(b"x")
    code, told = run(config, "check")
    assert code == 1
    assert f"{damaged}: damaged" in told
    assert "damaged 1, not rendered 1" in told
    assert told.count(damaged.name) == 1


def test_rendering_ends_at_the_first_prompt_that_cannot_be_written(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Path] = []

    def no_space(path: Path, _data: bytes) -> int:
        tried.append(path)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", no_space)
    done = CliRunner().invoke(app, ["prompts", "render", "--config", str(config)])
    assert isinstance(done.exception, StoreError)  # which `main` tells, with exit code 2
    assert "No space left on device" in str(done.exception)
    assert len(tried) == 1
