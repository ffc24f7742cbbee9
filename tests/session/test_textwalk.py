"""What a dialogue by text does by itself; most of it is in test_textmessage.py and test_chat."""

from pathlib import Path

import pytest

from appliance.actions.tools import Result
from appliance.clock import SystemClock
from appliance.flows.shelf import FlowShelf
from appliance.flows.textcall import TextCall
from appliance.session import textwalk
from appliance.session.textwalk import EndlessError, TextWalk
from appliance.types import Understanding

FLOW = Path(__file__).parent / "textflow"


def test_flow_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textwalk, "_MAX_STEPS", 2)
    flows = FlowShelf(FLOW).current
    entry: dict[str, bool | str] = {"channel": "text", "conversation": "1"}
    call = TextCall(
        flows.first.bind("c1", {}, entry=entry), lambda text, _: Understanding(text),
        SystemClock().now,
    )  # fmt: skip
    done = {"open_inquiry": Result("opened", {"conversation": "1"})}
    walk = TextWalk(call, flows, lambda action, _: done.get(action.name, Result("done")), entry)
    assert len(list(walk.follow(call.starts()))) == 2
    with pytest.raises(EndlessError, match="2 steps without the user"):
        list(walk.follow(call.says("90210")))


def test_tools_are_done_in_order_to_the_end() -> None:
    flows = FlowShelf(FLOW).current
    entry: dict[str, bool | str] = {"channel": "text", "conversation": "1"}
    call = TextCall(
        flows.first.bind("c1", {}, entry=entry), lambda text, _: Understanding(text),
        SystemClock().now,
    )  # fmt: skip
    done = {"open_inquiry": Result("opened", {"conversation": "1"})}
    walk = TextWalk(call, flows, lambda action, _: done.get(action.name, Result("done")), entry)
    list(walk.follow(call.starts()))
    list(walk.follow(call.says("90210")))
    assert walk.story.deeds == [
        ("open_inquiry", "opened"), ("deliver_reply", "done"), ("finalize_conversation", "done"),
    ]  # fmt: skip
    assert call.state.outcome == "success"
