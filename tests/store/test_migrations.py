"""Versions of the databases: what is made, what is migrated, what is refused."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.operations import Operations

from appliance.config import Config, load_config
from appliance.errors import StoreError
from appliance.store.actions import ActionStore
from appliance.store.checking import check_all, differences
from appliance.store.customers import Customers
from appliance.store.database import Database
from appliance.store.documents import DocumentStore
from appliance.store.migrating import migrate_all
from appliance.store.migrations import box_2, steps
from appliance.store.tables import METADATA
from appliance.store.versions import BOX, DOCUMENTS, Chain, Version
from tests.store.boxes import NOW, SETTINGS, Box, box_at

STORE = Path(steps.__file__).parents[1]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store from before versions were counted, with an action and a customer in it."""
    path = tmp_path / "store.sqlite"
    database = Database(path)
    with database.writing() as session:
        operations = Operations(steps.MigrationContext.configure(session.connection()))
        steps.STEPS[BOX][0].upgrade(operations)
    database.close()
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO actions (key, call, name, account, args, at) VALUES"
            " ('c1:4:x', 'c1', 'x', 'A-1', '{\"date\": \"2026-12-01\"}', '2026-11-01 10:00:00')"
        )
        connection.execute("INSERT INTO customers VALUES ('13105550100', 'Maria', '', '90210')")
    connection.close()
    return path


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = box_at(tmp_path)
    yield box
    box.database.close()


@pytest.mark.parametrize("chain", [BOX, DOCUMENTS])
def test_migrations_make_what_the_models_are(tmp_path: Path, chain: Chain) -> None:
    database = Database(tmp_path / "x.sqlite")
    with database.writing() as session:
        steps.migrate(session.connection(), chain)
        assert differences(session.connection(), METADATA[chain]) == []
    database.close()


@pytest.mark.parametrize("chain", [BOX, DOCUMENTS])
def test_a_new_database_is_what_the_models_are(tmp_path: Path, chain: Chain) -> None:
    database = Database(tmp_path / "x.sqlite")
    with database.writing() as session:
        steps.make(session.connection(), chain)
        assert differences(session.connection(), METADATA[chain]) == []
    assert database.version(chain) == Version(chain.head, steps.STEPS[chain][-1].readable_by)
    database.close()


def test_a_model_that_no_migration_follows_is_found(box: Box) -> None:
    with box.database.writing() as session:
        session.connection().exec_driver_sql("ALTER TABLE customers DROP COLUMN seen")
        found = differences(session.connection(), METADATA[BOX])
    assert any("seen" in each for each in found)


def test_all_tables_are_known() -> None:
    declared = {name for path in STORE.glob("*.py")
                for name in re.findall(r'__tablename__ = "(\w+)"', path.read_text())}  # fmt: skip
    assert declared == {name for each in METADATA.values() for name in each.tables}


def test_revisions_have_no_gap_and_end_at_the_head() -> None:
    for chain, each in steps.STEPS.items():
        assert [step.revision for step in each] == list(range(1, chain.head + 1))
        assert all(step.readable_by <= step.revision for step in each)


def test_a_store_of_the_version_before_is_not_used_as_it_is(old: Path) -> None:
    database = Database(old)
    with pytest.raises(
        StoreError, match=f"revision 0, this program needs {BOX.head}: run `appliance"
    ):
        Customers(database)
    database.close()


def test_migrating_keeps_what_is_there_and_writes_a_backup_first(old: Path) -> None:
    config = _config(old)
    backup, done = migrate_all(config, NOW)
    assert backup is not None
    assert backup.name == "appliance-20261123T070000Z-before-migration.tar.gz"
    assert [step.revision for step in done[0].steps] == [1, 2, 3]
    database = Database(old)
    customer = Customers(database).find("13105550100")
    assert customer is not None
    assert customer.name == "Maria"
    assert [each["args"] for each in ActionStore(database).of_call("c1")] == [
        {"date": "2026-12-01"}
    ]
    database.close()
    assert migrate_all(config, NOW)[0] is None  # nothing to do: no second backup
    assert not any(each.problems for each in check_all(config, deep=True))


def test_what_fails_in_the_middle_changes_nothing(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(op: Operations) -> None:
        box_2.upgrade(op)
        op.execute("INSERT INTO nowhere VALUES (1)")

    first, second, *_ = steps.STEPS[BOX]
    broken = steps.Step(2, 1, second.what, fails)
    monkeypatch.setitem(steps.STEPS, BOX, (first, broken))  # type: ignore[arg-type]
    before = _tables(old)
    with pytest.raises(StoreError, match="nowhere"):
        migrate_all(_config(old), NOW)
    assert _tables(old) == before


def test_the_program_before_goes_on_with_a_migrated_store(old: Path) -> None:
    migrate_all(_config(old), NOW)
    with sqlite3.connect(old) as connection:  # what the program before writes
        connection.execute("INSERT INTO actions (key, call, name, account, args, at) VALUES"
                           " ('c2:4:x', 'c2', 'x', '', '{}', '2026-11-01 10:00:00')")  # fmt: skip
        connection.execute("INSERT INTO customers (number, name, address, zip)"
                           " VALUES ('1', '', '', '')")  # fmt: skip
    connection.close()
    database = Database(old)
    assert len(ActionStore(database).of_call("c2")) == 1
    database.close()


def test_a_store_of_a_newer_program_is_refused(box: Box) -> None:
    _set_version(box, revision=9, readable_by=9)
    said = f"a newer program has migrated it to revision 9, this one knows {BOX.head}: run"
    database = Database(box.config.record.store)
    with pytest.raises(StoreError, match=said):
        Customers(database)
    database.close()
    with pytest.raises(StoreError, match=said):
        migrate_all(box.config, NOW)
    assert said in check_all(box.config, deep=False)[0].problems[0]
    assert not box.config.backup.folder.exists()


def test_a_newer_store_that_this_program_can_read_is_used(box: Box) -> None:
    _set_version(box, revision=9, readable_by=BOX.head)
    database = Database(box.config.record.store)
    assert Customers(database).all() == []
    database.close()
    assert migrate_all(box.config, NOW)[1][0].steps == ()


def test_an_unnumbered_index_of_documents_gets_its_number(tmp_path: Path) -> None:
    database = Database(tmp_path / "d.sqlite")
    DocumentStore(database)
    with database.writing() as session:
        session.connection().exec_driver_sql("DROP TABLE store_version")
    database.close()
    database = Database(tmp_path / "d.sqlite")
    assert DocumentStore(database).all() == []
    assert database.version(DOCUMENTS) == Version(1, 1)
    database.close()


def test_check_finds_damage(box: Box) -> None:
    box.database.close()
    path = box.config.record.store
    content = bytearray(path.read_bytes())
    content[8192 : 8192 + 2000] = b"\xff" * 2000
    path.write_bytes(content)
    assert check_all(box.config, deep=True)[0].problems


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    box = box_at(tmp_path)
    box.database.close()
    assert check_all(box.config, deep=True)[1].said.startswith("is not there yet")
    assert not box.config.documents.store.exists()


def _config(store: Path) -> Config:
    path = store.with_name("appliance.toml")
    path.write_text(SETTINGS)
    return load_config(path)


def _tables(path: Path) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
    connection.close()
    return found


def _set_version(box: Box, revision: int, readable_by: int) -> None:
    with box.database.writing() as session:
        session.connection().exec_driver_sql(
            f"UPDATE store_version SET revision = {revision}, readable_by = {readable_by}"
            " WHERE chain = 'box'"
        )
