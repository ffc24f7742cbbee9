"""The status flow with data that cannot be read, are old, or contradict themselves.

And one question after the other: nothing gets from one into the next, or to somebody else.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from appliance.config import Config
from tests.fault.company import People
from tests.fault.status_box import (
    NUMBERS,
    StatusBox,
    asked,
    assert_nothing_personal,
)

Start = Callable[..., StatusBox]

HOPS = "Exceeded maximum hops (2). Unable to gather sufficient data."
GUIDE = "How long does a background check take?"
PAID = "Where is my payment?"
HELD = "Why is my payment on hold?"
MINE = "What is the status of my application?"


def payment(people: People, **changes: Any) -> dict[str, Any]:
    data = people.answer("list_payments", person_id="p-1002")
    data["payments"][0] |= changes
    return dict(data)


def applications(people: People, **changes: Any) -> dict[str, Any]:
    data = people.answer("list_applications", person_id="p-1002")
    data["applications"][0] |= changes
    return dict(data)


DRAFT, COVER = "Draft generation error: list_", "Coverage analysis failed: list_"
UNREADABLE = {
    "a status that nobody knows": (
        payment, {"status": "lost"},
        f"{DRAFT}payments: payments.0.status is not a word that is known here",
    ),
    "a negative amount": (
        payment, {"amount": "-5.00"},
        f"{DRAFT}payments: payments.0.amount is not an amount of money",
    ),
    "an amount in words": (
        payment, {"amount": "lots"},
        f"{DRAFT}payments: payments.0.amount is not an amount of money",
    ),
    "no day": (payment, {"due_on": "soon"}, f"{DRAFT}payments: payments.0.due_on is no date"),
    "a name that is a sentence": (
        payment, {"period": "Maria Lopez! <b>90210</b>"},
        f"{DRAFT}payments: payments.0.period has characters that no name has",
    ),
    "an application's status": (
        applications, {"status": "lost"},
        f"{DRAFT}applications: applications.0.status is not a word that is known here",
    ),
    "an application without its id": (
        applications, {"application_id": 7},
        f"{COVER}applications: applications.0.application_id is no text",
    ),
    "no moment that it is of": (payment, None, f"{COVER}payments: as_of is no date and time"),
}  # fmt: skip


def lax(people: People, folder: Path) -> None:
    """The server declares no schema, so nothing but the flow looks at its data."""
    company = json.loads(people.company.read_text())
    for tool in company.values():
        tool["gives"] = {"type": "object"}
    (folder / "lax.json").write_text(json.dumps(company))


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.parametrize("by_phone", [False, True], ids=["written", "by telephone"])
def test_data_that_cannot_be_read(
    name: str, by_phone: bool, people: People, config: Config, start: Start, tmp_path: Path
) -> None:
    changed, changes, reason = UNREADABLE[name]
    lax(people, tmp_path)
    rogue = People(tmp_path / "lax.json", people.tricks)
    sources = config.sources.model_copy(update={"mcp": {"people": rogue.config()}})
    box = start(config.model_copy(update={"sources": sources}))
    data = changed(people, **(changes or {}))
    if changes is None:
        data["as_of"] = "Maria Lopez"
    tool = "list_payments" if changed is payment else "list_applications"
    people.plays(**{tool: {"data": data}})
    question = PAID if changed is payment else MINE
    if by_phone:
        call = box.calls(NUMBERS["james"])
        call.says(question, "10001")
        assert not any(each.startswith("answer") for each in call.prompts)
        call.is_over()
        assert_nothing_personal(call.logged)
        outcome = box.outcome(call.conversation)
    else:
        outcome = asked(box, question)
    assert outcome.escalations == [reason]
    assert outcome.status == ("RESPONSE_FAILED" if reason.startswith(DRAFT) else "error")
    assert (outcome.said, outcome.validations) == ([], [])


@pytest.mark.parametrize("question", [MINE, PAID])
def test_data_that_are_ten_days_old(question: str, start: Start) -> None:
    outcome = asked(start(), question, "lily")
    assert (outcome.status, outcome.escalations) == ("ROUTE_TO_TEAM", [HOPS])
    assert (outcome.said, outcome.validations) == ([], [])


def test_data_that_contradict_each_other(start: Start) -> None:
    outcome = asked(start(), MINE, "robert")
    assert outcome.status == "VALIDATION_FAILED"
    assert outcome.escalations == ["Validation failed - see validation note for details"]
    (note,) = outcome.validations
    failed = [each["name"] for each in json.loads(note)["checks"] if not each["passed"]]
    assert (failed, outcome.said) == (["no_contradiction"], [])


def test_contradiction_that_may_be_told(start: Start) -> None:
    outcome = asked(start(), PAID, "robert")
    assert outcome.status == "success"
    assert "marked as paid, no date is on record" in outcome.said[0]


# --- one question after the other ---


def test_nothing_of_a_question_gets_into_the_next(people: People, start: Start) -> None:
    """Neither what was found, nor what was not, nor the last hop."""
    box = start()
    call = box.calls(NUMBERS["james"])
    people.plays(list_payments="error")
    call.says("What is the status of my application and where is my payment?", "10001")
    assert "I could not look up your payments." in " ".join(call.heard)
    people.plays()
    heard = call.says(PAID)
    assert "is on hold" in heard
    assert "interview" not in heard
    assert "could not look up" not in heard
    heard = call.says(GUIDE)
    assert "From the guide" in heard
    assert "on hold" not in heard
    people.plays(list_applications="error", get_application="error")
    heard = call.says(MINE)  # it was found before, and is fresh
    assert "interview is scheduled" in heard
    assert "From the guide" not in heard
    over = call.is_over()
    outcome = box.outcome(call.conversation)
    assert (over.outcome, outcome.status) == ("success", "success")
    assert len(outcome.said) == len(outcome.validations) == 4
    assert len(set(outcome.said)) == 4
    assert outcome.escalations == []


def test_two_people_at_once_get_their_own(start: Start) -> None:
    box = start()
    james, maria = box.calls(NUMBERS["james"], "c1"), box.calls(NUMBERS["maria"], "c2")
    for each in (james, maria):
        each.says(PAID)
    heard = [james.says("10001"), maria.says("90210")]
    assert "four hundred eighty" in heard[0]
    assert "six hundred forty two" in heard[1]
    james.is_over()
    maria.is_over()
    assert james.conversation != maria.conversation
    said = [box.outcome(each.conversation).said[0] for each in (james, maria)]
    assert "six hundred forty two" not in said[0]
    assert "four hundred eighty" not in said[1]
    conversations = [box.writes("james", PAID, "k1"), box.writes("maria", PAID, "k2")]
    box.answers()
    said = [box.outcome(each).said[0] for each in conversations]
    assert "$480.00" in said[0]
    assert "$642.50" in said[1]
    assert "$480.00" not in said[1]
