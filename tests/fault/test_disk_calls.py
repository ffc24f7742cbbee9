"""What a caller hears, on a real call, when the disk of the box is full or has failed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from appliance.config import load_config
from appliance.flows.registry import flow_folder
from appliance.testing.caller import CallRefused, ScriptedCaller
from appliance.testing.dialogue_script import load_script, perform, render_script
from appliance.testing.recording import place
from appliance.testing.served import Served, Trial, write_trial_config
from appliance.testing.speech import CallerVoice
from appliance.testing.storm.callers import Told
from appliance.testing.storm.ear import open_ear
from appliance.testing.storm.errands import ERRANDS, PROMISE
from appliance.testing.storm.invariants import Scene, violations
from appliance.testing.storm.stored import read_stored
from tests.fault.disks import Disk, breaking_disk, small_disk

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PROMISES = next(each for each in ERRANDS["collections"] if each.tool == PROMISE)


class Caller:
    """Promises a payment; before the last yes, something happens to the box."""

    def __init__(self, trial: Trial, voices: Path) -> None:
        self._trial = trial
        self._steps = render_script(load_script(PROMISES.path), CallerVoice(voices))
        self._recognize = open_ear(load_config(trial.config).hearing)

    def hears(self, happens: Disk | None = None, *, breaks: bool = False) -> str:
        """The words that follow the last yes, to the end of the call."""
        return asyncio.run(self._call(happens, breaks=breaks))

    async def _call(self, disk: Disk | None, *, breaks: bool) -> str:
        async with ScriptedCaller(self._trial.target) as caller:
            await caller.call()
            *first, yes, hangs_up = self._steps
            async for _ in perform(caller, first):
                pass
            if disk is not None:
                getattr(disk, "breaks" if breaks else "fill")()
            (said,) = [each async for each in perform(caller, [yes])]
            async for _ in perform(caller, [hangs_up]):
                pass
            assert caller.remote_hung_up
            since_ns = said.span.last_ns
            packets = [each for each in caller.packets_received if each.at_ns >= since_ns]
            told = Told(PROMISES, caller.call_id, after=np.asarray(place(packets, since_ns)))
            return self._recognize(told)


def box_on(disk: Disk, folder: Path) -> Trial:
    """Its logs and its database are on this disk, and nothing else of it."""
    data = {"folder": str(disk.folder / "calls"), "store": str(disk.folder / "x.sqlite")}
    accounts = flow_folder("collections") / "accounts.example.yaml"
    trial = write_trial_config(folder / "box", accounts, {"record": data})
    return Trial(trial.config, disk.folder / "calls", disk.folder / "x.sqlite", trial.port)


@contextmanager
def served(trial: Trial) -> Iterator[Served]:
    with Served(trial.config) as box:
        yield box


def test_full_disk_confirms_nothing_and_serves_again_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "data", megabytes=8) as disk:
        trial = box_on(disk, tmp_path)
        caller = Caller(trial, tmp_path / "voices")
        with served(trial):
            words = caller.hears(disk)
            assert "couldn't confirm" in words
            assert "your payment of" not in words
            disk.free()
            assert "your payment of" in caller.hears()
        scene = Scene(disk.folder, trial.calls, trial.store)
        assert violations(scene) == []
        assert len([each for each in read_stored(trial.store).deeds if each.tool == PROMISE]) == 2


def test_disk_that_fails_confirms_nothing_and_takes_no_further_call(tmp_path: Path) -> None:
    with breaking_disk(tmp_path / "data", megabytes=32) as disk:
        trial = box_on(disk, tmp_path)
        caller = Caller(trial, tmp_path / "voices")
        with served(trial) as box:
            assert "your payment of" in caller.hears()
            words = caller.hears(disk, breaks=True)
            assert "couldn't confirm" in words
            assert "your payment of" not in words
            with pytest.raises(CallRefused, match="480"):
                caller.hears()
            assert "action lost" not in str(box.log)
        with served(trial), pytest.raises(CallRefused, match="480"):  # a restart mends nothing
            caller.hears()
        disk.mended()
        with served(trial):
            assert "your payment of" in caller.hears()
        scene = Scene(disk.folder, trial.calls, trial.store)
        assert violations(scene) == []
