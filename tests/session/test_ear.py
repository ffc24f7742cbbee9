"""When a reply is taken to hold what was asked for."""

import pytest

from appliance.dialogue.schema import Slot
from appliance.dialogue.turn import Listen
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.session.ear import is_complete


@pytest.mark.parametrize(
    ("slot", "text", "complete"),
    [
        ("yes_no", "yes", True),
        ("yes_no", "well", False),
        ("zip", "nine oh two one oh", True),
        ("zip", "nine oh two", False),
        ("zip", "stop calling me", True),
        ("date", "next friday", True),
        ("amount", "fifty dollars", True),
        ("amount", "maybe", False),
        ("phone", "three one oh five five five oh one oh oh", True),
        ("phone", "three one oh five five five", False),
        ("email", "maria dot lopez at gmail dot com", True),
        ("email", "maria dot lopez", False),
        ("text", "my furnace is broken", True),
        ("text", "my", False),
        ("text", "the kitchen", True),
    ],
)
def test_a_reply_is_complete(slot: Slot, text: str, complete: bool) -> None:
    understood = RuleUnderstander().understand(text, Context(slot, "en"))
    assert is_complete(understood, Listen(slot=slot)) is complete
