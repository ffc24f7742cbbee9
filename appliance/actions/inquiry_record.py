"""The wrap-up `inquiry`: what the status agent found out and decided, kept as one paper a run.

    CallOver ──> the whole state, node by node ──> store
             ├─> notes that the desk refused ──> desk
             └─> not finalized (hung up, crash, desk down) ──> status and snooze are set now

It runs however the run ended; what the store or the desk refuses is tried again.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import structlog

from appliance.actions.inquiry import SUBJECT, Desk
from appliance.actions.owed import Owed
from appliance.actions.tools import DONE, FAILED
from appliance.actions.wrapup import CallOver, PaperBook
from appliance.clock import Clock
from appliance.conversations import HANDED_OVER, STATUS, Conversation, NoConversationError

SUCCESS = "success"
ERROR = "error"
FINALIZE = "finalize_conversation"
DELIVER = "deliver_reply"

_log = structlog.get_logger()


class KeepInquiry:
    """See the module."""

    def __init__(
        self, desk: Desk, inquiries: PaperBook, clock: Clock, snooze_s: int,
        owed: Owed | None = None,
    ) -> None:  # fmt: skip
        """`owed`: that of the tools."""
        self._desk, self._inquiries, self._owed = desk, inquiries, owed or Owed()
        self._clock, self._snooze = clock, timedelta(seconds=snooze_s)

    def __call__(self, over: CallOver) -> None:
        """See `WrapUp`. After a crash, what was written before stands."""
        if not (over.recovered and self._inquiries.find(over.call) is not None):
            self._inquiries.put(over.call, over.started, inquiry_of(over))
        try:
            self._owed.pay(over.call)
            if (FINALIZE, DONE) not in over.deeds:
                self._finalize(over)
        except NoConversationError as error:  # trying again does not bring it back
            _log.error("conversation not finalized", call=over.call, why=str(error))

    def _finalize(self, over: CallOver) -> None:
        conversation = str(over.facts.get("conversation", ""))
        if not conversation:  # of a telephone call it is found again by the call's key
            conversation = self._desk.begin(over.call, over.number, SUBJECT)
        there = self._desk.fetch(conversation)
        if _is_taken_up(there, over):
            return
        if not (over.recovered and there.belongs_to_people):  # then it is known why, and better
            self._desk.put_attribute(conversation, STATUS, status_of(over))
        self._desk.snooze(conversation, self._clock.now() + self._snooze)


def status_of(over: CallOver) -> str:
    """The status of a run that has not come to its last node, or whose last node failed."""
    if over.outcome == SUCCESS or over.outcome in HANDED_OVER or (FINALIZE, FAILED) in over.deeds:
        return over.outcome
    return SUCCESS if (DELIVER, DONE) in over.deeds else ERROR


def inquiry_of(over: CallOver) -> dict[str, Any]:
    """All that is kept, as values for JSON: what each node found, and how its tool ended."""
    facts = {name: _value(value) for name, value in over.facts.items()}
    tools = [{"tool": tool, "outcome": outcome} for tool, outcome in over.deeds]
    return {
        "conversation_id": facts.pop("conversation", ""),
        "tool_data": facts.pop("tool_data", {}),
        "docs_data": facts.pop("docs_data", {}),
        "hops": facts.pop("hops", []),
        "facts": facts,
        "tools": tools,
        "flow": over.flow,
        "outcome": over.outcome,
        "status": status_of(over),
        "ended_by": over.ended_by,
        "number": over.number,
        "turns": over.turns,
    }


def _is_taken_up(conversation: Conversation, over: CallOver) -> bool:
    """Whether a person has answered: what comes late must not hide it from people, or change it."""
    since = (each for each in conversation.messages if each.at > over.started)
    return any(each.role == "assistant" and not each.by_agent for each in since)


def _value(value: bool | str) -> Any:
    """Facts of data are JSON; they are kept as what they mean."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):  # what a user wrote may begin like JSON
            return value
    return value
