"""What the recognizer is told of the words to come."""

from typing import Any

import pytest

from appliance.dialogue.turn import Listen
from appliance.flows.registry import read_flow
from appliance.session.hints import hint_of, names_in
from appliance.stt.recognizer import Hint

COLLECTIONS = {
    "account_id": "ACC-1", "agency": "Example Agency of Iowa", "full_name": "DeShawn O'Neil",
    "first_name": "DeShawn", "creditor": "Harbor Medical", "balance": "412.37",
    "expected_zip": "90210",
}  # fmt: skip


@pytest.mark.parametrize(
    ("listen", "digits"),
    [
        (Listen(slot="zip"), 5),
        (Listen(slot="zip", said_digits="90"), None),
        (Listen(slot="phone", min_digits=10, max_digits=10), 10),
        (Listen(slot="phone", min_digits=7, max_digits=11), None),
        (Listen(slot="yes_no", min_digits=1, max_digits=1), None),
        (Listen(), None),
    ],
)
def test_how_many_digits_are_asked_for(listen: Listen, digits: int | None) -> None:
    assert hint_of(listen, ("maria",)) == Hint(listen.slot, ("maria",), digits)


def test_names_are_those_of_the_account() -> None:
    flow = read_flow("collections").bind("call", COLLECTIONS)
    names = names_in(flow, flow.open())
    assert names == ("example", "agency", "iowa", "deshawn", "o", "neil", "harbor", "medical")


def test_a_name_that_the_caller_gave_is_one_from_then_on() -> None:
    account = {"account_id": "n", "company": "Northside Plumbing and Heating",
               "office_phone": "+13105550199", "service_zips": "90210"}  # fmt: skip
    flow = read_flow("booking").bind("call", account)
    state = flow.open()
    facts: dict[str, Any] = {**state.facts, "name": "Siobhan Nguyen"}
    before = ("northside", "plumbing", "heating")
    assert names_in(flow, state) == before
    assert names_in(flow, state.model_copy(update={"facts": facts})) == (
        *before, "siobhan", "nguyen",
    )  # fmt: skip
