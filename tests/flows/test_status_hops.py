"""What the status flow keeps of its hops, and that words which were not heard well are not used."""

import json
from typing import Any

from appliance.dialogue.checks import CheckInput
from appliance.flows.registry import read_flow
from appliance.flows.status.checks import cover, plan_hop, read_question
from appliance.types import Intent, Understanding

from .test_status import NOW

FLOW = read_flow("status")
PERSON = json.dumps({"person_id": "p-1001", "name": "Maria Lopez"})
QUESTION = "where is my payment"
ASKED = (Intent("payment_status", 0.9),)


def given(facts: dict[str, Any], **changes: Any) -> CheckInput:
    understanding = Understanding(QUESTION, ASKED, **changes)
    return CheckInput({}, understanding, facts, NOW, data=FLOW.data)


def test_every_hop_is_kept_with_what_came_of_it() -> None:
    facts: dict[str, Any] = {"person": PERSON, "verified": True, "channel": "phone"}
    facts |= read_question(given(facts)).facts
    facts |= plan_hop(given(facts)).facts
    failed = {"ok": False, "error": "people: timed out", "args": {"person_id": "p-1001"}}
    facts |= {"tool_data": json.dumps({"list_payments": failed}), "docs_data": "{}"}
    first = cover(given(facts))
    assert first.outcome == "insufficient"
    facts |= {**first.facts, "last_hop": True}
    facts |= plan_hop(given(facts)).facts
    facts |= cover(given(facts)).facts
    one, two = json.loads(facts["hops"])
    assert [one["hop"], two["hop"]] == [1, 2]
    assert one["question"] == QUESTION
    assert one["plan"]["tools"][0]["tool"] == "list_payments"
    assert one["gather"] == {"tools": {"list_payments": False}, "docs": {}}
    assert one["coverage"] == {"score": 0, "gaps": ["your payments"], "sufficient": False}
    assert two["plan"]["tools"] == one["plan"]["tools"]


def test_words_that_were_not_heard_well_are_not_looked_up() -> None:
    assert read_question(given({})).outcome == "personal"
    unsure = Understanding(QUESTION, (), unsure=True)
    assert read_question(CheckInput({}, unsure, {}, NOW, data=FLOW.data)).outcome == "none"
