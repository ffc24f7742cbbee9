"""Events in the log: round trip, redaction, and malformed entries."""

import pytest

from appliance.dialogue.events import (
    CallStarted,
    Checked,
    Digits,
    EngineFailed,
    Event,
    Heard,
    HungUp,
    NoInput,
    ToolDone,
    parse_event,
    serialize_event,
)
from appliance.types import Intent, Understanding

CHECKED = (Checked("read_offer", "date", (("promise_date", "2026-11-20"),)),)


@pytest.mark.parametrize(
    "event",
    [
        CallStarted(),
        Heard(Understanding("yes please", (Intent("affirmation", 0.95),)), checked=CHECKED),
        Digits("", checked=CHECKED),
        NoInput(),
        EngineFailed("stt"),
        ToolDone("escalate_to_human", "failed"),
        HungUp(),
    ],
)
def test_round_trip(event: Event) -> None:
    assert parse_event(serialize_event(event, getattr(event, "checked", ()))) == event


def test_the_log_holds_no_digits_slots_or_names() -> None:
    heard = Heard(
        Understanding("this is Maria Lopez's phone, nine oh two one oh", (), {"digits": "90210"})
    )
    assert serialize_event(heard, private=frozenset({"maria", "lopez"})) == {
        "type": "heard",
        "text": "this is [private] [private] phone, [digits]",
        "intents": [],
    }
    assert serialize_event(Digits("90210")) == {"type": "digits"}


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"type": "sang"},
        {"type": "heard", "text": "yes"},
        {"type": "heard", "text": "yes", "intents": [["affirmation"]]},
        {"type": "heard", "text": "yes", "intents": [["affirmation", "high"]]},
        {"type": "engine_failed", "stage": "brain"},
        {"type": "tool_done", "tool": "note"},
        {"type": "digits", "checked": [{"check": "code"}]},
        {"type": "digits", "checked": [{"check": "c", "outcome": "o", "facts": []}]},
        {"type": []},
    ],
)
def test_a_malformed_entry_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"^not a dialogue event"):
        parse_event(entry)
