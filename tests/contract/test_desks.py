"""One suite for every helpdesk: the box's own and a real Request Tracker keep the same promises."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import pytest

from appliance.clock import SystemClock
from appliance.conversations import STATUS, Contact, NoConversationError
from appliance.desks.request_tracker import RequestTracker
from appliance.errors import SourceError
from appliance.store.conversation_rows import Author
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from tests.desks.rt import MARIA, Tracker, running
from tests.session.texting import Box


class Side(Protocol):
    """A desk, and its users and people."""

    desk: Any

    def opens(self, text: str) -> str: ...
    def writes(self, conversation: str, text: str) -> None: ...
    def person_writes(self, conversation: str, text: str) -> None: ...
    def notes(self, conversation: str) -> list[str]: ...
    def settles(self) -> None: ...
    def comes_to(self, holds: Callable[[], bool]) -> None: ...
    def close(self) -> None: ...


class OwnSide:
    """The box's own."""

    def __init__(self, path: Path) -> None:
        self._database, self._count = Database(path), 0
        self.desk = Conversations(self._database, SystemClock())

    def _key(self) -> str:
        self._count += 1
        return f"api:{self._count}"

    def opens(self, text: str) -> str:
        return self.desk.open(self._key(), Contact(MARIA, "Maria Lopez"), "", text)[0]

    def writes(self, conversation: str, text: str) -> None:
        self.desk.write(conversation, Author.USER, self._key(), text)

    def person_writes(self, conversation: str, text: str) -> None:
        self.desk.write(conversation, Author.ADMIN, self._key(), text)

    def notes(self, conversation: str) -> list[str]:
        return [each.text for each in self.desk.thread(conversation).entries if each.is_note]

    def settles(self) -> None:
        """It has no whole seconds."""

    def comes_to(self, holds: Callable[[], bool]) -> None:
        assert holds()

    def close(self) -> None:
        self._database.close()


class TrackerSide:
    """A real Request Tracker, which its users reach as themselves."""

    def __init__(self, tracker: Tracker) -> None:
        self.desk = RequestTracker(tracker.config())
        self._user, self._clerk = tracker.client(MARIA), tracker.client("clerk")

    def opens(self, text: str) -> str:
        body = {"Queue": "General", "Subject": "Question", "Content": text, "Requestor": MARIA}
        return str(self._user.post("ticket", json=body).raise_for_status().json()["id"])

    def writes(self, conversation: str, text: str) -> None:
        self._write(self._user, conversation, text)

    def person_writes(self, conversation: str, text: str) -> None:
        self._write(self._clerk, conversation, text)

    @staticmethod
    def _write(client: Any, conversation: str, text: str) -> None:
        body = {"Content": text, "ContentType": "text/plain"}
        client.post(f"ticket/{conversation}/correspond", json=body).raise_for_status()

    def notes(self, conversation: str) -> list[str]:
        asked = {"fields": "Content,Subject", "per_page": "100"}
        found = self._clerk.get(f"ticket/{conversation}/attachments", params=asked).json()
        return [each["Content"] for each in found["items"] if each["Subject"].startswith("note [")]

    def settles(self) -> None:
        """Its times are whole seconds."""
        time.sleep(1.1)

    def comes_to(self, holds: Callable[[], bool]) -> None:
        """Its processes show each other's changes some seconds later."""
        ends = time.monotonic() + 20
        while not holds():
            self.desk.waiting()  # as the box does all the time
            self.desk.wake()
            assert time.monotonic() < ends
            time.sleep(0.5)

    def close(self) -> None:
        for each in (self.desk, self._user, self._clerk):
            each.close()


@pytest.fixture(scope="module")
def tracker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tracker]:
    with running(tmp_path_factory.mktemp("rt")) as tracker:
        yield tracker


@pytest.fixture(params=["own", pytest.param("request tracker", marks=pytest.mark.slow)])
def side(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Side]:
    side: Side = (
        OwnSide(tmp_path / "x.sqlite") if request.param == "own"
        else TrackerSide(request.getfixturevalue("tracker"))
    )  # fmt: skip
    yield side
    side.close()


def said(side: Side, conversation: str) -> list[tuple[str, str, bool]]:
    return [
        (each.role, each.text, each.by_agent) for each in side.desk.fetch(conversation).messages
    ]


def message_of(side: Side, conversation: str) -> str | None:
    return dict(side.desk.waiting()).get(conversation)


def test_messages_have_roles_and_notes_are_none(side: Side) -> None:
    conversation = side.opens("Where is my payment?\nIt was due on Friday – 12 €.")
    side.desk.note(conversation, "n1", '{"overall_passed": true, "quote": "it\'s <b>"}')
    side.desk.reply(conversation, "r1", "It was paid on Friday.")
    side.person_writes(conversation, "And it has arrived.")
    side.writes(conversation, "Thank you.")
    assert said(side, conversation) == [
        ("user", "Where is my payment?\nIt was due on Friday – 12 €.", False),
        ("assistant", "It was paid on Friday.", True),
        ("assistant", "And it has arrived.", False),
        ("user", "Thank you.", False),
    ]
    assert side.notes(conversation) == ['{"overall_passed": true, "quote": "it\'s <b>"}']
    thread = side.desk.fetch(conversation)
    assert thread.contact == Contact(MARIA, "Maria Lopez")
    moments = [each.at for each in thread.messages]
    assert moments == sorted(moments)
    assert all(each.tzinfo for each in moments)
    assert len({each.id for each in thread.messages}) == 4


def test_what_has_a_key_is_done_once(side: Side) -> None:
    conversation = side.opens("Hello")
    for _ in range(2):
        side.desk.reply(conversation, "c:1:reply", "It was paid.")
        side.desk.note(conversation, "c:1:note", "a note")
        side.desk.hear(conversation, "c:1:heard", "where is it")
        side.desk.reply(conversation, "c:1:spoken", "on its way", spoken=True)
    assert said(side, conversation)[1:] == [
        ("assistant", "It was paid.", True),
        ("user", "where is it", False),
        ("assistant", "on its way", True),
    ]
    assert side.notes(conversation) == ["a note"]


def test_the_same_words_answer_another_message(side: Side) -> None:
    conversation = side.opens("Is it open?")
    side.desk.reply(conversation, "r1", "Yes.")
    side.writes(conversation, "And today?")
    side.desk.reply(conversation, "r2", "Yes.")
    assert [text for _, text, by_agent in said(side, conversation) if by_agent] == ["Yes."] * 2


def test_attributes(side: Side) -> None:
    conversation = side.opens("Hello")
    assert side.desk.fetch(conversation).attributes.get(STATUS) is None
    for value in ("ROUTE_TO_TEAM", "success", "success"):
        side.desk.put_attribute(conversation, STATUS, value)
        assert side.desk.fetch(conversation).attributes[STATUS] == value


def test_snooze_lasts_until_the_user_writes(side: Side) -> None:
    conversation = side.opens("Hello")
    until = (datetime.now(UTC) + timedelta(seconds=300)).replace(microsecond=0)
    side.desk.snooze(conversation, until)
    side.desk.snooze(conversation, until)
    assert side.desk.fetch(conversation).snoozed_until == until
    side.desk.reply(conversation, "r1", "Still here.")
    assert side.desk.fetch(conversation).snoozed_until == until
    side.writes(conversation, "Me too.")
    side.comes_to(lambda: side.desk.fetch(conversation).snoozed_until is None)


def test_telephone_conversation(side: Side) -> None:
    first = side.desk.begin("1b4e28ba-2fa1", "+13105550101", "Telephone call")
    assert side.desk.begin("1b4e28ba-2fa1", "+13105550101", "Telephone call") == first
    assert side.desk.begin("1b4e28ba-2fa2", "", "Telephone call") != first
    assert said(side, first) == []
    side.desk.identify(first, "Maria Lopez", MARIA)
    side.desk.identify(first, "Maria Lopez", MARIA)
    assert side.desk.fetch(first).contact.email == MARIA
    side.desk.hear(first, "q", "where is my payment")
    side.desk.reply(first, "a", "on its way", spoken=True)
    assert said(side, first) == [
        ("user", "where is my payment", False), ("assistant", "on its way", True),
    ]  # fmt: skip
    assert message_of(side, first) is None  # it was answered on the telephone


def test_waiting_until_settled_or_answered_by_a_person(side: Side) -> None:
    conversation, other = side.opens("Hello"), side.opens("Anybody?")
    message = message_of(side, conversation)
    assert message == side.desk.fetch(conversation).messages[-1].id
    side.desk.note(conversation, "n", "a note is no answer")
    assert message_of(side, conversation) == message
    side.desk.settled(conversation, message)
    assert message_of(side, conversation) is None
    side.settles()
    side.writes(conversation, "Hello again")
    assert message_of(side, conversation) == side.desk.fetch(conversation).messages[-1].id
    assert message_of(side, other) is not None
    side.person_writes(other, "Here I am.")
    assert message_of(side, other) is None


def test_what_belongs_to_people_does_not_wait(side: Side) -> None:
    conversation = side.opens("I want a human")
    side.desk.put_attribute(conversation, STATUS, "ROUTE_TO_TEAM")
    assert message_of(side, conversation) is None
    side.settles()
    side.writes(conversation, "Hello?")
    assert message_of(side, conversation) is None
    side.desk.put_attribute(conversation, STATUS, "success")
    assert message_of(side, conversation) is not None


@pytest.mark.parametrize("conversation", ["999999", "x", "", "1/../2", "\uff11", "9" * 30])
def test_unknown_conversations(side: Side, conversation: str) -> None:
    desk = side.desk
    for act in (
        lambda: desk.fetch(conversation), lambda: desk.reply(conversation, "k", "t"),
        lambda: desk.note(conversation, "k", "t"), lambda: desk.hear(conversation, "k", "t"),
        lambda: desk.put_attribute(conversation, STATUS, "v"),
        lambda: desk.snooze(conversation, datetime.now(UTC)),
        lambda: desk.identify(conversation, "Maria", MARIA),
    ):  # fmt: skip
        with pytest.raises(SourceError) as error:
            act()
        assert isinstance(error.value, NoConversationError)


@pytest.mark.slow
def test_tracker_opens_what_it_has_stalled_and_nothing_else(tracker: Tracker) -> None:
    side = TrackerSide(tracker)
    ours, theirs = side.opens("Hello"), side.opens("Hello")
    past = datetime.now(UTC) - timedelta(seconds=5)
    side.desk.snooze(ours, past)
    body = {"Status": "stalled", "Starts": past.strftime("%Y-%m-%d %H:%M:%S")}
    side._clerk.put(f"ticket/{theirs}", json=body).raise_for_status()
    side.comes_to(lambda: side.desk.fetch(ours).snoozed_until is None)
    assert side.desk.fetch(theirs).snoozed_until is not None
    side.close()


@pytest.mark.slow
def test_tracker_without_the_custom_field_says_what_to_do(tracker: Tracker) -> None:
    side = TrackerSide(tracker)
    conversation = side.opens("Hello")
    with pytest.raises(SourceError, match="no custom field mood: make a custom field of that name"):
        side.desk.put_attribute(conversation, "mood", "good")
    side.close()


@pytest.mark.slow
def test_tracker_refuses_a_wrong_token(tracker: Tracker, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("1-27-00000000000000000000000000000000")
    desk = RequestTracker(tracker.config(token_file=token))
    with pytest.raises(SourceError, match="the token is refused: make a new one"):
        desk.waiting()
    desk.close()


@pytest.mark.slow
def test_agent_answers_the_trackers_messages(tracker: Tracker, tmp_path: Path) -> None:
    """The whole way: a ticket, the agent's run, the reply, status and snooze in RT."""
    side = TrackerSide(tracker)
    conversation = side.opens("Is the office for 90210 open?\n-- \nMaria")
    human = side.opens("Let me speak to a person")
    box = Box(tmp_path / "x.sqlite", SystemClock(), desk=side.desk)
    for _ in range(2):
        for each in box.messages.waiting():
            if each[0] in (conversation, human):
                box.messages.answer(*each)
    answer = "The office for nine zero two one zero is open today."
    assert said(side, conversation)[1:] == [("assistant", answer, True)]
    assert side.notes(human) == ["🚨 Escalation: User requested to talk to a human"]
    for each, status in ((conversation, "success"), (human, "ROUTE_TO_TEAM")):
        thread = side.desk.fetch(each)
        assert thread.attributes[STATUS] == status
        assert thread.snoozed_until is not None
    side.settles()
    side.writes(conversation, "And for 10001?")
    again = Box(tmp_path / "x.sqlite", SystemClock(), desk=RequestTracker(tracker.config()))
    for each in again.messages.waiting():
        if each[0] in (conversation, human):
            again.messages.answer(*each)
    assert [text for _, text, by_agent in said(side, conversation) if by_agent] == [
        answer, answer.replace("nine zero two one zero", "one zero zero zero one"),
    ]  # fmt: skip
    assert len(side.notes(human)) == 1
    box.close()
    again.close()
    side.close()
