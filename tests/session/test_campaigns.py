"""Campaigns in a running box: which one it starts with, and a changed one for new calls."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import structlog
from sqlalchemy import text

from appliance.config import CallConfig, Config, RecordConfig
from appliance.dialogue.campaign import parse_campaign
from appliance.dialogue.flow import Flow
from appliance.errors import ConfigError, EngineError, StoreError
from appliance.flows.shelf import FlowShelf
from appliance.session.campaigns import CampaignWatch, campaign_of
from appliance.session.reload import Reloader
from appliance.store.accounts import AccountBook
from appliance.store.campaigns import CampaignStore
from appliance.store.database import Database

from .conftest import ACCOUNT, Place

NOW = datetime(2026, 11, 11, 10, 30, tzinfo=UTC)


def run(call: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(call())  # type: ignore[arg-type]


def keep(database: Database, data: object, name: str = "spring") -> None:
    CampaignStore(database).put(parse_campaign(name, data), NOW)


def offered(flow: Flow) -> str:
    return flow.templates["en"]["ask_to_go_on_again"].shown[0]


# --- at the start ---


def config(tmp_path: Path, **call: object) -> Config:
    return Config(
        call=CallConfig(flow="campaign", **call),  # type: ignore[arg-type]
        record=RecordConfig(store=tmp_path / "x.sqlite"),
    )


def test_a_box_without_a_campaign_reads_none(tmp_path: Path) -> None:
    assert campaign_of(config(tmp_path)) is None
    assert not (tmp_path / "x.sqlite").exists()


def test_a_box_starts_with_its_campaign(tmp_path: Path) -> None:
    keep(Database(tmp_path / "x.sqlite"), {"seed": 7})
    found = campaign_of(config(tmp_path, campaign="spring"))
    assert found is not None
    assert (found.name, found.config.seed) == ("spring", "7")


def test_a_campaign_that_is_not_there(tmp_path: Path) -> None:
    keep(Database(tmp_path / "x.sqlite"), {}, "autumn")
    with pytest.raises(ConfigError, match="no campaign spring is stored; there are: autumn;"):
        campaign_of(config(tmp_path, campaign="spring"))


def test_a_campaign_in_another_language_than_the_calls(tmp_path: Path) -> None:
    keep(Database(tmp_path / "x.sqlite"), {"language": "es"})
    with pytest.raises(ConfigError, match=r"campaign spring is in es, but call\.language is en"):
        campaign_of(config(tmp_path, campaign="spring"))
    assert campaign_of(config(tmp_path, campaign="spring", language="es")) is not None


def test_a_box_does_not_start_with_a_campaign_that_is_refused() -> None:
    refused = parse_campaign("spring", {"prompts": {"noted": "We guarantee it."}})
    with pytest.raises(ConfigError, match="flow campaign is refused with campaign spring"):
        FlowShelf("campaign", refused)


# --- while it runs ---


def reloader(trial) -> Reloader:  # type: ignore[no-untyped-def]
    call = CallConfig(flow="campaign", campaign="spring")
    accounts = AccountBook({"default": ACCOUNT})
    return Reloader(trial.services.flows, accounts, call, trial.services)


def test_a_changed_campaign_serves_new_calls_once_it_is_proven(place: Place) -> None:
    async def call() -> None:
        async with place(flow="campaign") as trial:
            shelf, database = trial.services.flows, trial.services.database
            keep(database, {"context_variables": {"offer": "a loan"}})
            reloading = reloader(trial)
            assert await reloading.reload()
            first = shelf.current.first
            assert (first.campaign, offered(first)) == (
                "spring",
                "May I ask you a short question about a loan?",
            )
            keep(database, {"context_variables": {"offer": "a car"}, "seed": 9})
            assert await reloading.reload()
            assert offered(shelf.current.first).endswith("about a car?")
            assert shelf.current.first.seed == "9"
            assert shelf.current.first.hash != first.hash
            voices = trial.services.voices.of(None)
            assert voices.find("May I ask you a short question about a car?")
            await trial.listens()  # the call under way goes on as it began
            await trial.says("who is this")
            await trial.listens()
            flow = trial.session._dialogue.flow.flow
            assert offered(flow).endswith("a free energy check of your home?")
        assert trial.prompts()[-2:] == ["who_is_calling", "ask_to_go_on_again"]

    run(call)


@pytest.mark.parametrize(
    "row",
    [
        """{"prompts": {"noted": "We guarantee it."}}""",  # is not proven
        """{"prompts": {"noted": "You get {gift}."}}""",  # does not load
        """{"temperature": 1}""",  # is no campaign
        """{"language": "es"}""",  # in a language that the box does not speak
    ],
)
def test_a_campaign_that_is_refused_takes_no_call(place: Place, row: str) -> None:
    async def call() -> None:
        async with place(flow="campaign") as trial:
            shelf, database = trial.services.flows, trial.services.database
            keep(database, {"context_variables": {"offer": "a loan"}})
            reloading = reloader(trial)
            assert await reloading.reload()
            before = shelf.current.first
            with database.writing() as session:  # past every check, as with another program
                session.execute(text("update campaigns set config = :row"), {"row": row})
            with structlog.testing.capture_logs() as logs:
                assert not await reloading.reload()
            assert shelf.current.first is before
            [line] = [each for each in logs if each["log_level"] == "error"]
            assert line["event"] == "changed flow refused; calls go on with the old one"

    run(call)


def test_a_change_is_seen_once(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    keep(database, {"seed": 1})
    watch = CampaignWatch("spring", database, parse_campaign("spring", {"seed": 1}))
    assert not watch.changed()
    keep(database, {"seed": 1})  # a new version with nothing new in it
    assert not watch.changed()
    keep(database, {"seed": 2})
    assert watch.changed()
    assert not watch.changed()


def test_a_campaign_that_is_removed_stays_in_use(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    keep(database, {"seed": 1})
    current = parse_campaign("spring", {"seed": 1})
    watch = CampaignWatch("spring", database, current)
    CampaignStore(database).remove("spring")
    with structlog.testing.capture_logs() as logs:
        assert not watch.changed()
        assert not watch.changed()
    assert [each["why"] for each in logs] == ["it was removed"]  # said once
    assert watch.wanted("en") is current
    keep(database, {"seed": 2})
    assert watch.changed()


def test_a_database_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    keep(database, {})
    watch = CampaignWatch("spring", database, parse_campaign("spring", {}))
    with database.writing() as session:
        session.execute(text("alter table campaigns rename to gone"))
    with structlog.testing.capture_logs() as logs:
        assert not watch.changed()
    assert "no such table" in logs[0]["why"]
    with pytest.raises(StoreError, match="no such table"):
        watch.wanted("en")
    with database.writing() as session:
        session.execute(text("alter table gone rename to campaigns"))
    assert watch.changed()  # what could not be read is looked at again
    assert watch.wanted("en") is not None


# --- calls of the campaign flow ---


def test_a_locked_database_while_the_result_is_stored(place: Place) -> None:
    """The caller is told so once; the answer is kept, and stored when that is possible again."""

    async def call() -> None:
        async with place(flow="campaign") as trial:
            await trial.listens()
            for _ in range(2):
                await trial.says("yes")
                await trial.listens()
            with Database(trial.services.database.path).writing():
                await trial.says("yes")
                await trial.listens()
                assert trial.actions() == []
        said = trial.prompts()
        assert said[-3:] == ["one_moment", "not_stored", "goodbye"]
        assert len(said) == len(set(said))
        record = trial.record()
        assert record["outcome"] == "error"
        assert record["facts"]["confirmed"] is True
        assert trial.actions() == ["record_result"]  # stored at the end: nothing is lost

    run(call)


def test_two_failures_of_an_engine_end_the_call(place: Place) -> None:
    async def call() -> None:
        async with place(flow="campaign") as trial:
            await trial.listens()
            await trial.says(EngineError("broken"))
            await trial.listens()
            await trial.says("yes")
            await trial.listens()
            await trial.says(EngineError("broken"))
            await trial.listens()
        assert trial.prompts() == [
            "greeting", "ask_to_go_on", "missed_greeting", "ask_qualification",
            "box_failed", "callback_noted", "goodbye",
        ]  # fmt: skip
        assert trial.record()["outcome"] == "error"
        assert trial.actions() == ["create_callback_request"]

    run(call)
