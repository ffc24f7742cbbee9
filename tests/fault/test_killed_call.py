"""A box that is killed in the middle of a call: whoever was on the line is called back."""

import asyncio
import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from appliance.cli.flow_new import write_new_flow
from appliance.store.database import Database
from appliance.store.outbox import Outbox, Standing
from appliance.store.papers import CARD, Papers
from appliance.store.requests import Origin, Requests
from appliance.testing.caller import ScriptedCaller
from appliance.testing.served import Served, Trial, write_trial_config
from tests.actions.servers import Server, serving, web


def configure(folder: Path, hooks: Server) -> Trial:
    """A small flow that wants a card after each call, and a webhook."""
    flow = folder / "locker"
    write_new_flow("locker", flow)
    with (flow / "flow.yaml").open("a") as file:
        file.write("\nwrap_up: booking_card\n")
    (folder / "secret").write_text("0123456789abcdef")
    return write_trial_config(folder / "box", flow / "accounts.example.yaml", {
        "call": {"flow": str(flow / "flow.yaml")},
        "notify.webhook": {"url": f"http://127.0.0.1:{hooks.port}/",
                           "secret_file": str(folder / "secret")},
    })  # fmt: skip


async def call_and_kill(trial: Trial, agent_pid: int) -> None:
    async with ScriptedCaller(trial.target, number="+13105550100") as caller:
        await caller.call()
        await asyncio.sleep(1.5)  # the greeting is under way
        os.kill(agent_pid, signal.SIGKILL)


@pytest.mark.slow
def test_caller_whose_call_was_cut_off_is_called_back(tmp_path: Path) -> None:
    with serving(web) as hooks:
        trial = configure(tmp_path, hooks)
        with Served(trial.config) as first:
            asyncio.run(call_and_kill(trial, first.pid))
        assert not hooks.posts
        for _ in range(2):  # a second start adds nothing
            with Served(trial.config):
                deadline = time.monotonic() + 20
                while not hooks.posts:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
    database = Database(trial.store)
    (callback,) = Requests(database).all()
    assert callback.origin is Origin.INFERRED
    assert callback.number == "+13105550100"
    assert "cut off by a fault" in callback.details["reason"]
    assert [each.standing for each in Outbox(database).all()] == [Standing.DELIVERED]
    assert len(hooks.posts) == 1
    card = Papers(database, CARD).find(callback.call)
    assert card is not None
    assert (card["outcome"], card["booking_status"]) == ("interrupted", "not_requested")
    database.close()


async def call_and_hang_up(trial: Trial) -> None:
    async with ScriptedCaller(trial.target, number="+13105550100") as caller:
        await caller.call()
        await asyncio.sleep(1.5)
        await caller.hang_up()


@pytest.mark.slow
def test_card_of_a_locked_database_outlives_a_kill(tmp_path: Path) -> None:
    """The call has ended and been logged; only its card could not be stored before the kill."""
    with serving(web) as hooks:
        trial = configure(tmp_path, hooks)
        with Served(trial.config) as first:
            lock = sqlite3.connect(trial.store, isolation_level=None)
            lock.execute("BEGIN IMMEDIATE")
            asyncio.run(call_and_hang_up(trial))
            deadline = time.monotonic() + 30
            while [each["event"] for each in first.log].count("wrap-up not stored") < 3:
                assert time.monotonic() < deadline
                time.sleep(0.1)
            time.sleep(0.5)  # it has given up for now
            os.kill(first.pid, signal.SIGKILL)
            lock.execute("ROLLBACK")
            lock.close()
        with Served(trial.config):
            pass
    database = Database(trial.store)
    ((_, _, card),) = Papers(database, CARD).latest(9)
    assert card["outcome"] != "interrupted"
    database.close()
