"""The box's part of a conversation by text: its real tools, on a database of its own.

Action ──┬─ named by --fail ──> failed
         ├─ the box has it ───> the tool itself (calendar, requests, sources, desk, …)
         ├─ it only keeps it ─> done
         └─ nobody has it ────> its first outcome, with invented facts
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from appliance.actions.host import ActionHost
from appliance.actions.tools import DONE, FAILED, Claim, Request, Result
from appliance.actions.wrapup import CallOver, WrapUps
from appliance.clock import SystemClock
from appliance.config import Config
from appliance.dialogue.flow import CallFlow, Flow
from appliance.dialogue.rehearsal import given
from appliance.dialogue.turn import Action, State
from appliance.session.afterwards import Story
from appliance.session.outside import open_outside
from appliance.session.samples import needs_samples, with_samples
from appliance.session.toolbox import tools, wrap_ups
from appliance.store.actions import ActionStore
from appliance.store.database import Database


@dataclass
class ChatHost:
    """Does what one conversation asks for; see `open_host`."""

    actions: ActionHost
    known: frozenset[str]
    wrap_ups: WrapUps
    fails: frozenset[str]
    number: str
    started: datetime

    def perform(self, action: Action, flow: CallFlow) -> Result:
        """Do it, and say what came of it."""
        outcomes = flow.flow.spec.tools[action.name].outcomes
        if action.name in self.fails:
            return Result(FAILED)
        if action.name not in self.known and DONE not in outcomes:
            return Result(outcomes[0], dict(given(flow.flow, action.name, outcomes[0])))
        request = Request(
            key=action.key, call=flow.call_id, tool=action.name, args=action.args,
            at=self.started, number=self.number, account=flow.account_id, flow=flow.flow.name,
        )  # fmt: skip
        return self.actions.perform(request, Claim())

    def end(self, story: Story, flow: CallFlow, state: State) -> CallOver:
        """The conversation is over: do what the box does after every call of its flows."""
        story.leaves(flow, state)
        over = story.over(flow, state, self.number, self.started)
        self.wrap_ups.run(story.wrap_up, over)
        return over


@contextmanager
def open_host(
    config: Config, store: Path | None, flows: Iterable[Flow], fails: Iterable[str], number: str
) -> Iterator[ChatHost]:
    """A host on a database that is kept (`store`), or on one that is gone afterwards.

    Where the flows ask sources and none is configured, it has the sample ones.

    Raises:
        ConfigError: something that is configured cannot be used.
        StoreError: the database cannot be used.
    """
    clock, flows = SystemClock(), tuple(flows)
    with TemporaryDirectory(prefix="appliance-chat-") as scratch:
        if any(needs_samples(flow, config) for flow in flows):
            config = with_samples(config, Path(scratch), clock)
        database = Database(store or Path(scratch) / "chat.sqlite")
        outside = open_outside(config, database, clock)
        try:
            outside.start(flows)
            box = {**tools(database, config), **outside.tools}
            after = WrapUps({**wrap_ups(database, config), **outside.wrap_ups})
            actions = ActionHost(ActionStore(database), box)
            yield ChatHost(actions, frozenset(box), after, frozenset(fails), number, clock.now())
        finally:
            outside.close()
            database.close()
