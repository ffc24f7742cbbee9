"""A box that answers text messages with its real tools and store; only the sources know nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from pathlib import Path
from typing import Any

from appliance.actions.host import ActionHost
from appliance.actions.inquiry import Desk
from appliance.actions.inquiry_record import KeepInquiry
from appliance.actions.opening import OpenInquiry
from appliance.actions.replying import DeliverReply, EscalateConversation, FinalizeConversation
from appliance.actions.wrapup import WrapUps
from appliance.clock import Clock
from appliance.conversations import Contact
from appliance.findings import Finding, Lookup
from appliance.flows.shelf import FlowShelf
from appliance.nlu.rules import RuleUnderstander
from appliance.session.textmessage import Inbox, TextMessages
from appliance.session.textrun import Means
from appliance.store.actions import ActionStore
from appliance.store.conversation_rows import Author
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from appliance.store.papers import INQUIRY, Papers
from appliance.store.text_runs import TextRuns
from appliance.testing.clock import VirtualClock
from appliance.testing.line import InlineExecutor

FLOW = Path(__file__).parent / "textflow"
MARIA = Contact("maria.lopez@example.com", "Maria Lopez")
SNOOZE_S = 300


shelf = lru_cache(FlowShelf)
understander = lru_cache(RuleUnderstander)
"""Both take long to make: once for all tests."""


class NobodyKnown:
    """The operator's systems, which have never heard of the user."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def look_up(self, lookups: Sequence[Lookup]) -> Mapping[str, Finding]:
        return {each.tool: Finding(True, self._clock.now(), {"found": False}) for each in lookups}

    def trouble(self) -> str:
        return ""


class Box:
    """One start of a box on a database; another one is its next start."""

    def __init__(
        self,
        path: Path,
        clock: VirtualClock | None = None,
        *,
        desk: Any = None,
        threads: Executor | None = None,
        flow: str | Path = FLOW,
    ) -> None:
        """`desk`: in place of the own one, as desk and inbox; or a function of that one."""
        self.clock = clock or VirtualClock()
        self.database = Database(path)
        self.own = Conversations(self.database, self.clock)
        self.desk: Desk = desk(self.own) if callable(desk) else (desk or self.own)
        self.inbox: Inbox = self.desk  # type: ignore[assignment]
        self.runs = TextRuns(self.database)
        sources = NobodyKnown(self.clock)
        self.papers = Papers(self.database, INQUIRY)
        tools = {
            "open_inquiry": OpenInquiry(self.desk, sources),
            "deliver_reply": DeliverReply(self.desk),
            "escalate_conversation": EscalateConversation(self.desk),
            "finalize_conversation": FinalizeConversation(self.desk, SNOOZE_S),
        }
        inquiry = KeepInquiry(self.desk, self.papers, self.clock, SNOOZE_S)
        threads = threads or InlineExecutor()
        self.means = Means(
            ActionHost(ActionStore(self.database), tools), WrapUps({"inquiry": inquiry}),
            understander(), self.clock, InlineExecutor(), InlineExecutor(), threads, "en",
        )  # fmt: skip
        self.messages = TextMessages(
            self.desk, self.inbox, self.runs, shelf(flow), self.means, SNOOZE_S
        )

    def writes(self, text: str, key: str = "k1", conversation: str | None = None) -> str:
        """The user writes; the conversation's id."""
        if conversation is None:
            return self.own.open(key, MARIA, "", text)[0]
        self.own.write(conversation, Author.USER, key, text)
        return conversation

    def answers(self) -> int:
        """Answer what waits, until nothing does; how many messages that were."""
        for count in range(20):
            waiting = self.messages.waiting()
            if not waiting:
                return count
            self.messages.answer(*waiting[0])
        raise AssertionError("it never ends")

    def said(self, conversation: str) -> list[str]:
        """What the agent has written to the user."""
        messages = self.desk.fetch(conversation).messages
        return [each.text for each in messages if each.by_agent]

    def notes(self, conversation: str) -> list[str]:
        return [each.text for each in self.own.thread(conversation).entries if each.is_note]

    def close(self) -> None:
        self.database.close()
