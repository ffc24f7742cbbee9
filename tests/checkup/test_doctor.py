"""`appliance doctor` as an operator uses it: a real PBX, a real appliance, real calls."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from appliance.config import load_config
from appliance.store.database import Database
from appliance.store.papers import CARD, Papers
from appliance.testing.served import Sections, Served, Trial, write_flow_trial
from tests.checkup.pbx import BOX, OTHER, SECRETS, Pbx
from tests.cli import in_process

pytestmark = pytest.mark.timeout(300)
QUICK = ("secrets", "ports", "pbx", "registration", "call")


def trial(folder: Path, pbx: Pbx, user: str = BOX, extra: Sections | None = None) -> Trial:
    """A box that is extension `user` of the PBX."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, secret in SECRETS.items():
        (folder / name).write_text(f"{secret}\n")
        (folder / name).chmod(0o600)
    password = str(folder / (user if user in SECRETS else BOX))
    registrar = {"server": pbx.server, "user": user, "password_file": password}
    return write_flow_trial(folder, "booking", {"line.registrar": registrar, **(extra or {})})


@contextmanager
def registered(box: Trial) -> Iterator[Served]:
    """A box that runs, once the PBX has answered its registration."""
    with Served(box.config) as served:
        deadline = time.monotonic() + 20
        while not any(each.get("event") == "registration" for each in served.log):
            assert time.monotonic() < deadline, "the line did not register"
            time.sleep(0.1)
        yield served


CODES = {"ok": 0, "skipped": 0, "warn": 1, "fail": 2}


def doctor(box: Trial, *only: str) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    """Exit code and findings by check; in a process of its own, as the models are loaded.

    Without the latency, of which a busy machine would warn.
    """
    wanted = [part for name in only for part in ("--only", name)]
    command = [sys.executable, "-m", "appliance", "doctor", "--json", "--config", str(box.config)]
    done = subprocess.run(
        [*command, *wanted], capture_output=True, text=True, check=False, timeout=200
    )
    assert done.stdout, done.stderr
    findings: dict[str, list[dict[str, Any]]] = {}
    for each in json.loads(done.stdout)["findings"]:
        findings.setdefault(each["check"], []).append(each)
    for secret in SECRETS.values():
        assert secret not in done.stdout + done.stderr
    worst = max(CODES[each["status"]] for all_ in findings.values() for each in all_)
    assert done.returncode == worst
    late = findings.pop("latency", [])
    assert all(each["status"] in ("ok", "warn") for each in late)
    return max(CODES[each["status"]] for all_ in findings.values() for each in all_), findings


@pytest.mark.slow
def test_good_box_calls_itself_through_the_pbx_and_leaves_nothing(tmp_path: Path) -> None:
    with Pbx(tmp_path / "pbx") as pbx:
        box = trial(tmp_path / "box", pbx)
        with registered(box):
            code, found = doctor(box)
        states = {check: {each["status"] for each in all_} for check, all_ in found.items()}
        assert code == 1, found  # there is no backup yet
        assert states.pop("backups") == {"warn"}
        skipped = {"services", "health", "certificate"}
        for check, status in states.items():
            assert status == ({"skipped"} if check in skipped else {"ok"}), found[check]
        assert "this box is registered" in found["registration"][0]["seen"]
        assert {"test call", "audio to the caller", "audio to the box"} <= set(found)
        (record,) = box.calls.glob("*/*.record.json")
        told = json.loads(record.read_text())
        assert (told["test"], told["number"]) == (True, BOX)
        database = Database(load_config(box.config).record.store)
        assert Papers(database, CARD).latest(10) == [], "a test has no card"
        database.close()
        stopped, found = doctor(box, *QUICK)
        assert (stopped, found["test call"][0]["status"]) == (0, "skipped")


@pytest.mark.slow
def test_extension_that_may_not_call_itself_is_called_from_another(tmp_path: Path) -> None:
    with Pbx(tmp_path / "pbx", self_calls=False) as pbx:
        box = trial(tmp_path / "box", pbx)
        with registered(box):
            code, found = doctor(box, *QUICK)
            assert code == 2
            assert "486" in found["test call"][0]["seen"]
            assert "[checkup]" in found["test call"][0]["remedy"]
        other = {"checkup": {"user": OTHER, "password_file": str(tmp_path / "box" / OTHER)}}
        box = trial(tmp_path / "box", pbx, extra=other)
        with registered(box):
            code, found = doctor(box, *QUICK)
        assert (code, found["test call"][0]["status"]) == (0, "ok"), found


@pytest.mark.slow
def test_extension_that_something_else_answers(tmp_path: Path) -> None:
    """The other box at the extension stands for a voice mail."""
    with Pbx(tmp_path / "pbx") as pbx:
        box = trial(tmp_path / "box", pbx)
        # One telephone an extension: who comes second is not registered.
        with registered(trial(tmp_path / "other", pbx)), Served(box.config):
            code, found = doctor(box, "registration", "call")
    assert code == 2
    assert "not registered; who is: " in found["registration"][0]["seen"]
    assert "no call came to this box" in found["test call"][0]["seen"]


@pytest.mark.slow
def test_customer_account_is_missing_and_the_check_says_so(tmp_path: Path) -> None:
    with Pbx(tmp_path / "pbx") as pbx:
        box = trial(tmp_path / "box", pbx)
        text = box.config.read_text()
        kept = [line for line in text.splitlines() if not line.startswith("accounts")]
        box.config.write_text("\n".join(kept) + "\n")
        with registered(box):
            code, found = doctor(box, "configuration", "call")
    assert (code, found["test call"][0]["status"]) == (1, "ok"), found
    assert "every caller but this check is refused" in found["configuration"][1]["seen"]


def test_stopped_box_is_checked_as_far_as_it_can_be(tmp_path: Path) -> None:
    with Pbx(tmp_path / "pbx") as pbx:
        box = trial(tmp_path / "box", pbx)
        only = [part for name in QUICK for part in ("--only", name)]
        done = in_process.appliance("doctor", "--config", box.config, *only, cwd=tmp_path)
        assert done.returncode == 0, done.stdout
        assert "the box is stopped: nobody would answer" in done.stdout
        assert "1 not made" in done.stdout
        (tmp_path / "box" / BOX).write_text("wrong\n")
        done = in_process.appliance("doctor", "--json", "--config", box.config, *only, cwd=tmp_path)
        assert done.returncode == 2
        assert json.loads(done.stdout)["status"] == "fail"


def test_configuration_that_cannot_be_read_is_the_one_finding(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("[line]\nport = 70000\nprot = 1\n")
    done = in_process.appliance("doctor", "--config", path, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{path}:2: line.port" in done.stdout
    assert f"{path}:3: line.prot" in done.stdout
    assert "2 failures" in done.stdout


def test_unknown_check_names_the_known(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("")
    done = in_process.appliance("doctor", "--only", "nothing", "--config", path, cwd=tmp_path)
    assert done.returncode == 2
    assert "there are configuration, disk, name, clock" in done.stderr
