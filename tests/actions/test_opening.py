import json
from pathlib import Path
from typing import Any

import pytest

from appliance.actions.opening import OpenInquiry, VerifyCaller
from appliance.actions.owed import Owed
from appliance.actions.tools import Claim, Result
from appliance.clock import SystemClock
from appliance.conversations import Contact
from appliance.errors import StoreError
from appliance.store.conversations import Author, Conversations
from appliance.store.database import Database
from tests.actions.inquiries import MARIA, ScriptedSources, request


@pytest.fixture
def desk(tmp_path: Path) -> Conversations:
    return Conversations(Database(tmp_path / "x.sqlite"), SystemClock())


def opened(desk: Conversations, says: object, /, down: str = "", **args: str) -> Result:
    tool = OpenInquiry(desk, ScriptedSources({"find_person": says}, down=down))
    return tool(request("open_inquiry", **args), Claim())


def test_a_call_begins_a_conversation_of_the_person_with_its_number(desk: Conversations) -> None:
    result = opened(desk, MARIA, channel="phone")
    assert result.outcome == "opened"
    assert json.loads(result.facts["person"])["person_id"] == "p-1001"
    assert result.facts["caller_name"] == "Maria Lopez"
    assert desk.fetch(result.facts["conversation"]).contact.phone == "+13105550101"


def test_asked_twice_it_is_the_same_conversation(desk: Conversations) -> None:
    first, again = (opened(desk, MARIA, channel="phone") for _ in range(2))
    assert first.facts["conversation"] == again.facts["conversation"]


def test_nobody_of_that_number(desk: Conversations) -> None:
    result = opened(desk, {"found": False}, channel="phone")
    assert (result.outcome, set(result.facts)) == ("opened", {"conversation"})


def test_a_text_has_its_history_without_the_message_that_is_answered(desk: Conversations) -> None:
    contact = Contact(email="maria@example.com", name="Maria")
    conversation, _ = desk.open("k1", contact, "Question", "Where is my payment?")
    desk.reply(conversation, "k2", "It was paid on Monday.")
    desk.note(conversation, "k3", "internal")
    desk.write(conversation, Author.ADMIN, "k4", "Can I help?")
    desk.write(conversation, Author.USER, "k5", "And my application?")
    result = opened(desk, MARIA, channel="text", conversation=conversation)
    assert json.loads(result.facts["history"]) == [
        {"role": "user", "content": "Where is my payment?"},
        {"role": "assistant", "content": "It was paid on Monday."},
        {"role": "assistant", "content": "Can I help?"},
    ]


def test_history_of_a_long_conversation_is_its_last_part(desk: Conversations) -> None:
    conversation, _ = desk.open("k", Contact(), "", "x" * 8000)
    for number in range(60):
        desk.write(conversation, Author.USER, f"k{number}", f"{number} " + "x" * 4000)
    history = json.loads(
        opened(desk, MARIA, channel="text", conversation=conversation).facts["history"]
    )
    assert (len(history), {len(each["content"]) for each in history}) == (50, {2000})
    assert history[-1]["content"].startswith("58 ")


def test_sources_that_are_down_say_why(desk: Conversations) -> None:
    result = opened(desk, "people: connection refused", channel="phone")
    assert result == Result("failed", {"error": "people: connection refused"})


def test_no_conversation_of_that_id(desk: Conversations) -> None:
    result = opened(desk, MARIA, channel="text", conversation="4711")
    assert result.outcome == "failed"
    assert "4711" in result.facts["error"]


def test_a_withheld_number_needs_sources_too(desk: Conversations) -> None:
    tool = OpenInquiry(desk, ScriptedSources({}, down="no server is up"))
    asked = request("open_inquiry", channel="phone")
    withheld = type(asked)(key=asked.key, call="c1", tool=asked.tool, args=asked.args, at=asked.at)
    assert tool(withheld, Claim()) == Result("failed", {"error": "no server is up"})


@pytest.mark.parametrize(("match", "outcome"), [(True, "match"), (False, "mismatch")])
def test_digits_are_compared_by_the_operators_system(
    desk: Conversations, match: bool, outcome: str
) -> None:
    conversation = desk.begin("c1", "+13105550101", "Call")
    sources = ScriptedSources({"verify_person": {"match": match}})
    asked = request(
        "verify_caller", person=json.dumps(MARIA), digits="90210", conversation=conversation
    )
    assert VerifyCaller(desk, sources)(asked, Claim()) == Result(outcome)
    assert sources.asked[0].args == {"person_id": "p-1001", "zip": "90210"}
    email = desk.fetch(conversation).contact.email
    assert email == ("maria@example.com" if match else "")


def test_who_cannot_be_verified_is_not_verified(desk: Conversations) -> None:
    asked = request("verify_caller", person=json.dumps(MARIA), digits="90210")
    result = VerifyCaller(desk, ScriptedSources({"verify_person": "timed out"}))(asked, Claim())
    assert result == Result("failed", {"error": "timed out"})
    assert "90210" not in str(result)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([], "find_person: it does not say whether anybody was found"),
        ({"found": "yes"}, "find_person: it does not say whether anybody was found"),
        ({"found": True, "name": "Maria Lopez"}, "find_person: person_id is missing"),
    ],
)
def test_person_that_is_none(desk: Conversations, said: Any, why: str) -> None:
    assert opened(desk, said, channel="phone") == Result("failed", {"error": why})


@pytest.mark.parametrize("said", [[], {}, {"match": "yes"}, {"match": 1}])
def test_match_that_is_none(desk: Conversations, said: Any) -> None:
    asked = request("verify_caller", person=json.dumps(MARIA), digits="90210")
    result = VerifyCaller(desk, ScriptedSources({"verify_person": said}))(asked, Claim())
    assert result.outcome == "failed"


def test_desk_that_is_down_takes_nothing_from_who_has_proven_it(
    desk: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, owed = desk.begin("c1", "+13105550101", "Call"), Owed()
    sources = ScriptedSources({"verify_person": {"match": True}})
    asked = request(
        "verify_caller", person=json.dumps(MARIA), digits="90210", conversation=conversation
    )
    with monkeypatch.context() as patched:
        patched.setattr(desk, "identify", refuse)
        assert VerifyCaller(desk, sources, owed)(asked, Claim()) == Result("match")
    owed.pay("c1")
    assert desk.fetch(conversation).contact.email == "maria@example.com"


def refuse(*_: object) -> None:
    raise StoreError("store: locked")
