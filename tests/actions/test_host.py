from datetime import datetime
from typing import Any

import pytest

from appliance.actions import host as host_module
from appliance.actions.host import DONE, FAILED, ActionHost
from appliance.dialogue.declarations import ToolCall
from appliance.dialogue.schema import ActionState
from appliance.dialogue.turn import Action
from appliance.errors import StoreError
from appliance.testing.clock import VirtualClock

STATE = ActionState(kind="action", phase="p", do=(ToolCall(tool="schedule_callback"),))
ACTION = Action(STATE, 0, {"date": "2026-01-15"}, "abc:4:schedule_callback")


class Ledger:
    """Keeps actions after failing `failures` times."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.kept: dict[str, dict[str, Any]] = {}

    def add(
        self, *, key: str, call: str, name: str, account: str, args: dict[str, Any], at: datetime
    ) -> bool:
        if self.failures:
            self.failures -= 1
            raise StoreError("disk full")
        new = key not in self.kept
        self.kept.setdefault(key, {"call": call, "name": name, "account": account, **args})
        return new

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_module, "_WAIT_S", 0.0)


@pytest.mark.parametrize(("failures", "outcome"), [(0, DONE), (2, DONE), (3, FAILED)])
def test_a_failing_store_is_tried_again(failures: int, outcome: str) -> None:
    ledger = Ledger(failures)
    assert ActionHost(ledger, VirtualClock()).perform("abc", "acc", ACTION) == outcome
    assert len(ledger.kept) == (outcome == DONE)


def test_what_could_not_be_stored_is_stored_later() -> None:
    ledger = Ledger(3)
    host = ActionHost(ledger, VirtualClock())
    assert host.perform("abc", "acc", ACTION) == FAILED
    host.close()
    assert list(ledger.kept) == [ACTION.key]


def test_an_action_delivered_twice_is_done_once() -> None:
    ledger = Ledger(0)
    host = ActionHost(ledger, VirtualClock())
    assert [host.perform("abc", "acc", ACTION) for _ in range(2)] == [DONE, DONE]
    assert list(ledger.kept) == [ACTION.key]
