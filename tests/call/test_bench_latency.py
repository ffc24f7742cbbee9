"""The benchmark of latency on real calls: an appliance of its own, and one behind a PBX."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.digest import Credentials
from appliance.testing.endpoint import SipTimeout
from appliance.testing.leg import PeerOptions
from appliance.testing.served import Served, write_flow_trial
from appliance.testing.speech import CallerVoice

ROOT = Path(__file__).resolve().parents[2]
Play = Callable[[Callable[[], Awaitable[None]]], None]
USER, SECRET = "+13105550100", "correct horse"
MODULE_FOLDERS = ("/usr/lib/x86_64-linux-gnu/kamailio/modules", "/usr/lib64/kamailio/modules")


class Pbx:
    """A kamailio that asks callers for a password and connects them to the appliance."""

    def __init__(self, folder: Path, rig: Any, appliance: str) -> None:
        self.port: int = rig.free_port()
        self._folder = folder
        self._binary = rig.need_tool("kamailio")
        values = {
            "LISTEN": f"udp:127.0.0.1:{self.port}",
            "SECRET": SECRET,
            "MODULES": next(path for path in MODULE_FOLDERS if Path(path).is_dir()),
            "APPLIANCE": appliance,
        }
        text = (Path(__file__).parent / "kamailio_pbx.cfg").read_text()
        (folder / "pbx.cfg").write_text(re.sub(r"@(\w+)@", lambda match: values[match[1]], text))

    @property
    def uri(self) -> str:
        return f"sip:200@127.0.0.1:{self.port}"

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        with (self._folder / "pbx.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                self._binary, "-f", str(self._folder / "pbx.cfg"), "-DD", "-E",
                "-w", str(self._folder), "-Y", str(self._folder), "-m", "64", "-M", "8",
                stdout=log, stderr=log,
            )  # fmt: skip
            try:
                await self._until_it_answers()
                yield
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
                await asyncio.wait_for(process.wait(), 10)

    async def _until_it_answers(self) -> None:
        """An INVITE without a password is refused, as soon as somebody is there to do it."""
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline:
            async with ScriptedCaller(self.uri) as caller:
                try:
                    await caller.call(timeout_s=1)
                except CallRefused as refusal:
                    if refusal.code != 407:
                        raise
                    return
                except SipTimeout:
                    continue
        pytest.fail("kamailio did not start:\n" + (self._folder / "pbx.log").read_text())


def phone(pbx: Pbx, password: str = SECRET) -> ScriptedCaller:
    account = Credentials(user=USER, password=password)
    return ScriptedCaller(pbx.uri, number=USER, options=PeerOptions(credentials=account))


def test_caller_logs_in_at_a_pbx(play: Play, rig: Any, tmp_path: Path, voice: CallerVoice) -> None:
    async def scenario() -> None:
        config = rig.config()
        async with rig.agent(config, rig.echo) as agent:
            pbx = Pbx(tmp_path, rig, agent.uri)
            async with pbx.running():
                async with phone(pbx) as unregistered:
                    with pytest.raises(CallRefused) as refused:
                        await unregistered.call()
                    assert refused.value.code == 403
                async with phone(pbx, "wrong") as stranger:
                    with pytest.raises(CallRefused) as refused:
                        await stranger.call()
                    assert refused.value.code == 407
                async with phone(pbx) as caller:
                    await caller.register()
                    await caller.call()
                    await caller.say(voice.speak("yes"))
                    await caller.pause(500)
                    assert caller.received, "the agent gives back what it hears"
                    await caller.hang_up()
                assert len(agent.calls) == 1
                assert USER in agent.calls[0].from_uri

    play(scenario)


def bench(*args: str, limit_s: float = 280) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/bench_latency.py", "--flow", "campaign", "--calls", "2",
         "--concurrency", "2", "--warm-up", "0", *args],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=limit_s,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_real_calls_are_measured(tmp_path: Path) -> None:
    sla = tmp_path / "sla.toml"
    sla.write_text("refused_calls_pct = 100\nfailed_calls_pct = 100\n[response_gap_ms]\np50 = 1\n")
    figures, page = tmp_path / "figures.json", tmp_path / "report.html"
    done = bench("--sla", str(sla), "--json", str(figures), "--html", str(page), "--admit-all")
    assert done.returncode == 1, done.stdout + done.stderr  # nobody answers within 1 ms
    assert "the limit is 1" in done.stdout
    (level,) = json.loads(figures.read_text())["levels"]
    assert level["calls"]["done"] + level["calls"]["diverged"] == 2, done.stdout
    gap, decided = level["all"]["response_gap_ms"], level["all"]["decision_ms"]
    assert gap["n"] >= 4
    assert gap["p50"]["value"] > decided["p50"]["value"] > 0
    assert level["frames"]["received"] > 500
    assert level["busy"]["appliance"] > 0
    assert 0 < level["cores_per_call"] < 2
    assert "<svg" in page.read_text()


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.anyio
async def test_extension_of_a_pbx_is_measured_on_the_wire(tmp_path: Path, rig: Any) -> None:
    trial = write_flow_trial(tmp_path / "box", "campaign")
    secret, figures = tmp_path / "secret", tmp_path / "figures.json"
    secret.write_text(SECRET + "\n")
    with Served(trial.config):
        pbx = Pbx(tmp_path, rig, trial.target)
        async with pbx.running():
            done = await asyncio.to_thread(
                bench, "--target", pbx.uri, "--user", USER, "--password-file", str(secret),
                "--register", "--json", str(figures),
            )  # fmt: skip
    document = json.loads(figures.read_text())
    (level,) = document["levels"]
    calls = level["calls"]
    assert calls["done"] + calls["diverged"] == 2, done.stdout + done.stderr
    assert level["all"]["response_gap_ms"]["n"] >= 4
    assert level["all"]["decision_ms"] is None
    assert level["busy"] is None
    assert SECRET not in figures.read_text()
    assert done.returncode == 0, done.stdout
