"""One message of a user's, answered: the flow is run on it with the box's tools.

    CallStarted ─> tools … ─> listens ─> Heard(message) ─> tools … ─┬─> ended
      (or where the last question left the dialogue) ───┘           └─> asks back: kept, to go on

What is sent: what `deliver_reply` delivers; else the question that is asked back, or what is said
in a terminal state. What action states say while a tool works is for people on the telephone.
"""

from __future__ import annotations

import re
from concurrent.futures import Executor
from concurrent.futures import TimeoutError as LateError
from dataclasses import dataclass
from datetime import datetime

from appliance.actions.host import ActionHost
from appliance.actions.inquiry_record import DELIVER
from appliance.actions.tools import FAILED, Claim, Request, Result
from appliance.actions.wrapup import CallOver, WrapUps
from appliance.clock import Clock
from appliance.conversations import Contact
from appliance.dialogue.events import EngineFailed
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.schema import ActionState
from appliance.dialogue.turn import Action, Listen, State, Turn
from appliance.errors import EngineError
from appliance.flows.shelf import FlowSet
from appliance.flows.textcall import TextCall
from appliance.nlu.understander import LONGEST, Context, Understander
from appliance.session.afterwards import Story
from appliance.session.textwalk import TextWalk
from appliance.types import Language, Understanding

_QUOTED = re.compile(r"^\s*>|^On .{1,200} wrote:\s*$")
_SIGNATURE = "-- "


@dataclass(frozen=True)
class Means:
    """What all runs use.

    `store_worker` is the one thread of whatever only stores, `afterwards` that of wrap-ups,
    `outside_workers` are those of tools that wait for other systems, at least one for each run at
    once.
    """

    actions: ActionHost
    wrap_ups: WrapUps
    understander: Understander
    clock: Clock
    store_worker: Executor
    afterwards: Executor
    outside_workers: Executor
    language: Language


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a message: the text to send, if any, and whether the dialogue is over."""

    text: str
    ended: bool
    deeds: tuple[tuple[str, str], ...]


class Answering:
    """The dialogue of one message. Blocking."""

    def __init__(
        self, call: str, flows: FlowSet, means: Means, conversation: str, contact: Contact
    ) -> None:
        """`call`: its key.

        Raises:
            ConfigError: the flow needs what a text message does not have.
        """
        self._means, self._contact = means, contact
        entry = {"channel": "text", "conversation": conversation}
        if contact.phone:
            entry["caller_number"] = contact.phone
        flow = flows.first
        bound = flow.bind(call, {}, means.language, languages=flow.languages, entry=entry)
        self._call = TextCall(bound, self._understand, means.clock.now)
        self._walk = TextWalk(self._call, flows, self._perform, entry)

    @property
    def story(self) -> Story:
        """What it learned and did."""
        return self._walk.story

    @property
    def flow(self) -> CallFlow:
        """The flow that it has come to."""
        return self._call.flow

    @property
    def state(self) -> State:
        """Where it stands."""
        return self._call.state

    def goes_on_from(self, state: str, deeds: tuple[tuple[str, str], ...]) -> None:
        """Stand where a dialogue of this key stood.

        Raises:
            ValueError: another flow, or another version of it, stood there.
        """
        before = State.model_validate_json(state)
        if before.flow_hash != self._call.flow.flow.hash:
            raise ValueError("the flow has changed")
        self._call.stands_at(before)
        self.story.deeds += deeds

    def over(self, started: datetime) -> tuple[list[str], CallOver]:
        """The whole dialogue, once it has ended, and the wrap-ups that its flows name."""
        self.story.leaves(self.flow, self.state)
        over = self.story.over(self.flow, self.state, self._contact.phone, started)
        return self.story.wrap_up, over

    def hears(self, text: str) -> Came:
        """Run it on a message, until it ends or asks."""
        done_before, turns = len(self.story.deeds), []
        if not self._call.state.current:
            turns = self._all(self._call.starts())
        if not self._call.state.ended:
            turns = self._all(self._heard(words_of(text)))
        if any(name == DELIVER for name, _ in self.story.deeds[done_before:]):
            self.hangs_up()
            turns = []
        said = [prompt.text for turn in turns if self._is_final(turn) for prompt in turn.say]
        return Came(" ".join(said), self._call.state.ended, tuple(self.story.deeds))

    def hangs_up(self) -> None:
        """The user does not come back."""
        if not self._call.state.ended:
            self._all(self._call.hangs_up())
            self.story.ended_by = "user"

    def _heard(self, words: str) -> Turn:
        listen = self._call.flow.listen(self._call.state)
        try:
            if listen.accepts_digits and words.isascii() and words.isdigit():
                return self._call.types(words)
            return self._call.says(words)
        except EngineError:
            return self._call.take(EngineFailed("nlu"))

    def _all(self, turn: Turn) -> list[Turn]:
        return list(self._walk.follow(turn))

    def _is_final(self, turn: Turn) -> bool:
        """Whether nothing follows it but the user's reply, or the end."""
        here = self._call.flow.flow.spec.states.get(turn.state.current)
        return not isinstance(here, ActionState)

    def _understand(self, text: str, listen: Listen) -> Understanding:
        return self._means.understander.understand(text, Context.of(listen))

    def _perform(self, action: Action, flow: CallFlow) -> Result:
        """In another thread, so that one that takes too long holds up nothing."""
        actions, tool = self._means.actions, action.name
        call = flow.call_id.partition("/")[0]
        request = Request(
            key=self._key(call, tool), call=call, tool=tool, args=action.args,
            at=self._means.clock.now(), number=self._contact.phone, account=flow.account_id,
            flow=flow.flow.name,
        )  # fmt: skip
        waits = actions.waits(tool)
        worker = self._means.outside_workers if waits else self._means.store_worker
        claim = Claim()
        work = worker.submit(actions.perform, request, claim)
        try:
            return work.result(flow.flow.spec.tools[tool].timeout_s)
        except LateError:
            return Result(FAILED) if claim.give_up() else work.result()

    def _key(self, call: str, tool: str) -> str:
        """The same for a message that is answered anew, however long its tools have taken then."""
        before = sum(name == tool for name, _ in self.story.deeds)
        return f"{call}:{tool}:{before + 1}"


def words_of(message: str) -> str:
    """What the user himself wrote, as one line: without quotations and signature."""
    lines = message.splitlines()
    if _SIGNATURE in lines:
        lines = lines[: lines.index(_SIGNATURE)]
    own = " ".join(" ".join(line for line in lines if not _QUOTED.match(line)).split())
    return own[:LONGEST]
