"""Secrets and actions as types: what may not be cannot be written down."""

import pytest

from appliance.dialogue.declarations import ToolCall
from appliance.dialogue.faults import LockedError
from appliance.dialogue.schema import ActionState, Decision, Terminal
from appliance.dialogue.secrets import Keyring, Sealed, Vault
from appliance.dialogue.turn import Action

SEALED = Sealed("balance", "240.50", frozenset({"verified", "disclosed"}))


def test_a_sealed_value_needs_every_key() -> None:
    assert SEALED.open(Keyring({"verified": True, "disclosed": True})) == "240.50"
    for facts in ({}, {"verified": True}, {"verified": True, "disclosed": "yes"}):
        with pytest.raises(LockedError, match="balance before"):
            SEALED.open(Keyring(facts))


def test_nothing_sealed_shows_itself() -> None:
    vault = Vault({"balance": "240.50"}, {"balance": frozenset({"verified"})})
    for shown in (repr(SEALED), str(SEALED), f"{SEALED}", repr(vault), str(vault)):
        assert "240" not in shown
    with pytest.raises(LockedError) as error:
        vault.open("balance", Keyring({}))
    assert "240" not in str(error.value)
    assert not hasattr(SEALED, "__dict__")


def test_only_what_a_state_lists_is_an_action() -> None:
    listed = ActionState(kind="action", phase="p", do=(ToolCall(tool="note"),))
    assert Action(listed, 0, {}, "k").name == "note"
    with pytest.raises(IndexError):
        Action(listed, 1, {}, "k")
    with pytest.raises(TypeError, match="only a terminal state ends"):
        Action(listed, None, {}, "k")
    end = Terminal(kind="terminal", outcome="done")
    assert Action(end, None, {}, "k").name == "end_call"
    decision = Decision(kind="decision", phase="p", ask="q", on={})
    for position in (None, 0):
        with pytest.raises(TypeError, match="only an action or terminal state"):
            Action(decision, position, {}, "k")  # type: ignore[arg-type]
