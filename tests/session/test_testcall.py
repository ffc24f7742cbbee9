"""The box's call to itself leaves nothing behind, whatever the flow."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from appliance.actions.host import ActionHost
from appliance.actions.tools import DONE, FAILED, Claim, Request, Result
from appliance.config import parse_config
from appliance.dialogue.engine import step
from appliance.dialogue.events import CallStarted, Heard, ToolDone
from appliance.errors import StoreError
from appliance.flows.registry import read_flow, shipped_flows
from appliance.session.testcall import Nothing, announced, bind_test, is_test, rehearsed
from appliance.types import Intent, Understanding

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
AGAIN = Heard(Understanding("say that again", (Intent("repeat_request", 1.0),)))
REGISTRAR = {"server": "sip:p", "user": "200", "password_file": "x"}


@pytest.mark.parametrize("name", shipped_flows())
def test_every_shipped_flow_asks_its_question_again(name: str) -> None:
    """So the doctor's phrase is answered, and nothing is done for it."""
    flow = bind_test(read_flow(name), "call", "en")
    results = rehearsed(flow.flow)
    turn = step(flow, flow.open(), CallStarted(), NOW)
    while turn.actions:  # what a flow looks up before it asks
        (action,) = turn.actions
        done = results[action.name]
        facts = tuple(sorted(done.facts.items()))
        turn = step(flow, turn.state, ToolDone(action.name, done.outcome, facts=facts), NOW)
    assert turn.listen.expects_reply
    again = step(flow, turn.state, AGAIN, NOW)
    assert again.say
    assert not again.actions
    assert not again.state.ended


def test_tools_are_not_run_and_nothing_is_kept() -> None:
    done: list[str] = []

    class Kept:
        def add(self, request: Request) -> bool:
            done.append(request.tool)
            return True

    def book(request: Request, claim: Claim) -> Result:
        done.append(request.tool)
        return Result(DONE)

    def outcomes(host: ActionHost) -> list[str]:
        wanted = [Request(tool, "call", tool, {}, NOW) for tool in ("book", "note")]
        return [host.perform(each, Claim()).outcome for each in wanted]

    real = ActionHost(Kept(), {"book": book})
    assert outcomes(real.idle(Nothing(), {})) == [FAILED, DONE]
    assert outcomes(real.idle(Nothing(), {"book": Result("booked")})) == ["booked", DONE]
    assert done == []
    assert outcomes(real) == [DONE, DONE]
    assert done == ["book", "note"]


@pytest.mark.parametrize(
    ("line", "checkup", "number"),
    [
        ({}, {}, "appliance-doctor"),
        ({"registrar": REGISTRAR}, {}, "200"),
        ({"registrar": REGISTRAR}, {"user": "299", "password_file": "y"}, "299"),
        ({"registrar": REGISTRAR}, {"number": "+15550200"}, "+15550200"),
    ],
)
def test_who_the_test_calls_as(
    tmp_path: Path, line: dict[str, object], checkup: dict[str, str], number: str
) -> None:
    config = parse_config({"line": line, "checkup": checkup}, tmp_path / "a.toml")
    assert config.test_caller == number


def test_a_call_is_a_test_only_while_one_is_announced(tmp_path: Path) -> None:
    config = parse_config({"record": {"store": "a.sqlite"}}, tmp_path / "a.toml")
    assert not is_test(config, config.test_caller)
    with announced(config):
        assert is_test(config, config.test_caller)
        assert not is_test(config, "+13105550100")
        (left,) = tmp_path.iterdir()
        os.utime(left, times=(0, 0))  # by a doctor that was killed
        assert not is_test(config, config.test_caller)
    assert list(tmp_path.iterdir()) == []


def test_announcement_goes_through_no_link_and_may_be_refused(tmp_path: Path) -> None:
    config = parse_config({"record": {"store": "a/a.sqlite"}}, tmp_path / "a.toml")
    with pytest.raises(StoreError, match="run this as root"), announced(config):
        pass
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".test-call").symlink_to(tmp_path / "victim")
    with announced(config):
        assert not (tmp_path / "victim").exists()
