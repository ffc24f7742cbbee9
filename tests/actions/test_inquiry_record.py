import json
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from appliance.actions.inquiry_record import KeepInquiry
from appliance.actions.owed import Owed
from appliance.actions.wrapup import CallOver, WrapUps
from appliance.clock import SystemClock
from appliance.conversations import STATUS
from appliance.errors import SourceError
from appliance.store.conversations import Author, Conversations
from appliance.store.database import Database
from appliance.store.papers import INQUIRY, Papers
from tests.actions.inquiries import AT

CLOCK = SystemClock()


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "x.sqlite")


@pytest.fixture
def desk(database: Database) -> Conversations:
    return Conversations(database, CLOCK)


@pytest.fixture
def keep(database: Database, desk: Conversations) -> KeepInquiry:
    return KeepInquiry(desk, Papers(database, INQUIRY), CLOCK, 300)


def over(**changes: Any) -> CallOver:
    plain: dict[str, Any] = {
        "call": "c1", "number": "+13105550101", "flow": "status", "outcome": "success",
        "ended_by": "peer", "started": AT, "language": "en", "turns": 2,
        "facts": {"conversation": "1", "tool_data": json.dumps({"list_payments": {"ok": True}}),
                  "coverage": "100"},
        "deeds": (("deliver_reply", "done"), ("finalize_conversation", "done")),
    }  # fmt: skip
    return CallOver(**{**plain, **changes})


def test_the_state_is_kept_as_json(keep: KeepInquiry, database: Database) -> None:
    keep(over())
    kept = Papers(database, INQUIRY).find("c1")
    assert kept is not None
    assert kept["tool_data"] == {"list_payments": {"ok": True}}
    assert kept["docs_data"] == {}
    assert kept["conversation_id"] == "1"
    assert kept["facts"] == {"coverage": "100"}
    assert kept["tools"][-1] == {"tool": "finalize_conversation", "outcome": "done"}


def test_words_that_begin_like_json_are_kept_as_words(
    keep: KeepInquiry, database: Database
) -> None:
    keep(over(facts={"conversation": "1", "question": "[" * 1000, "other": "{not json"}))
    kept = Papers(database, INQUIRY).find("c1")
    assert kept is not None
    assert kept["facts"] == {"question": "[" * 1000, "other": "{not json"}


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"outcome": "success"}, "success"),
        ({"outcome": "VALIDATION_FAILED"}, "VALIDATION_FAILED"),
        ({"outcome": "interrupted"}, "error"),
        ({"outcome": "interrupted", "facts": {}, "recovered": True}, "error"),
        ({"outcome": "hung_up", "deeds": (("deliver_reply", "done"),)}, "success"),
    ],
)
def test_what_was_not_finalized_is_finalized_now(
    keep: KeepInquiry, desk: Conversations, changes: dict[str, Any], status: str
) -> None:
    desk.begin("c1", "+13105550101", "Call")
    keep(over(**{"deeds": (), **changes}))
    conversation = desk.fetch("1")
    assert conversation.attributes[STATUS] == status
    assert conversation.snoozed_until is not None
    assert conversation.snoozed_until - CLOCK.now() <= timedelta(seconds=300)


def test_what_was_finalized_is_left_alone(keep: KeepInquiry, desk: Conversations) -> None:
    desk.begin("c1", "+13105550101", "Call")
    keep(over(outcome="ROUTE_TO_TEAM"))
    assert not desk.fetch("1").attributes


def test_after_a_crash_what_was_written_stands(keep: KeepInquiry, database: Database) -> None:
    keep(over())
    keep(over(recovered=True, facts={}, outcome="interrupted"))
    kept = Papers(database, INQUIRY).find("c1")
    assert kept is not None
    assert kept["outcome"] == "success"


def test_a_desk_that_is_down_is_tried_again(
    keep: KeepInquiry, desk: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.begin("c1", "+13105550101", "Call")
    finished = []
    with monkeypatch.context() as patch:

        def refuse(*_: object) -> None:
            raise SourceError("helpdesk: connection refused")

        patch.setattr(desk, "put_attribute", refuse)
        wrap_ups = WrapUps({"inquiry": keep})
        wrap_ups.run(["inquiry"], over(deeds=()), lambda: finished.append(1))
        assert wrap_ups.behind
        assert not finished
    wrap_ups.catch_up()
    assert desk.fetch("1").attributes[STATUS] == "success"
    assert finished


def test_flows_own_status_is_set_where_its_last_node_failed(
    keep: KeepInquiry, desk: Conversations
) -> None:
    desk.begin("c1", "+13105550101", "Call")
    keep(over(outcome="caller_left", deeds=(("finalize_conversation", "failed"),)))
    assert desk.fetch("1").attributes[STATUS] == "caller_left"


def test_what_a_person_has_taken_up_is_left_to_him(keep: KeepInquiry, desk: Conversations) -> None:
    desk.begin("c1", "+13105550101", "Call")
    desk.write("1", Author.ADMIN, "a1", "I am here.")
    keep(over(deeds=(), outcome="error", started=CLOCK.now() - timedelta(minutes=1)))
    conversation = desk.fetch("1")
    assert (conversation.attributes, conversation.snoozed_until) == ({}, None)


def test_after_a_crash_the_status_that_is_there_stands(
    keep: KeepInquiry, desk: Conversations
) -> None:
    desk.begin("c1", "+13105550101", "Call")
    desk.put_attribute("1", STATUS, "ROUTE_TO_TEAM")
    keep(over(deeds=(), outcome="interrupted", facts={}, recovered=True))
    conversation = desk.fetch("1")
    assert conversation.attributes[STATUS] == "ROUTE_TO_TEAM"
    assert conversation.snoozed_until is not None


def test_conversation_that_is_gone_holds_nobody_up(keep: KeepInquiry) -> None:
    wrap_ups = WrapUps({"inquiry": keep})
    wrap_ups.run(["inquiry"], over(deeds=()))
    assert not wrap_ups.behind


def test_what_the_tools_could_not_write_is_written(database: Database, desk: Conversations) -> None:
    desk.begin("c1", "+13105550101", "Call")
    owed = Owed()
    owed.owe("c1", partial(desk.note, "1", "k", "a note"))
    KeepInquiry(desk, Papers(database, INQUIRY), CLOCK, 300, owed)(over())
    assert [each.text for each in desk.thread("1").entries] == ["a note"]
