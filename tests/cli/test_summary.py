"""`appliance calls summary` and what chat prints at its end."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appliance.actions.summary import KeepSummary
from appliance.actions.wrapup import WrapUps
from appliance.cli.main import app
from appliance.errors import ConfigError, StoreError
from appliance.store.database import Database
from appliance.store.papers import SUMMARY, Papers
from tests.actions.test_summary import OVER

CALLER = """transfer me to Alice
how much does a kitchen cost
go back to Bob
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "appliance.toml"
    path.write_text('[record]\nstore = "x.sqlite"\n')
    database = Database(tmp_path / "x.sqlite")
    KeepSummary(Papers(database, SUMMARY))(OVER)
    database.close()
    return path


def test_a_summary_is_shown(config: Path) -> None:
    shown = CliRunner().invoke(app, ["calls", "summary", "c1", "--config", str(config)])
    assert shown.output.splitlines() == [
        "renovation: completed (ended by appliance)",
        "9 turns, 1 transfer",
        "1. Bob -> Alice: The plan: kitchen.",
        "takeaways:",
        "- Plan: kitchen.",
        "not answered: who won the game",
    ]


def test_a_summary_as_json(config: Path) -> None:
    shown = CliRunner().invoke(app, ["calls", "summary", "c1", "--json", "--config", str(config)])
    assert json.loads(shown.output)["transfers"] == 1


def test_a_call_without_summary_is_named(config: Path) -> None:
    shown = CliRunner().invoke(app, ["calls", "summary", "c9", "--config", str(config)])
    assert isinstance(shown.exception, ConfigError)
    assert str(shown.exception) == "calls summary: call c9 has no summary"


def test_chat_prints_the_summary_at_its_end(tmp_path: Path) -> None:
    store = tmp_path / "x.sqlite"
    command = ["chat", "renovation", "--store", str(store)]
    shown = CliRunner().invoke(app, command, input=CALLER)
    tail = shown.output[shown.output.index(" summary ") :].splitlines()
    assert tail[1:3] == [
        "3 turns, 2 transfers",
        "1. Bob -> Alice: The caller has not told a plan yet.",
    ]
    assert "2. Alice -> Bob: We talked about costs." in tail
    assert "- Asked Alice about: costs." in tail


def test_a_summary_that_the_store_refuses_is_kept_for_later(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    summaries, refusing = Papers(database, SUMMARY), [True]

    class Locked:
        def put(self, *args: object) -> None:
            if refusing:
                raise StoreError("database is locked")
            summaries.put(*args)  # type: ignore[arg-type]

    after = WrapUps({"call_summary": KeepSummary(Locked())})
    after.run(["call_summary"], OVER)
    assert summaries.find("c1") is None
    refusing.clear()
    after.run(["call_summary"], replace(OVER, call="c2"))
    assert summaries.find("c1") is not None
    assert summaries.find("c2") is not None
    database.close()
