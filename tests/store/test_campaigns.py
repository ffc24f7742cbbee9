from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from appliance.dialogue.campaign import parse_campaign
from appliance.errors import ConfigError, StoreError
from appliance.store.campaigns import CampaignStore
from appliance.store.database import Database

NOW = datetime(2026, 11, 11, 10, 30, tzinfo=UTC)
SPRING = parse_campaign("spring", {"prompts": {"noted": ["One.", "Two."]}, "seed": 7})


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "x.sqlite")


def test_a_campaign_is_kept(database: Database) -> None:
    store = CampaignStore(database)
    assert store.find("spring") is None
    assert store.put(SPRING, NOW) == 1
    found = CampaignStore(Database(database.path)).find("spring")
    assert found is not None
    assert found.campaign().config == SPRING.config
    assert (found.name, found.version) == ("spring", 1)


def test_each_change_is_a_version(database: Database) -> None:
    store = CampaignStore(database)
    store.put(SPRING, NOW)
    assert store.put(parse_campaign("spring", {"seed": 8}), NOW) == 2
    found = store.find("spring")
    assert found is not None
    assert (found.version, found.campaign().config.seed) == (2, "8")
    assert found.campaign().config.prompts == {}


def test_campaigns_by_name(database: Database) -> None:
    store = CampaignStore(database)
    for name in ("spring", "autumn"):
        store.put(parse_campaign(name, {}), NOW)
    assert [each.name for each in store.all()] == ["autumn", "spring"]
    assert store.remove("autumn") is True
    assert store.remove("autumn") is False
    assert [each.name for each in store.all()] == ["spring"]


def test_a_row_that_is_no_campaign_is_reported_where_it_is_used(database: Database) -> None:
    store = CampaignStore(database)
    store.put(SPRING, NOW)
    with database.writing() as session:
        session.execute(text("""update campaigns set config = '{"temperature": 1}'"""))
    found = store.find("spring")
    assert found is not None
    with pytest.raises(ConfigError, match="campaign spring: temperature: no model writes"):
        found.campaign()


def test_a_locked_database_keeps_the_row_as_it_was(database: Database) -> None:
    store = CampaignStore(database)
    store.put(SPRING, NOW)
    with Database(database.path).writing():
        with pytest.raises(StoreError, match="locked"):
            store.put(parse_campaign("spring", {}), NOW)
        found = store.find("spring")  # reading does not wait
    assert found is not None
    assert found.campaign().config == SPRING.config
