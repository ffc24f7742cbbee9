"""The box's own helpdesk: what is kept, who waits, and what happens once."""

import multiprocessing
import resource
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from appliance.conversations import COPY, RECIPIENT, STATUS, Contact, NoConversationError
from appliance.errors import StoreError
from appliance.store import conversations as conversations_module
from appliance.store import database as database_module
from appliance.store.conversation_lists import Wanted
from appliance.store.conversation_rows import Author
from appliance.store.conversations import (
    MAX_ATTRIBUTES,
    Conversations,
    FullError,
    KeyTakenError,
)
from appliance.store.database import Database
from appliance.store.outbox import Outbox
from appliance.testing.clock import VirtualClock
from tests.fault.test_store_contention import locked

MARIA = Contact("maria.lopez@example.com", "Maria Lopez")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "x.sqlite")
    yield database
    database.close()


@pytest.fixture
def desk(database: Database, clock: VirtualClock) -> Conversations:
    return Conversations(database, clock, ("email", "webhook"))


def test_message_waits_until_the_agent_is_done_with_it(desk: Conversations) -> None:
    conversation, message = desk.open("k1", MARIA, "", "Hello")
    assert desk.waiting() == [(conversation, message)]
    desk.reply(conversation, "r1", "Hi.")
    assert desk.waiting() == [(conversation, message)]  # a cut-off run may have said so
    second = desk.write(conversation, Author.USER, "k2", "One more thing")
    desk.settled(conversation, message)
    assert desk.waiting() == [(conversation, second)]
    desk.settled(conversation, second)
    assert desk.waiting() == []


def test_longest_waiting_comes_first(desk: Conversations) -> None:
    first, _ = desk.open("k1", MARIA, "", "Hello")
    second, _ = desk.open("k2", MARIA, "", "Hello")
    desk.write(first, Author.USER, "k3", "Hello?")
    assert [each[0] for each in desk.waiting()] == [second, first]


def test_closed_and_handed_over_ones_do_not_wait(desk: Conversations) -> None:
    closed, _ = desk.open("k1", MARIA, "", "Hello")
    theirs, _ = desk.open("k2", MARIA, "", "Hello")
    desk.close(closed)
    desk.put_attribute(theirs, STATUS, "VALIDATION_FAILED")
    assert desk.waiting() == []
    desk.write(closed, Author.USER, "k3", "Still there?")
    assert [each[0] for each in desk.waiting()] == [closed]
    assert desk.hand_back(theirs) is True
    assert desk.hand_back(theirs) is False
    assert desk.fetch(theirs).attributes == {}


def test_users_message_ends_the_snooze(desk: Conversations, clock: VirtualClock) -> None:
    conversation, _ = desk.open("k1", MARIA, "", "Hello")
    until = clock.now() + timedelta(seconds=300)
    desk.snooze(conversation, until)
    desk.write(conversation, Author.ADMIN, "a1", "Hello")
    assert desk.fetch(conversation).snoozed_until == until
    desk.write(conversation, Author.USER, "k2", "Hello")
    assert desk.fetch(conversation).snoozed_until is None


def test_key_used_for_something_else_is_refused(desk: Conversations) -> None:
    conversation, message = desk.open("k1", MARIA, "", "Hello")
    assert desk.open("k1", MARIA, "", "Hello") == (conversation, message)
    assert desk.write(conversation, Author.USER, "k1", "Hello") == message
    with pytest.raises(KeyTakenError):
        desk.open("k1", Contact("james.carter@example.com"), "", "Hello")
    with pytest.raises(KeyTakenError):
        desk.open("k1", MARIA, "", "Something else")
    with pytest.raises(KeyTakenError):
        desk.write(conversation, Author.ADMIN, "k1", "Hello")
    assert len(desk.fetch(conversation).messages) == 1


def test_a_key_is_of_one_conversation(desk: Conversations) -> None:
    first, _ = desk.open("k1", MARIA, "", "Hello")
    second, _ = desk.open("k2", MARIA, "", "Hello")
    assert desk.write(first, Author.USER, "k3", "a") != desk.write(second, Author.USER, "k3", "b")


def test_lists(desk: Conversations, clock: VirtualClock) -> None:
    ids = [desk.open(f"k{n}", MARIA, "", "Hello")[0] for n in range(4)]
    clock.advance(1000)
    changed = clock.now()
    desk.snooze(ids[1], changed + timedelta(seconds=60))
    desk.close(ids[2])
    desk.put_attribute(ids[3], STATUS, "success")

    def listed(wanted: Wanted) -> list[int]:
        return [ids.index(each.conversation.id) for each in desk.all(wanted)]

    assert listed(Wanted()) == [0, 1, 2, 3]
    assert listed(Wanted(is_open=True)) == [0, 1, 3]
    assert listed(Wanted(is_open=False)) == [2]
    assert listed(Wanted(is_snoozed=True)) == [1]
    assert listed(Wanted(is_snoozed=False)) == [0, 2, 3]
    assert listed(Wanted(status="success")) == [3]
    assert listed(Wanted(updated_since=changed)) == [1, 2, 3]
    assert listed(Wanted(after=int(ids[1]), limit=1)) == [2]
    clock.advance(61_000)
    assert listed(Wanted(is_snoozed=True)) == []


def test_answer_to_a_call_is_copied_to_the_users_address(
    desk: Conversations, database: Database
) -> None:
    conversation = desk.begin("call-1", "+13105550101", "Telephone call")
    desk.reply(conversation, "r1", "too early")
    desk.identify(conversation, "Maria Lopez", MARIA.email)
    desk.reply(conversation, "r2", "heard", spoken=True)
    for _ in range(2):
        desk.reply(conversation, "r3", "It was paid on Friday.")
    (parcel,) = Outbox(database).all()
    assert (parcel.notice.kind, parcel.channel) == (COPY, "email")
    assert parcel.notice.details == {
        RECIPIENT: MARIA.email, "text": "It was paid on Friday.",
    }  # fmt: skip


def test_no_copy_without_email_nor_of_text_nor_to_no_address(
    database: Database, clock: VirtualClock
) -> None:
    without = Conversations(database, clock, ("webhook",))
    call = without.begin("call-1", "", "Telephone call")
    without.identify(call, "Maria", MARIA.email)
    without.reply(call, "r1", "text")
    with_email = Conversations(database, clock, ("email",))
    with_email.identify(call, "Maria", "maria@x\nBcc: all@example.com")
    with_email.reply(call, "r2", "text")
    text, _ = with_email.open("k1", MARIA, "", "Hello")
    with_email.reply(text, "r3", "text")
    assert Outbox(database).all() == []


def test_attributes_are_not_without_end(desk: Conversations) -> None:
    conversation, _ = desk.open("k1", MARIA, "", "Hello")
    for number in range(MAX_ATTRIBUTES):
        desk.put_attribute(conversation, f"a{number}", "x")
    desk.put_attribute(conversation, "a0", "y")
    with pytest.raises(FullError):
        desk.put_attribute(conversation, "one_more", "x")
    desk.put_attribute(conversation, STATUS, "error")  # else the agent could not end its work
    desk.put_attribute(conversation, "a0", "z")
    attributes = desk.fetch(conversation).attributes
    assert (attributes[STATUS], attributes["a0"], len(attributes)) == ("error", "z", 51)


def test_key_of_a_note_writes_nothing_else(desk: Conversations) -> None:
    conversation, _ = desk.open("k1", MARIA, "", "Hello")
    desk.note(conversation, "n1", "one", author=Author.ADMIN)
    desk.note(conversation, "n1", "one", author=Author.ADMIN)
    with pytest.raises(KeyTakenError):
        desk.note(conversation, "n1", "two", author=Author.ADMIN)
    with pytest.raises(KeyTakenError):
        desk.note(conversation, "k1", "Hello", author=Author.ADMIN)
    with pytest.raises(KeyTakenError):
        desk.write(conversation, Author.ADMIN, "n1", "one")
    assert [each.text for each in desk.thread(conversation).entries] == ["Hello", "one"]


def test_conversations_are_not_without_end(
    desk: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversations_module, "MAX_ENTRIES", 3)
    conversation, _ = desk.open("k1", MARIA, "", "Hello")
    desk.note(conversation, "n1", "a note", author=Author.ADMIN)
    second = desk.write(conversation, Author.USER, "k2", "Hello?")
    with pytest.raises(FullError):
        desk.write(conversation, Author.USER, "k3", "Hello??")
    with pytest.raises(FullError):
        desk.note(conversation, "n2", "a note", author=Author.ADMIN)
    assert desk.write(conversation, Author.USER, "k2", "Hello?") == second  # sent again
    desk.reply(conversation, "r1", "Hi.")
    assert len(desk.thread(conversation).entries) == 4


@pytest.mark.parametrize("wrong", ["", "0", "99", "x", "-1", "1 ", "\u0661", "9" * 40])
def test_unknown_conversation(desk: Conversations, wrong: str) -> None:
    desk.open("k1", MARIA, "", "Hello")
    with pytest.raises(NoConversationError):
        desk.fetch(wrong)
    with pytest.raises(NoConversationError):
        desk.reply(wrong, "r", "text")


def test_locked_store_has_written_nothing(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.02)
    database = Database(tmp_path / "locked.sqlite")
    desk = Conversations(database, clock)
    conversation, message = desk.open("k1", MARIA, "", "Hello")
    with locked(tmp_path / "locked.sqlite"):
        for write in (
            lambda: desk.reply(conversation, "r1", "text"),
            lambda: desk.note(conversation, "n1", "text"),
            lambda: desk.put_attribute(conversation, STATUS, "success"),
            lambda: desk.snooze(conversation, clock.now()),
            lambda: desk.settled(conversation, message),
            lambda: desk.open("k2", MARIA, "", "Hello"),
        ):
            with pytest.raises(StoreError, match="locked"):
                write()
        assert desk.waiting() == [(conversation, message)]
        assert len(desk.thread(conversation).entries) == 1
    desk.reply(conversation, "r1", "text")
    assert len(desk.thread(conversation).entries) == 2
    database.close()


def _fill(path: Path, told: "multiprocessing.Queue[tuple[int, str]]") -> None:
    """Write until the disk is full: the file may not grow beyond a limit."""
    database = Database(path)
    desk = Conversations(database, VirtualClock())
    conversation, _ = desk.open("k1", MARIA, "", "Hello")
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    kept = 0
    try:
        for number in range(1000):
            desk.reply(conversation, f"r{number}", "x" * 5000)
            kept += 1
    except StoreError as error:
        told.put((kept, str(error)))


def test_full_disk_keeps_what_was_confirmed(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    told = context.Queue()
    process = context.Process(target=_fill, args=(tmp_path / "full.sqlite", told))
    process.start()
    kept, why = told.get(timeout=60)
    process.join(60)
    assert "full.sqlite" in why
    assert 0 < kept < 1000
    database = Database(tmp_path / "full.sqlite")
    desk = Conversations(database, VirtualClock())
    assert len(desk.fetch("1").messages) == kept + 1
    desk.reply("1", f"r{kept}", "x")
    assert len(desk.fetch("1").messages) == kept + 2
    database.close()
