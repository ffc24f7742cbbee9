"""The status flow answers text messages, with the sample sources and documents: the whole way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from appliance.actions.host import ActionHost
from appliance.actions.wrapup import WrapUps
from appliance.clock import SystemClock
from appliance.config import Config
from appliance.conversations import STATUS, Contact
from appliance.flows.registry import flow_folder, read_flow
from appliance.flows.shelf import gather
from appliance.nlu.rules import RuleUnderstander
from appliance.session.outside import Outside, open_outside
from appliance.session.samples import with_samples
from appliance.session.services import workers
from appliance.session.textmessage import TextMessages
from appliance.session.textrun import Means
from appliance.store.actions import ActionStore
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from appliance.store.papers import INQUIRY, Papers
from appliance.store.text_runs import TextRuns
from appliance.testing.line import InlineExecutor

JAMES = Contact("james.carter@example.com", "James Carter")
Ask = Callable[..., str]


@pytest.fixture(scope="module")
def shelf() -> Any:
    """The flow as it is read; proving it takes long, and is done in tests/flows."""
    return SimpleNamespace(current=gather(flow_folder("status"), read_flow))


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory, shelf: Any) -> Iterator[tuple[Outside, Database]]:
    folder, clock = tmp_path_factory.mktemp("status"), SystemClock()
    config = with_samples(Config(), Path(folder), clock)
    database = Database(folder / "x.sqlite")
    outside = open_outside(config, database, clock)
    outside.start(shelf.current.all())
    yield outside, database
    outside.close()
    database.close()


@pytest.fixture(scope="module")
def messages(box: tuple[Outside, Database], shelf: Any) -> Iterator[TextMessages]:
    outside, database = box
    pool = workers("outside", 2)
    means = Means(
        ActionHost(ActionStore(database), outside.tools), WrapUps(outside.wrap_ups),
        RuleUnderstander(), SystemClock(), InlineExecutor(), InlineExecutor(), pool, "en",
    )  # fmt: skip
    yield TextMessages(outside.desk, outside.inbox, TextRuns(database), shelf, means, 300)
    pool.shutdown()


@pytest.fixture
def ask(messages: TextMessages, request: pytest.FixtureRequest) -> Ask:
    """A message is written and answered; the conversation's id."""
    desk = messages.desk
    assert isinstance(desk, Conversations)
    count = iter(range(100))

    def write(text: str, contact: Contact = JAMES) -> str:
        key = f"{request.node.name}:{next(count)}"
        conversation, _ = desk.open(key, contact, "", text)
        for each in messages.waiting():
            messages.answer(*each)
        return conversation

    return write


def outcome(messages: TextMessages, conversation: str) -> tuple[str, list[str], list[str]]:
    """The status, what was said, and the notes."""
    desk = messages.desk
    assert isinstance(desk, Conversations)
    thread = desk.thread(conversation)
    assert thread.conversation.snoozed_until is not None
    said = [each.text for each in thread.conversation.messages if each.by_agent]
    notes = [each.text for each in thread.entries if each.is_note]
    return thread.conversation.attributes[STATUS], said, notes


def test_what_the_data_supports_is_answered(messages: TextMessages, ask: Ask) -> None:
    status, said, notes = outcome(messages, ask("What is the status of my application?"))
    assert status == "success"
    assert len(said) == 1
    assert "interview" in said[0].lower()
    assert len(notes) == 1
    assert '"overall_passed": true' in notes[0].replace('":true', '": true')


def test_what_documents_say_is_answered_for_anybody(messages: TextMessages, ask: Ask) -> None:
    nobody = Contact("nobody@example.org")
    status, said, _ = outcome(messages, ask("How does one withdraw an application?", nobody))
    assert status == "success"
    assert "withdraw" in said[0].lower()


def test_a_stranger_hears_nothing_personal(messages: TextMessages, ask: Ask) -> None:
    nobody = Contact("nobody@example.org")
    conversation = ask("What is the status of my application?", nobody)
    _, said, _ = outcome(messages, conversation)
    assert not any("interview" in each.lower() for each in said)


def test_a_person_is_asked_for(
    messages: TextMessages, ask: Ask, box: tuple[Outside, Database]
) -> None:
    conversation = ask("I want to talk to a human please")
    status, _, notes = outcome(messages, conversation)
    assert status == "ROUTE_TO_TEAM"
    assert notes == ["🚨 Escalation: User requested to talk to a human"]
    message = messages.desk.fetch(conversation).messages[0].id
    paper = Papers(box[1], INQUIRY).find(f"desk:{conversation}:{message}")
    assert paper is not None
    assert paper["status"] == "ROUTE_TO_TEAM"
    assert messages.runs.open(conversation) == []
