"""One text message after the other, and a box that is killed at every step of them."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from appliance.actions import wrapup as wrapup_module
from appliance.conversations import STATUS
from appliance.errors import ConfigError, SourceError, StoreError
from appliance.session import textmessage as textmessage_module
from appliance.session.textmessage import RestlessError
from appliance.session.textrun import words_of
from appliance.store import database as database_module
from appliance.store.conversation_rows import Author
from appliance.store.text_runs import Stage
from appliance.testing.clock import VirtualClock
from tests.fault.test_store_contention import locked
from tests.session.texting import FLOW, SNOOZE_S, Box

ANSWER = "The office for nine zero two one zero is open today."


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path / "x.sqlite")
    yield box
    box.close()


def test_message_is_answered_once(box: Box) -> None:
    conversation = box.writes("Is the office for 90210 open?")
    assert box.answers() == 1
    assert box.said(conversation) == [ANSWER]
    thread = box.own.fetch(conversation)
    assert thread.attributes == {STATUS: "success"}
    assert thread.snoozed_until == box.clock.now() + timedelta(seconds=SNOOZE_S)
    assert box.notes(conversation) == []
    (message,) = (each.id for each in thread.messages if each.role == "user")
    paper = box.papers.find(f"desk:{conversation}:{message}")
    assert paper is not None
    assert (paper["outcome"], paper["conversation_id"]) == ("success", conversation)
    assert box.answers() == 0


def test_next_message_is_another_run(box: Box) -> None:
    conversation = box.writes("Is the office for 90210 open?")
    box.answers()
    box.writes("and for 10001?", "k2", conversation)
    assert box.answers() == 1
    assert len(box.said(conversation)) == 2


def test_user_is_asked_back_and_the_dialogue_goes_on(box: Box) -> None:
    conversation = box.writes("Is it open today?")
    box.answers()
    assert box.said(conversation) == ["Which ZIP code do you ask about?"]
    assert box.own.fetch(conversation).attributes == {}
    assert box.own.fetch(conversation).snoozed_until is not None
    assert [each.stage for each in box.runs.open()] == [Stage.ASKED]
    box.writes("90210", "k2", conversation)
    box.answers()
    assert box.said(conversation)[1:] == [ANSWER]
    assert box.own.fetch(conversation).attributes == {STATUS: "success"}
    assert box.runs.open() == []


def test_question_is_gone_on_with_after_a_restart(box: Box, tmp_path: Path) -> None:
    conversation = box.writes("Is it open today?")
    box.answers()
    box.writes("still the same question", "k2", conversation)
    again = Box(tmp_path / "x.sqlite", box.clock)
    again.answers()
    again.writes("you know which", "k3", conversation)
    again.answers()  # three times not understood: the counter lives across messages and starts
    assert again.own.fetch(conversation).attributes == {STATUS: "ROUTE_TO_TEAM"}
    assert again.said(conversation)[-1] == "I pass this on to a colleague."
    again.close()


def test_question_nobody_answers_is_over_after_a_day(box: Box) -> None:
    conversation = box.writes("Is it open today?")
    box.answers()
    box.clock.advance(25 * 3_600_000)
    assert box.answers() == 1
    assert box.runs.open() == []
    assert len(box.said(conversation)) == 1
    assert STATUS in box.own.fetch(conversation).attributes


def test_question_that_a_person_took_up_is_over(box: Box) -> None:
    conversation = box.writes("Is it open today?")
    box.answers()
    box.own.write(conversation, Author.ADMIN, "a1", "Which one do you mean?")
    assert box.messages.waiting() == []
    box.writes("the one for 90210", "k2", conversation)
    box.answers()
    assert box.said(conversation)[1:] == [ANSWER]
    assert [each.stage for each in box.runs.open()] == []


def changed(folder: Path, old: str, new: str) -> Path:
    """The flow with other words."""
    folder.mkdir()
    for file in FLOW.iterdir():
        if file.is_file():
            (folder / file.name).write_text(file.read_text().replace(old, new))
    return folder


def test_changed_flow_begins_anew(box: Box, tmp_path: Path) -> None:
    conversation = box.writes("Is it open today?")
    box.answers()
    other = changed(tmp_path / "textflow", "is open", "opens")
    box.writes("90210", "k2", conversation)
    again = Box(tmp_path / "x.sqlite", box.clock, flow=other)
    again.answers()
    assert again.said(conversation)[1:] == [ANSWER.replace("is open", "opens")]
    again.close()


def test_escalated_conversation_belongs_to_people_until_they_hand_it_back(box: Box) -> None:
    conversation = box.writes("I want to talk to a human")
    box.answers()
    assert box.notes(conversation) == ["🚨 Escalation: User requested to talk to a human"]
    assert box.said(conversation) == ["I pass this on to a colleague."]
    thread = box.own.fetch(conversation)
    assert thread.attributes == {STATUS: "ROUTE_TO_TEAM"}
    assert thread.snoozed_until is not None
    box.writes("Is 90210 open?", "k2", conversation)
    assert box.own.fetch(conversation).snoozed_until is None
    assert box.answers() == 0
    assert box.own.hand_back(conversation) is True
    assert box.answers() == 1
    assert box.said(conversation)[1:] == [ANSWER]


def test_what_a_person_answers_the_agent_leaves(box: Box) -> None:
    conversation = box.writes("Is 90210 open?")
    box.own.write(conversation, Author.ADMIN, "a1", "Yes.")
    assert box.answers() == 0
    assert box.said(conversation) == []


def test_of_two_messages_the_last_is_answered(box: Box) -> None:
    conversation = box.writes("Hello")
    box.writes("Is 90210 open?", "k2", conversation)
    assert box.answers() == 1
    assert box.said(conversation) == [ANSWER]


def test_machine_that_answers_the_agent_comes_to_people(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(textmessage_module, "MOST_IN_AN_HOUR", 3)
    conversation = box.writes("Is 90210 open?")
    for number in range(3):
        box.answers()
        box.writes("I am out of the office until 90210", f"auto{number}", conversation)
    ((_, message),) = box.messages.waiting()
    with pytest.raises(RestlessError):
        box.messages.answer(conversation, message)
    box.messages.give_up(conversation, message)
    assert len(box.said(conversation)) == 3
    assert box.own.fetch(conversation).attributes == {STATUS: "error"}
    assert box.messages.waiting() == []


def test_bug_hands_over_once(box: Box) -> None:
    conversation = box.writes("this is a bug 90210")
    ((_, message),) = box.messages.waiting()
    with pytest.raises(KeyError):
        box.messages.answer(conversation, message)
    box.messages.give_up(conversation, message)
    box.messages.give_up(conversation, message)
    (note,) = box.notes(conversation)
    assert note.startswith("🚨 Escalation: The agent failed")
    assert box.own.fetch(conversation).attributes == {STATUS: "error"}
    assert box.messages.waiting() == []


class Failing:
    """A desk that raises, or kills the process, at one of its writes."""

    WRITES = ("reply", "note", "put_attribute", "snooze", "settled")

    def __init__(self, desk: Any, strike: Callable[[str], None]) -> None:
        self._desk, self._strike = desk, strike

    def __getattr__(self, name: str) -> Any:
        there = getattr(self._desk, name)
        if name not in self.WRITES:
            return there

        def call(*args: Any, **named: Any) -> Any:
            self._strike(f"before {name}")
            result = there(*args, **named)
            self._strike(f"after {name}")
            return result

        return call


def struck(path: Path, at: int) -> bool:
    """Run a box in a process that kills itself at the n-th moment; whether it came to that."""
    child = os.fork()
    if child == 0:
        moments = iter(range(10_000))

        def strike(moment: str) -> None:
            if moment.startswith("after") and next(moments) == at:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            Box(path, desk=lambda own: Failing(own, strike)).answers()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize(
    ("text", "said", "status", "notes"),
    [
        ("Is 90210 open?", [ANSWER], "success", 0),
        ("a human please", ["I pass this on to a colleague."], "ROUTE_TO_TEAM", 1),
        ("Is it open?", ["Which ZIP code do you ask about?"], None, 0),
    ],
    ids=["answered", "escalated", "asked back"],
)
def test_killed_anywhere_nothing_is_lost_and_nothing_said_twice(
    tmp_path: Path, text: str, said: list[str], status: str | None, notes: int
) -> None:
    at, deaths = 0, 0
    first = Box(tmp_path / "first.sqlite")
    conversation = first.writes(text)
    first.close()
    while True:
        path = tmp_path / f"{at}.sqlite"
        shutil.copy(tmp_path / "first.sqlite", path)
        if not struck(path, at):
            break
        deaths += 1
        box = Box(path)
        box.answers()
        last_words_lost = status == "ROUTE_TO_TEAM" and box.said(conversation) == []
        assert box.said(conversation) == said or last_words_lost, at
        thread = box.own.fetch(conversation)
        assert thread.attributes.get(STATUS) == status, at
        assert thread.snoozed_until is not None, at
        assert len(box.notes(conversation)) == notes, at
        assert box.messages.waiting() == [], at
        box.close()
        at += 1
    assert deaths >= 3


def test_desk_that_fails_once_is_asked_again(tmp_path: Path) -> None:
    for at in range(3):
        moments = iter(range(1000))

        def strike(moment: str, at: int = at, moments: Iterator[int] = moments) -> None:
            if moment == "before settled" and next(moments) == at:
                raise SourceError("desk: HTTP 500")

        box = Box(tmp_path / f"{at}.sqlite", desk=lambda own, s=strike: Failing(own, s))
        conversation = box.writes("Is 90210 open?")
        for _ in range(3):
            box.answers()
        assert box.said(conversation) == [ANSWER]
        assert box.messages.waiting() == []
        box.close()


def test_locked_store_loses_nothing(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = box.writes("Is 90210 open?")
    ((_, message),) = box.messages.waiting()
    box.close()
    monkeypatch.setattr(database_module, "_LOCKED_S", 0.02)
    again = Box(tmp_path / "x.sqlite", VirtualClock())
    with locked(tmp_path / "x.sqlite"), pytest.raises(StoreError):
        again.messages.answer(conversation, message)
    assert again.answers() == 1
    assert again.said(conversation) == [ANSWER]
    again.close()


def test_flow_that_needs_more_than_a_message_is_refused_at_start(tmp_path: Path) -> None:
    other = changed(tmp_path / "textflow", "entry: {channel", "entry: {zip_code: required, channel")
    with pytest.raises(ConfigError, match="zip_code"):
        Box(tmp_path / "x.sqlite", flow=other)


def test_only_the_users_own_words_are_read() -> None:
    mail = "Yes,\nplease.\n\nOn Monday the desk wrote:\n> Shall we?\n>> really\n-- \nMaria\n90210"
    assert words_of(mail) == "Yes, please."
    assert words_of("> only quoted") == ""
    assert len(words_of("x" * 5000)) == 1000


def test_wrap_up_that_the_store_refused_is_done_later_and_then_so_is_the_message(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wrapup_module, "_WAIT_S", 0.0)
    put, full = box.papers.put, [True]

    def refuse(*args: Any) -> None:
        if full[0]:
            raise StoreError("full")
        put(*args)

    monkeypatch.setattr(box.papers, "put", refuse)
    conversation = box.writes("Is 90210 open?")
    assert box.answers() == 1  # and it does not wait any more: its end does
    assert box.said(conversation) == [ANSWER]
    assert [each.stage for each in box.runs.open()] == [Stage.BEGUN]
    full[0] = False
    box.means.wrap_ups.catch_up()
    assert box.runs.open() == []
    assert box.own.waiting() == []
    assert len(box.said(conversation)) == 1


def test_message_that_is_gone_is_settled(box: Box) -> None:
    conversation = box.writes("Is 90210 open?")
    box.messages.answer(conversation, "77")
    assert box.said(conversation) == []
    assert box.answers() == 1
