"""The status flow with sources that fail: what the user, the desk and the paper get of it.

Every row is played twice, in writing and by telephone, with real MCP servers. The names of the
statuses and the reasons are the design's.
"""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from structlog.testing import capture_logs

from appliance.config import Config
from appliance.sections import SourcesConfig
from tests.fault.company import People
from tests.fault.status_box import (
    NUMBERS,
    Outcome,
    StatusBox,
    assert_nothing_personal,
    is_snoozed,
)
from tests.sources.rig import eventually, lives

Start = Callable[..., StatusBox]

APPLICATION = "For your application for Customer Service Agent, an interview is scheduled."
PAYMENT = "Your payment of $480.00 is on hold."
NO_PAYMENTS = "I could not look up your payments."
HOPS = "Exceeded maximum hops (2). Unable to gather sufficient data."
BOTH = "What is the status of my application and where is my payment?"
PAID = "Where is my payment?"
ZIPS = {"james": "10001", "robert": "73301", "lily": "94105", "maria": "90210"}


@dataclass(frozen=True)
class Row:
    """A fault and what comes of it.

    `says`: parts of the one reply (none: there is none); `lacks`: what it must not say. `reason`:
    of the only escalation note. `validated`: whether a reply was drafted.
    """

    tricks: dict[str, Any]
    status: str
    says: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    reason: str = ""
    validated: bool = True
    asks: str = BOTH
    who: str = "james"


def partly(trick: Any) -> Row:
    return Row({"list_payments": trick}, "success", (APPLICATION, NO_PAYMENTS), ("480",))


def nothing(trick: Any) -> Row:
    return Row({"list_payments": trick}, "ROUTE_TO_TEAM", reason=HOPS, validated=False, asks=PAID)


ROWS = {
    "nothing is wrong": Row({}, "success", (APPLICATION, PAYMENT), ("could not",)),
    "one of two tools reports an error": partly("error"),
    "one of two tools kills the server": partly("die"),
    "one of two tools is silent": partly("hang"),
    "one of two tools lies about its schema": partly("lie"),
    "one of two tools answers garbage": partly("garbage"),
    "one of two tools answers without end": partly("huge"),
    "one of two tools refuses": partly("refuse"),
    "the only tool reports an error": nothing("error"),
    "the only tool kills the server": nothing("die"),
    "the only tool is silent": nothing("hang"),
    "the only tool lies about its schema": nothing("lie"),
    "the only tool answers garbage": nothing("garbage"),
    "the only tool answers without end": nothing("huge"),
}


BY_PHONE = ("nothing is wrong", "one of two tools", "the only tool is silent")


def told(row: Row, outcome: Outcome, box: StatusBox, *, by_phone: bool) -> None:
    """What became of a conversation is what the row says."""
    assert outcome.status == row.status, outcome
    assert outcome.escalations == ([row.reason] if row.reason else []), outcome
    assert len(outcome.validations) == int(row.validated), outcome
    assert len(outcome.said) == int(bool(row.says)), outcome
    if not by_phone:  # figures are words there
        for each in row.says:
            assert each in outcome.said[0]
    for each in row.lacks:
        assert each not in " ".join(outcome.said)
    assert is_snoozed(outcome, box)


@pytest.mark.parametrize("name", ROWS)
def test_in_writing(name: str, people: People, start: Start) -> None:
    row = ROWS[name]
    box = start()
    people.plays(**row.tricks)
    with capture_logs() as logs:
        conversation = box.writes(row.who, row.asks)
        assert box.answers() == 1
        assert box.answers() == 0
    told(row, box.outcome(conversation), box, by_phone=False)
    paper = box.paper()
    assert (paper["status"], paper["outcome"]) == (row.status, row.status)
    assert_nothing_personal(logs)


@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith(BY_PHONE)])
def test_by_telephone(name: str, people: People, start: Start) -> None:
    row = ROWS[name]
    box = start()
    people.plays(**row.tricks)
    with capture_logs() as logs:
        call = box.calls(NUMBERS[row.who])
        call.says(row.asks, ZIPS[row.who])
        if not call.ended:
            call.says("no")
        over = call.is_over()
    assert over.outcome == row.status, call.prompts
    told(row, box.outcome(call.conversation), box, by_phone=True)
    for prompt in set(call.prompts):
        if prompt.startswith("answer"):
            assert call.prompts.count(prompt) == 1
    assert max(box.host.took_s.values()) < 2
    assert_nothing_personal(logs + call.logged)


@pytest.mark.parametrize("by_phone", [False, True], ids=["written", "by telephone"])
def test_dead_at_the_start(by_phone: bool, people: People, start: Start) -> None:
    """Initialization failed: nothing is asked of the caller, and a person takes over."""
    people.plays(start="die")
    box = start()
    with capture_logs() as logs:
        if by_phone:
            call = box.calls(NUMBERS["james"])
            assert call.is_over().outcome == "error"
            assert "passing_on" in call.prompts
            assert not {"ask_question", "holding"} & set(call.prompts)
            conversation = call.conversation
        else:
            conversation = box.writes("james", PAID)
            assert box.answers() == 1
    outcome = box.outcome(conversation)
    (reason,) = outcome.escalations
    assert reason.startswith("Initialization failed: no source has the tool find_person; not reach")
    assert (outcome.status, outcome.said, outcome.validations) == ("error", [], [])
    assert is_snoozed(outcome, box)
    assert box.paper()["status"] == "error"
    assert_nothing_personal(logs)
    people.plays()
    eventually(lambda: not box.outside.hub.trouble())
    again = box.writes("ana", PAID, "k2")  # it is well again without a restart
    box.answers()
    assert box.outcome(again).status == "success"


def test_a_withheld_number_needs_the_sources_too(people: People, start: Start) -> None:
    people.plays(start="die")
    box = start()
    call = box.calls("")
    assert call.is_over().outcome == "error"
    (reason,) = box.outcome(call.conversation).escalations
    assert reason.startswith("Initialization failed: no source is up: people: ")


def test_killed_between_initialize_and_gather_and_up_again(people: People, start: Start) -> None:
    box = start()
    call = box.calls(NUMBERS["james"])
    call.says(BOTH)
    os.kill(people.pids[-1], signal.SIGKILL)
    call.says("10001")
    assert box.outcome(call.conversation).status is None
    call.says("no")
    outcome = box.outcome(call.conversation)
    assert (outcome.status, len(outcome.said), outcome.escalations) == ("success", 1, [])
    assert len(people.pids) == 2


@pytest.mark.parametrize("after", ["open_inquiry", "verify_caller"])
def test_killed_between_initialize_and_gather_for_good(
    after: str, people: People, start: Start
) -> None:
    box = start()

    def strike(when: str, tool: str) -> None:
        if (when, tool) == ("after", after):
            people.plays(start="die")
            os.kill(people.pids[0], signal.SIGKILL)
            eventually(lambda: not lives(people.pids[0]))

    box.host.moment = strike  # type: ignore[method-assign]
    with capture_logs() as logs:
        call = box.calls(NUMBERS["james"])
        call.says(BOTH, "10001")
        if after == "open_inquiry":  # nobody can be verified: only what is general is answered
            assert "cannot_verify" in call.prompts
            call.says("how long does a background check take")
            call.says("no")
        over = call.is_over()
    outcome = box.outcome(call.conversation)
    if after == "open_inquiry":
        assert (over.outcome, outcome.escalations) == ("success", [])
        assert "verified" not in over.facts
    else:
        assert (over.outcome, outcome.escalations) == ("ROUTE_TO_TEAM", [HOPS])
        assert outcome.said == []
    assert outcome.status == over.outcome
    assert_nothing_personal(logs)


@pytest.mark.parametrize("trick", ["error", "hang", "lie", {"data": {"match": "yes"}}])
def test_nobody_is_verified_by_a_tool_that_fails(trick: Any, people: People, start: Start) -> None:
    box = start()
    people.plays(verify_person=trick)
    call = box.calls(NUMBERS["james"])
    call.says(PAID, "10001")
    assert call.prompts[-2:] == ["cannot_verify", "ask_question_again"]
    call.says(PAID)
    assert call.prompts[-2:] == ["only_general", "ask_question_again"]
    over = call.is_over()
    assert "verified" not in over.facts
    assert not any("480" in each or "four hundred" in each for each in call.heard)


@pytest.mark.parametrize(
    ("trick", "why"),
    [
        ("error", "people: the tool reports an error"),
        ("hang", "people: no answer within its deadline"),
        ("lie", "people: the result does not fit its outputSchema: additionalProperties"),
        ("garbage", "people: the connection was lost"),
        ({"data": {"found": True, "name": "Maria Lopez"}}, "find_person: person_id is missing"),
    ],
)
def test_who_it_is_cannot_be_found_out(trick: Any, why: str, people: People, start: Start) -> None:
    box = start()
    people.plays(find_person=trick)
    conversation = box.writes("james", PAID)
    box.answers()
    outcome = box.outcome(conversation)
    assert outcome.escalations == [f"Initialization failed: {why}"]
    assert (outcome.status, outcome.said, outcome.validations) == ("error", [], [])


def test_two_servers_of_which_one_is_down(config: Config, company: Any, start: Start) -> None:
    folder = company.parent
    rest = People(
        company,
        folder / "rest.json",
        ("find_person", "verify_person", "list_applications", "get_application"),
    )
    pay = People(company, folder / "pay.json", ("list_payments",))
    rest.plays()
    pay.plays(start="die")
    mcp = {"rest": rest.config(), "pay": pay.config()}
    box = start(config.model_copy(update={"sources": SourcesConfig(mcp=mcp)}))
    conversation = box.writes("james", BOTH)
    box.answers()
    outcome = box.outcome(conversation)
    assert (outcome.status, len(outcome.said)) == ("success", 1)
    assert APPLICATION in outcome.said[0]
    assert NO_PAYMENTS in outcome.said[0]
    pay.plays()
    eventually(lambda: box.outside.hub.tool("list_payments") is not None)
    box.writes("james", PAID, "k2", conversation)
    box.answers()
    outcome = box.outcome(conversation)
    assert len(outcome.said) == 2
    assert PAYMENT in outcome.said[1]
