"""What is done for one message of a user's, and how far it has come when the box starts again.

    no run yet ──> begun ──> Answering ──┬─> ended ──> wrap-ups ──> done
    begun: cut off ──┬─ not answered ────┘└─> asked: the question is sent; the next message goes on
                     └─ answered ─────────────> wrap-ups ──> done

Blocking; several threads, but one at a time for a conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Protocol

import structlog

from appliance.actions.inquiry import Desk
from appliance.actions.inquiry_record import DELIVER, ERROR, SUCCESS
from appliance.actions.replying import ESCALATION
from appliance.actions.wrapup import CallOver
from appliance.conversations import STATUS, Contact, Conversation, Message
from appliance.errors import ApplianceError
from appliance.flows.shelf import FlowShelf
from appliance.session.textrun import Answering, Means
from appliance.store.records import INTERRUPTED
from appliance.store.text_runs import Stage, TextRun, TextRuns

MOST_IN_AN_HOUR = 30
"""Messages of one conversation that are answered: nobody types more, but two machines do."""

_ANSWERED_WITHIN = timedelta(hours=24)
_FAILED = "The agent failed on this message; the log of the box says why"
_log = structlog.get_logger()


class RestlessError(ApplianceError):
    """A program seems to answer the agent."""


class Inbox(Protocol):
    """What waits for the agent on a desk. Blocking; raises SourceError or StoreError."""

    def waiting(self) -> Sequence[tuple[str, str]]:
        """Conversations whose user's last message nobody has answered, with that message's id.

        Those that belong to people are not among them. One that the agent has answered may be, as
        long as `settled` was not called for it since the box started.
        """
        ...

    def settled(self, conversation: str, message: str) -> None:
        """The agent is done with this message."""
        ...

    def wake(self) -> None:
        """End the snoozes that are over, where the desk does not; called after `waiting`."""
        ...


@dataclass
class TextMessages:
    """Answers messages of a desk; `desk` and `inbox` are mostly one object.

    Every method raises SourceError or StoreError where it could not be done now.
    """

    desk: Desk
    inbox: Inbox
    runs: TextRuns
    flows: FlowShelf
    means: Means
    snooze_s: int
    _ending: set[str] = field(default_factory=set)
    """Runs whose wrap-ups wait for the store."""

    def __post_init__(self) -> None:
        """See that the flow can be run on a text message.

        Raises:
            ConfigError: it needs more than that, an account say.
        """
        Answering("start", self.flows.current, self.means, "0", Contact())

    def waiting(self) -> list[tuple[str, str]]:
        """Conversations in which something is to be done, each once, with the message."""
        left = [each for each in self.runs.open() if self._is_due(each)]
        found = {each.conversation: each.message for each in left}
        for conversation, message in self.inbox.waiting():
            found.setdefault(conversation, message)
        self.inbox.wake()
        return [each for each in found.items() if _key(*each) not in self._ending]

    def answer(self, conversation: str, message: str) -> None:
        """Do what is left to be done for a message.

        Raises:
            ApplianceError: beside the above, the flow cannot be run on it.
        """
        run = self.runs.find(_key(conversation, message))
        if run is not None and run.stage is Stage.DONE:
            self.inbox.settled(conversation, message)
            return
        thread = self.desk.fetch(conversation)
        if run is not None and run.stage is Stage.ASKED:
            self._end(run, thread) if self._is_due(run) else self._ask(run)
            return
        said = next((each for each in thread.messages if each.id == message), None)
        replied = _is_answered(thread, message)
        if run is not None and (said is None or replied or thread.belongs_to_people):
            self._recover(run, thread, SUCCESS if replied else INTERRUPTED)
        elif said is None or (replied and not self.runs.knows(conversation)):
            self.inbox.settled(conversation, message)  # before the box had this store
        elif not thread.belongs_to_people:
            self._converse(run or self._begin(thread, said), thread, said)

    def give_up(self, conversation: str, message: str) -> None:
        """The flow or the box has a bug: hand the conversation to people, once."""
        run = TextRun(
            _key(conversation, message), conversation, message, _key(conversation, message),
            self.means.clock.now(),
        )  # fmt: skip
        self.desk.note(conversation, f"{run.key}:failed", ESCALATION + _FAILED)
        self.desk.put_attribute(conversation, STATUS, ERROR)
        self._snooze(conversation)
        self.runs.begin(run)
        self._done(run)

    def _is_due(self, run: TextRun) -> bool:
        """Whether it was cut off, or its question was not answered for long."""
        is_old = self.means.clock.now() - run.at > _ANSWERED_WITHIN
        return run.stage is Stage.BEGUN or is_old

    def _begin(self, thread: Conversation, said: Message) -> TextRun:
        """The run for a message: a new dialogue, or one that a question has left open.

        Raises:
            RestlessError: there were too many of late.
        """
        key, now = _key(thread.id, said.id), self.means.clock.now()
        if self.runs.count_since(thread.id, now - timedelta(hours=1)) >= MOST_IN_AN_HOUR:
            raise RestlessError(f"more than {MOST_IN_AN_HOUR} messages within an hour")
        run = TextRun(key, thread.id, said.id, key, now)
        continued = None
        for before in self.runs.open(thread.id):
            if before.stage is not Stage.ASKED:
                continue
            if self._is_due(before) or _was_taken_up(thread, before.message):
                self._end(before, thread)
            elif self._resumed(before, thread) is None:
                self._recover(before, thread, SUCCESS)  # its question has arrived
            else:
                run = replace(run, call=before.call, state=before.state, deeds=before.deeds)
                continued = before.key
        self.runs.begin(run, continues=continued)
        return run

    def _converse(self, run: TextRun, thread: Conversation, said: Message) -> None:
        answering = self._resumed(run, thread) or self._opened(run.key, thread)
        came = answering.hears(said.text)
        if not came.ended:
            state = answering.state.model_dump_json()
            self._ask(self.runs.asked(replace(run, deeds=came.deeds), came.text, state))
            return
        if came.text:
            self._say_last(run, came.text)
        self._wrap_up(run, answering)

    def _opened(self, call: str, thread: Conversation) -> Answering:
        return Answering(call, self.flows.current, self.means, thread.id, thread.contact)

    def _resumed(self, run: TextRun, thread: Conversation) -> Answering | None:
        """The dialogue where the run stands; None where it is a new one, or the flow is another."""
        if not run.state:
            return None
        answering = self._opened(run.call, thread)
        try:
            answering.goes_on_from(run.state, run.deeds)
        except ValueError:
            return None
        return answering

    def _ask(self, run: TextRun) -> None:
        """Send a question that is kept; the dialogue goes on with the user's next message."""
        if run.question:
            self.desk.reply(run.conversation, f"{run.key}:question", run.question)
        self._snooze(run.conversation)
        self.inbox.settled(run.conversation, run.message)

    def _say_last(self, run: TextRun, text: str) -> None:
        """What is said at the end. All is done by then: it is not run again for this alone."""
        try:
            self.desk.reply(run.conversation, f"{run.key}:last", text)
            self._snooze(run.conversation)
        except ApplianceError as error:
            _log.warning("last words not sent", message=run.key, why=str(error))

    def _end(self, run: TextRun, thread: Conversation) -> None:
        """The user does not answer a question any more, or a person has taken it up."""
        answering = None if thread.belongs_to_people else self._resumed(run, thread)
        if answering is None:
            self._recover(run, thread, SUCCESS)
        else:
            answering.hangs_up()
            self._wrap_up(run, answering)

    def _recover(self, run: TextRun, thread: Conversation, outcome: str) -> None:
        """Do what follows a dialogue that is not there any more."""
        flow = self.flows.current.first
        deeds = run.deeds + (((DELIVER, "done"),) if outcome == SUCCESS else ())
        over = CallOver(
            call=run.call, number=thread.contact.phone, flow=flow.name,
            outcome=thread.attributes.get(STATUS, outcome), ended_by="appliance_crash",
            started=run.at, language=self.means.language, turns=1,
            facts={"channel": "text", "conversation": thread.id}, deeds=deeds, recovered=True,
        )  # fmt: skip
        self._run_wrap_ups(run, list(flow.spec.wrap_up), over)

    def _wrap_up(self, run: TextRun, answering: Answering) -> None:
        self._run_wrap_ups(run, *answering.over(run.at))

    def _run_wrap_ups(self, run: TextRun, names: list[str], over: CallOver) -> None:
        """On the thread that wrap-ups have; those that are refused are done later, and so is it."""
        self._ending.add(run.key)
        done = partial(self._done, run)
        self.means.afterwards.submit(self.means.wrap_ups.run, names, over, done).result()

    def _done(self, run: TextRun) -> None:
        """Nothing is left; where that cannot be stored, it is found and done again."""
        try:
            self.runs.done(run.key)
            self.inbox.settled(run.conversation, run.message)
        except ApplianceError as error:
            _log.warning("end of a text message not stored", message=run.key, why=str(error))
        finally:
            self._ending.discard(run.key)

    def _snooze(self, conversation: str) -> None:
        until = self.means.clock.now() + timedelta(seconds=self.snooze_s)
        self.desk.snooze(conversation, until)


def _key(conversation: str, message: str) -> str:
    return f"desk:{conversation}:{message}"


def _is_answered(thread: Conversation, message: str) -> bool:
    """Whether the agent has replied after a message."""
    ids = [each.id for each in thread.messages]
    after = thread.messages[ids.index(message) + 1 :] if message in ids else ()
    return any(each.by_agent for each in after)


def _was_taken_up(thread: Conversation, message: str) -> bool:
    """Whether a person of the desk has written after a message."""
    ids = [each.id for each in thread.messages]
    after = thread.messages[ids.index(message) + 1 :] if message in ids else ()
    return any(each.role == "assistant" and not each.by_agent for each in after)
