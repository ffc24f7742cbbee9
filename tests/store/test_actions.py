from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.actions.tools import Request
from appliance.errors import ConfigError, StoreError
from appliance.store.accounts import AccountBook, load_accounts
from appliance.store.actions import ActionStore
from appliance.store.database import Database


def add(store: ActionStore, key: str) -> bool:
    return store.add(
        Request(
            key=key, call="abc", tool="create_promise_to_pay", account="acc-1",
            args={"date": "2026-01-15"}, at=datetime(2026, 1, 2, tzinfo=UTC),
        )
    )  # fmt: skip


def test_action_is_done_once(tmp_path: Path) -> None:
    store = ActionStore(Database(tmp_path / "sub" / "x.sqlite"))
    assert add(store, "abc:1:create_promise_to_pay") is True
    assert add(store, "abc:1:create_promise_to_pay") is False
    assert [done["args"] for done in store.of_call("abc")] == [{"date": "2026-01-15"}]


def test_actions_survive_a_restart(tmp_path: Path) -> None:
    first = ActionStore(Database(tmp_path / "x.sqlite"))
    add(first, "k")
    second = ActionStore(Database(tmp_path / "x.sqlite"))
    assert len(second.of_call("abc")) == 1


def test_no_database(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"this is no database, but a text of some length" * 50)
    with pytest.raises(StoreError, match=r"x\.sqlite"):
        ActionStore(Database(tmp_path / "x.sqlite"))


def test_account_is_found_by_its_number_however_written() -> None:
    book = AccountBook({"+1 (310) 555-0100": {"name": "Maria"}, "default": {"name": "?"}})
    assert book.find("13105550100") == {"name": "Maria"}
    assert book.find("+44123") == {"name": "?"}
    assert AccountBook({}).find("1") == {}


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: 1\n", "a: [", "\xff", "anonymous: {}\n"])
def test_bad_accounts_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "accounts.yaml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"accounts\.yaml"):
        load_accounts(path)


def test_anonymous_caller_is_nobody() -> None:
    assert AccountBook({"+1": {"name": "Maria"}}).find("anonymous") == {}


def test_error_text_holds_no_account_data(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite")
    store = ActionStore(database)
    database.close()
    for beside in tmp_path.glob("x.sqlite*"):
        beside.unlink()
    (tmp_path / "x.sqlite").mkdir()
    with pytest.raises(StoreError) as error:
        add(store, "k")
    assert "acc-1" not in str(error.value)
    assert "2026-01-15" not in str(error.value)
