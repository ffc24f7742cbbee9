"""The status flow with a store that is locked or full at each of its tools, and well again later.

Nothing that was refused is lost: it is there once the box has caught up. Nothing is said twice.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack

import pytest
from structlog.testing import capture_logs

from appliance.actions import wrapup as wrapup_module
from appliance.config import Config, EmailConfig, NotifyConfig
from appliance.errors import StoreError
from appliance.store import database as database_module
from appliance.store.actions import ActionStore
from appliance.store.conversation_rows import Author
from tests.fault.broken_store import locked, no_room
from tests.fault.status_box import (
    NUMBERS,
    StatusBox,
    assert_nothing_personal,
    is_snoozed,
)

Start = Callable[..., StatusBox]
Break = Callable[..., AbstractContextManager[None]]

PAID = "Where is my payment?"
LOCKED_S = 0.05
FAULTS = pytest.mark.parametrize("fault", [locked, no_room], ids=["locked", "full"])


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "_LOCKED_S", LOCKED_S)
    monkeypatch.setattr(wrapup_module, "_WAIT_S", 0.0)


@pytest.fixture
def later() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def breaks(box: StatusBox, fault: Break, at: str, later: ExitStack, until: str = "") -> None:
    """From this tool on, until after another one, or until the stack is closed."""
    left = later.pop_all()

    def strike(when: str, tool: str) -> None:
        if (when, tool) == ("before", at):
            later.enter_context(fault(box.database.path))
        elif (when, tool) == ("after", until):
            later.close()

    left.close()
    box.host.moment = strike  # type: ignore[method-assign]


def mends(box: StatusBox, later: ExitStack) -> None:
    """The store is well, and the box finds that out as it does every few seconds."""
    later.close()
    box.host.moment = lambda when, tool: None  # type: ignore[method-assign]
    box.store_worker.submit(box.host.catch_up).result()
    box.store_worker.submit(box.wrap_ups.catch_up).result()


def why(fault: Break) -> str:
    return "database is locked" if fault is locked else "disk"


# --- in writing ---


@FAULTS
@pytest.mark.parametrize("at", ["validate_reply", "deliver_reply", "finalize_conversation"])
@pytest.mark.parametrize("until", ["tool", "end"])
def test_a_reply(at: str, until: str, fault: Break, start: Start, later: ExitStack) -> None:
    box = start()
    conversation = box.writes("james", PAID)
    breaks(box, fault, at, later, at if until == "tool" else "")
    with capture_logs() as logs:
        box.answers()
        mends(box, later)
        box.answers()
    outcome = box.outcome(conversation)
    if at == "validate_reply":
        (reason,) = outcome.escalations
        assert reason.startswith("Validation error: store ")
        assert why(fault) in reason
        assert (outcome.status, outcome.said) == ("error", [])
    elif at == "deliver_reply":
        assert (outcome.status, outcome.said, outcome.escalations) == ("MESSAGE_FAILED", [], [])
    else:
        assert (outcome.status, len(outcome.said), outcome.escalations) == ("success", 1, [])
    (note,) = outcome.validations
    assert json.loads(note)["overall_passed"] is True
    assert is_snoozed(outcome, box)
    assert box.paper()["status"] == outcome.status
    assert box.runs.open() == []
    assert box.messages.waiting() == []
    assert_nothing_personal(logs)


@FAULTS
@pytest.mark.parametrize("until", ["tool", "end"])
def test_an_escalation(until: str, fault: Break, start: Start, later: ExitStack) -> None:
    box = start()
    conversation = box.writes("james", "I want to talk to a human")
    at = "escalate_conversation"
    breaks(box, fault, at, later, at if until == "tool" else "")
    box.answers()
    mends(box, later)
    box.answers()
    outcome = box.outcome(conversation)
    assert outcome.notes == ["🚨 Escalation: User requested to talk to a human"]
    assert (outcome.status, outcome.said) == ("ROUTE_TO_TEAM", [])
    assert is_snoozed(outcome, box)
    assert box.paper()["status"] == "ROUTE_TO_TEAM"


@FAULTS
def test_broken_before_the_message_is_looked_at(
    fault: Break, start: Start, later: ExitStack
) -> None:
    box = start()
    conversation = box.writes("james", PAID)
    later.enter_context(fault(box.database.path))
    with pytest.raises(StoreError):
        box.answers()
    mends(box, later)
    assert box.answers() == 1
    outcome = box.outcome(conversation)
    assert (outcome.status, len(outcome.said), len(outcome.notes)) == ("success", 1, 1)


def test_next_message_waits_for_the_end_of_the_one_before(start: Start, later: ExitStack) -> None:
    """Else the end of the first would set its status over that of the second."""
    box = start()
    conversation = box.writes("james", "I want to talk to a human")
    breaks(box, locked, "finalize_conversation", later)
    box.answers()
    later.close()
    box.writes("james", PAID, "k2", conversation)
    assert box.messages.waiting() == []
    mends(box, later)
    assert box.answers() == 0  # it is the people's, as the first message wanted it
    outcome = box.outcome(conversation)
    assert (outcome.status, outcome.said) == ("ROUTE_TO_TEAM", [])


def test_what_a_person_has_taken_up_is_left_to_him(start: Start, later: ExitStack) -> None:
    box = start()
    conversation = box.writes("james", "I want to talk to a human")
    breaks(box, locked, "finalize_conversation", later)
    box.answers()
    later.close()
    box.desk.write(conversation, Author.ADMIN, "a1", "I am here.")
    mends(box, later)
    outcome = box.outcome(conversation)
    assert (outcome.status, outcome.snoozed_until) == (None, None)


@FAULTS
def test_box_that_is_started_anew_while_its_end_waits(
    fault: Break, start: Start, later: ExitStack
) -> None:
    """The reply is there; the rest was only in memory when the box was ended."""
    box = start()
    conversation = box.writes("james", PAID)
    breaks(box, fault, "finalize_conversation", later)
    box.answers()
    box.close()
    later.close()
    again = start()
    again.answers()
    outcome = again.outcome(conversation)
    assert (outcome.status, len(outcome.said), len(outcome.notes)) == ("success", 1, 1)
    assert again.paper()["status"] == "success"
    assert again.runs.open() == []


# --- by telephone ---


@FAULTS
@pytest.mark.parametrize(
    ("at", "status"),
    [
        ("open_inquiry", "error"),
        pytest.param("validate_reply", "error", marks=pytest.mark.slow),
        ("deliver_reply", "MESSAGE_FAILED"),
        pytest.param("finalize_conversation", "success", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("until", ["tool", "end"])
def test_a_call(
    at: str, status: str, until: str, fault: Break, start: Start, later: ExitStack
) -> None:
    box = start()
    breaks(box, fault, at, later, at if until == "tool" else "")
    with capture_logs() as logs:
        call = box.calls(NUMBERS["james"])
        if not call.ended:
            call.says(PAID, "10001")
        over = call.is_over()
        mends(box, later)
    outcome = box.outcome(call.conversation)
    assert len(set(call.heard)) == len(call.heard), call.heard
    assert (over.outcome, outcome.status) == (status, status), call.prompts
    assert is_snoozed(outcome, box)
    assert box.paper()["status"] == outcome.status
    answered = at in ("deliver_reply", "finalize_conversation")
    assert len(outcome.said) == int(answered)  # heard, so it is in the conversation
    assert len(outcome.validations) == int(answered or at == "validate_reply")
    reasons = {"open_inquiry": "Initialization failed: ", "validate_reply": "Validation error: "}
    assert len(outcome.escalations) == int(at in reasons)
    assert all(each.startswith(reasons[at]) for each in outcome.escalations)
    kept = [each["name"] for each in ActionStore(box.database).of_call(call.key)]
    assert kept.count("escalate_to_human") == int(at in reasons)  # the request outlives the lock
    assert max(box.host.took_s.values()) < 2
    assert_nothing_personal(logs + call.logged)


@FAULTS
def test_who_has_proven_it_stays_verified(fault: Break, start: Start, later: ExitStack) -> None:
    """The desk cannot be told whose conversation it is; it is told when the call is over."""
    box = start()
    breaks(box, fault, "verify_caller", later, "verify_caller")
    call = box.calls(NUMBERS["james"])
    call.says(PAID, "10001")
    assert "verified_thanks" in call.prompts
    assert box.desk.fetch(call.conversation).contact.email == ""
    assert call.is_over().outcome == "success"
    assert box.desk.fetch(call.conversation).contact.email == "james.carter@example.com"


def test_copy_is_sent_once(start: Start, later: ExitStack, config: Config) -> None:
    """What could not be sent is said so, and not sent later; asked for again, it is."""
    mail = EmailConfig(host="127.0.0.1", sender="box@example.com", to=("office@example.com",))
    box = start(config.model_copy(update={"notify": NotifyConfig(email=mail)}))
    call = box.calls(NUMBERS["james"])
    call.says(PAID, "10001")
    breaks(box, locked, "send_copy", later, "send_copy")
    call.says("send it to me")
    assert call.prompts[-2] == "not_sent", call.prompts
    mends(box, later)
    call.says("send it to me")
    assert call.prompts[-2] == "copy_sent", call.prompts
    call.is_over()
    outcome = box.outcome(call.conversation)
    assert len(outcome.said) == 2  # what he heard, and the copy
    assert outcome.said[0] == outcome.said[1]
