"""A box with the status flow and all of its real parts, for one start; another is the next start.

    Config ── open_outside ──> tools, wrap-up ──┬─ TextMessages  who writes
    (rogue people, real index, own desk)        └─ Telephone     who calls, by text

What a test breaks is outside: the servers, the files, the database's lock, its disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from structlog.testing import capture_logs

from appliance.actions.host import ActionHost
from appliance.actions.tools import Claim, Request, Result
from appliance.actions.wrapup import CallOver, WrapUps
from appliance.clock import Clock, SystemClock
from appliance.config import Config
from appliance.conversations import STATUS, Contact
from appliance.dialogue.events import serialize_event
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import Action, Turn
from appliance.flows.registry import flow_folder
from appliance.flows.shelf import FlowShelf
from appliance.flows.textcall import TextCall
from appliance.nlu.rules import RuleUnderstander
from appliance.nlu.understander import Context
from appliance.session.outside import open_outside
from appliance.session.services import workers
from appliance.session.textmessage import TextMessages
from appliance.session.textrun import Means
from appliance.session.textwalk import TextWalk
from appliance.session.toolbox import tools, wrap_ups
from appliance.store.actions import ActionStore
from appliance.store.conversation_rows import Author
from appliance.store.conversations import Conversations
from appliance.store.database import Database
from appliance.store.papers import INQUIRY, Papers
from appliance.store.text_runs import TextRuns

NAMES = {"maria": "Maria Lopez", "james": "James Carter", "ana": "Ana Silva",
         "robert": "Robert King", "lily": "Lily Chen"}  # fmt: skip
NUMBERS = {name: f"+1310555010{n}" for n, name in enumerate(NAMES, 1)}
PERSONAL = ("Maria", "Lopez", "James", "Carter", "Ana", "Silva", "Robert", "King", "Lily", "Chen",
            "90210", "10001", "60601", "73301", "94105", "480.00", "Customer Service", "p-100",
            "1310555", "example.com", "where is my")  # fmt: skip
"""What no log line may hold: names, ZIP codes, sums, ids, and what was asked."""


class Unproven(FlowShelf):
    """The flow as it is; tests/flows proves it, which takes long."""

    def __init__(self) -> None:
        self._folder, self.campaign = flow_folder("status").resolve(), None
        self.current = self.read(None)
        self._seen = self._stamps()


shelf = lru_cache(Unproven)
rules = lru_cache(RuleUnderstander)


class Host(ActionHost):
    """Tells a test of every tool, before and after it is performed."""

    moment: Callable[[str, str], None] = staticmethod(lambda when, tool: None)
    took_s: dict[str, float]

    def perform(self, request: Request, claim: Claim) -> Result:
        self.moment("before", request.tool)
        began = time.monotonic()
        result = super().perform(request, claim)
        took_s = time.monotonic() - began
        self.took_s[request.tool] = max(took_s, self.took_s.get(request.tool, 0.0))
        self.moment("after", request.tool)
        return result


@dataclass
class Outcome:
    """What became of a conversation."""

    said: list[str]
    notes: list[str]
    status: str | None
    snoozed_until: datetime | None

    @property
    def escalations(self) -> list[str]:
        return [each.partition("🚨 Escalation: ")[2] for each in self.notes if "🚨" in each]

    @property
    def validations(self) -> list[str]:
        return [each for each in self.notes if "🚨" not in each]


class StatusBox:
    """One start of a box."""

    def __init__(self, store: Path, config: Config, clock: Clock | None = None) -> None:
        self.config, self.clock = config, clock or SystemClock()
        self.database = Database(store)
        self.outside = open_outside(config, self.database, self.clock)
        self.outside.start(())  # the documents are opened by the first search
        self.desk = Conversations(self.database, self.clock)
        self.papers = Papers(self.database, INQUIRY)
        self.runs = TextRuns(self.database)
        box = {**tools(self.database, config), **self.outside.tools}
        self.host = Host(ActionStore(self.database), box)
        self.host.took_s = {}
        self.wrap_ups = WrapUps({**wrap_ups(self.database, config), **self.outside.wrap_ups})
        self.store_worker, self.outside_workers = workers("store", 1), workers("outside", 4)
        self.means = Means(
            self.host, self.wrap_ups, rules(), self.clock, self.store_worker,
            self.store_worker, self.outside_workers, "en",
        )  # fmt: skip
        self.messages = TextMessages(
            self.outside.desk, self.outside.inbox, self.runs, shelf(), self.means,
            config.desk.snooze_s,
        )  # fmt: skip

    def close(self) -> None:
        """In the order of `Services.close`."""
        self.outside.close()
        self.outside_workers.shutdown(wait=True)
        self.store_worker.shutdown(wait=True)
        self.host.close()
        self.wrap_ups.close()
        self.database.close()

    # In writing

    def writes(self, who: str, text: str, key: str = "k1", conversation: str = "") -> str:
        """A person writes; the conversation's id."""
        if conversation:
            self.desk.write(conversation, Author.USER, key, text)
            return conversation
        first, last = NAMES[who].split()
        contact = Contact(f"{first}.{last}@example.com".lower(), NAMES[who])
        return self.desk.open(key, contact, "", text)[0]

    def answers(self) -> int:
        """Answer what waits until nothing does, as the poll does; how many messages that were."""
        for count in range(10):
            waiting = self.messages.waiting()
            if not waiting:
                return count
            self.messages.answer(*waiting[0])
        raise AssertionError("it never ends")

    def outcome(self, conversation: str) -> Outcome:
        thread = self.desk.thread(conversation)
        return Outcome(
            [each.text for each in thread.entries if each.author == Author.AGENT
             and not each.is_note],
            [each.text for each in thread.entries if each.is_note],
            thread.conversation.attributes.get(STATUS),
            thread.conversation.snoozed_until,
        )  # fmt: skip

    def paper(self) -> Mapping[str, Any]:
        """That of the only run."""
        ((_, _, paper),) = self.papers.latest(9)
        return paper

    # By telephone

    def calls(self, number: str, key: str = "call-1") -> Telephone:
        return Telephone(self, number, key)


@dataclass
class Telephone:
    """A call of the flow, by text; `heard` is what the caller was told."""

    box: StatusBox
    number: str
    key: str
    heard: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        flows = shelf().current
        entry: dict[str, bool | str] = {"caller_number": self.number} if self.number else {}
        bound = flows.first.bind(
            self.key, {}, "en", languages=flows.first.languages, entry=entry, seed="x"
        )
        self.started = self.box.clock.now()
        self._call = TextCall(
            bound, lambda text, listen: rules().understand(text, Context(listen.slot, "en")),
            self.box.clock.now,
        )  # fmt: skip
        self._walk = TextWalk(self._call, flows, self._perform, entry)
        self._hear(self._call.starts())

    @property
    def ended(self) -> bool:
        return self._call.state.ended

    def says(self, *texts: str) -> str:
        """What is heard after the last of them."""
        before = len(self.heard)
        for text in texts:
            before = len(self.heard)
            typed = text.isdigit() and self._call.turns[-1].listen.accepts_digits
            self._hear(self._call.types(text) if typed else self._call.says(text))
        return " ".join(self.heard[before:])

    def hangs_up(self) -> None:
        if not self.ended:
            self._hear(self._call.hangs_up())

    def is_over(self) -> CallOver:
        """The call has ended: do what the box does then."""
        self.hangs_up()
        story = self._walk.story
        story.leaves(self._call.flow, self._call.state)
        over = story.over(self._call.flow, self._call.state, self.number, self.started)
        done = self.box.wrap_ups.run
        self.box.store_worker.submit(done, story.wrap_up, over).result()
        return over

    @property
    def conversation(self) -> str:
        return self.box.desk.begin(self.key, self.number, "")

    @property
    def logged(self) -> list[Any]:
        """What the call's log keeps of each event, but for the words that were understood.

        What stands in it for a name is the name of another of the sample people.
        """
        flow = self._call.flow
        hidden = dict.fromkeys(flow.flow.private_facts, "-")
        bodies = [
            serialize_event(event, turn.checked, flow.private_words(), hidden)
            for event, turn in zip(self._call.events, self._call.turns, strict=True)
        ]
        return [{name: each[name] for name in each if name != "text"} for each in bodies]

    def _hear(self, turn: Turn) -> None:
        for each in self._walk.follow(turn):
            self.heard += [prompt.text for prompt in each.say]
            self.prompts += [prompt.id for prompt in each.say]

    def _perform(self, action: Action, flow: CallFlow) -> Result:
        request = Request(
            key=action.key, call=self.key, tool=action.name, args=action.args,
            at=self.box.clock.now(), number=self.number, flow=flow.flow.name,
        )  # fmt: skip
        return self.box.host.perform(request, Claim())


def is_snoozed(outcome: Outcome, box: StatusBox) -> bool:
    """Whether it rests for about the configured time from now."""
    if outcome.snoozed_until is None:
        return False
    left = outcome.snoozed_until - box.clock.now()
    most = timedelta(seconds=box.config.desk.snooze_s)
    return most - timedelta(seconds=60) < left <= most


def assert_nothing_personal(logs: list[Any]) -> None:
    text = str(logs)
    for each in PERSONAL:
        assert each not in text, (each, text)


def asked(box: StatusBox, text: str, who: str = "james") -> Outcome:
    """What becomes of a message; whatever it is, it rests, has its paper, and told nobody."""
    with capture_logs() as logs:
        conversation = box.writes(who, text)
        assert box.answers() == 1
        assert box.answers() == 0
    outcome = box.outcome(conversation)
    assert is_snoozed(outcome, box)
    assert box.paper()["status"] == outcome.status
    assert len(outcome.said) <= 1
    assert_nothing_personal(logs)
    assert_nothing_personal(outcome.escalations)
    return outcome
