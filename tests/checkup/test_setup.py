"""`appliance setup` on a terminal, as on a serial console; and by a file, for a real box."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from appliance.config import load_config
from appliance.testing.served import Served, Trial, write_flow_trial
from tests.checkup.pbx import BOX, SECRETS, Pbx
from tests.cli import in_process

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]


def typed(box: Trial, *lines: str) -> tuple[int, str]:
    """Exit code and screen of a setup at whose prompts these lines are typed."""
    command = [sys.executable, "-m", "appliance", "setup", "--config", str(box.config)]
    child, screen = pty.fork()
    if child == 0:
        os.execv(sys.executable, command)
    shown, left = b"", list(lines)
    deadline = time.monotonic() + 100
    with contextlib.suppress(OSError):  # the terminal is closed at the end
        while time.monotonic() < deadline:
            if select.select([screen], [], [], 0.2)[0]:
                got = os.read(screen, 4096)
                if not got:
                    break
                shown += got
            elif shown.endswith(b": ") and left:
                os.write(screen, left.pop(0).encode() + b"\n")
                shown += b"\n"
    os.close(screen)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


def test_a_person_at_a_terminal(tmp_path: Path) -> None:
    box = write_flow_trial(tmp_path, "campaign")
    before = box.config.read_text()
    with Pbx(tmp_path / "pbx") as pbx:
        first = (f"127.0.0.1:{pbx.port}", "no", "", "", "29", "<", BOX, "wrong", "again")
        code, screen = typed(box, *first, SECRETS[BOX], "", "", "", "", "", "<", "", "yes")
    assert code == 0, screen
    assert "the password is wrong" in screen
    assert SECRETS[BOX] not in screen
    assert "No systemd runs this machine" in screen
    registrar = load_config(box.config).line.registrar
    assert registrar is not None
    assert (registrar.user, registrar.server) == (BOX, f"sip:127.0.0.1:{pbx.port}")
    assert registrar.password_file.read_text() == f"{SECRETS[BOX]}\n"
    assert box.config.with_name("appliance.toml.bak").read_text() == before


def test_leaving_it_writes_nothing(tmp_path: Path) -> None:
    box = write_flow_trial(tmp_path, "campaign")
    before = box.config.read_text()
    with Pbx(tmp_path / "pbx") as pbx:
        first = (f"127.0.0.1:{pbx.port}", "no", "", "", BOX, SECRETS[BOX], "", "", "", "", "")
        code, screen = typed(box, *first, "quit")
        assert (code, "nothing was written" in screen) == (2, True), screen
        code, _ = typed(box, first[0], "\x04")  # end of file
        assert code == 2
    assert box.config.read_text() == before
    assert [each.name for each in tmp_path.iterdir() if each.name == "secrets"] == []


def test_file_of_answers_makes_a_box_that_calls_itself(tmp_path: Path) -> None:
    box = write_flow_trial(tmp_path, "campaign")
    with Pbx(tmp_path / "pbx") as pbx:
        (tmp_path / "pw").write_text(f"{SECRETS[BOX]}\n")
        answers = tmp_path / "answers.toml"
        answers.write_text(f'pbx = "127.0.0.1:{pbx.port}"\nedge = false\nextension = "{BOX}"\n'
                           'password_file = "pw"\n')  # fmt: skip
        args = ("setup", "--answers", answers, "--config", box.config)
        done = in_process.appliance(*args, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        with Served(box.config) as served:
            while not any(each.get("event") == "registration" for each in served.log):
                time.sleep(0.1)
            doctor = [sys.executable, "-m", "appliance", "doctor", "--json", "--only",
                      "registration", "--only", "call", "--config", str(box.config)]  # fmt: skip
            told = subprocess.run(doctor, capture_output=True, text=True, check=False, timeout=120)
    findings = json.loads(told.stdout)["findings"]
    states = {each["check"]: each["status"] for each in findings}
    assert states.pop("latency") in ("ok", "warn")  # this machine may be busy
    assert set(states.values()) == {"ok"}, findings
