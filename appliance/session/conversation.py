"""What a call says and does: its dialogue, from an event to words on the line and deeds.

    Event ─> Speculation ─> Turn ─┬─ event, turn ──> Journal
                ^                 ├─ say ──> Speaker ─> Playout ─> Leg
                │                 ├─ actions ──> Deeds ──┐
                └──── ToolDone ───┼──────────────────────┘
                                  ├─ listen ──> whoever hears the caller
                                  └─ next flow: the call goes on in it

It knows nothing of how the caller is heard. Used from the event loop only.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Coroutine
from datetime import datetime
from typing import Any, Protocol

import structlog

from appliance.actions.tools import Result
from appliance.actions.wrapup import CallOver
from appliance.dialogue.events import CallStarted, Digits, EngineFailed, Event, Heard, ToolDone
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.routes import ways_of_asking
from appliance.dialogue.turn import Action, HandoffNote, Listen, Turn
from appliance.errors import ConfigError
from appliance.session.afterwards import Story
from appliance.session.dead_air import Phrase, Wait
from appliance.session.deeds import Deeds
from appliance.session.ear import Reading
from appliance.session.floor import Floor
from appliance.session.heard import Asked, Unheard
from appliance.session.heeding import says_only_yes_or_no
from appliance.session.journal import Journal, TurnTiming
from appliance.session.leg import Leg
from appliance.session.playout import Playout, Said
from appliance.session.services import Services
from appliance.session.speaker import Speaker
from appliance.session.speculation import Speculation
from appliance.types import Understanding

_log = structlog.get_logger()


class Owner(Protocol):
    """What a conversation asks of the call that holds it."""

    @property
    def must_wait(self) -> bool:
        """Whether the caller has the floor, so that what he did not ask for waits."""
        ...

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that ends with the call."""
        ...

    def listen(self, listen: Listen) -> None:
        """The dialogue waits for this from now on; what was begun for something else is void."""
        ...

    def hang_up(self, why: str | None) -> None:
        """End the call; `why` is noted where it is a limit."""
        ...


class Conversation:
    """One call's dialogue.

    Attributes:
        flow: the one that the call is in, bound to it.
        state: where it stands.
        listening: what it waits for.
        speaker: the voice.
        floor: who may speak.
        deeds: what is done.
        asked: whether the question that stands was heard.
    """

    def __init__(
        self,
        leg: Leg,
        flow: CallFlow,
        services: Services,
        journal: Journal,
        owner: Owner,
        number: str,
    ) -> None:
        """`number`: the caller's; empty if it is not known."""
        self._leg, self._journal, self._owner = leg, journal, owner
        self._number = number
        self._flows = services.flows.current  # whatever is taken into use while it goes on
        self._entry = dict(flow.entry)
        self.flow, self.state = flow, flow.open()
        self.listening = Listen(expects_reply=False)
        self._playout = Playout(leg.play, leg.flush, self.said)
        self.speaker = Speaker(self._playout, services.voices, services.speaking_workers, self)
        self.floor = Floor(self.speaker, services.onsets)
        self._speculation = Speculation(self.speaker, services.clock, on=services.hearing.speculate)
        self._unheard, self.asked = Unheard(), Asked()
        self._played = 0
        self.deeds = Deeds(leg, services, journal, self, number)
        self._story = Story()
        self._waiting: TurnTiming | None = None
        self._last_words = ""
        self._outcomes: deque[ToolDone] = deque()

    def tick(self, played: int) -> None:
        """20 ms have passed; the line has played so many of our frames since the call began."""
        if played > self._played and self._playout.names:
            self.asked.heard(self._playout.names[0])
        self._played = played
        self._playout.tick(played)
        self.speaker.tick()
        self.take_outcomes()

    def heard(self, meant: Understanding, knew: int | None) -> Heard:
        """What a caller said who knew this question when he began (`Asked.known`).

        "Yes" is no answer to another one: that is asked again, as if it had not been heard.
        """
        question = self.state.last_question
        if question is None or knew == self.asked.number or not says_only_yes_or_no(meant):
            return Heard(meant)
        return Heard(meant, unheard=(question,))

    def prepare(self, event: Heard, reading: Reading) -> None:
        """This would be the caller's turn if he said no more."""
        if not self.state.ended:
            event = self._unheard.tell(event, self.speaker.being_said)
            self._speculation.prepare(self.flow, self.state, event, reading)

    def void(self) -> None:
        """What was prepared is not what follows."""
        self._speculation.void()

    @property
    def counts(self) -> dict[str, int]:
        """Of turns that were prepared: see `Speculation.counts`."""
        return self._speculation.counts

    def over(self, started: datetime, ended_by: str) -> tuple[tuple[str, ...], CallOver]:
        """What is to be done after the call, and what is told of it; once, when it is over."""
        self._story.ended_by = ended_by
        self._story.leaves(self.flow, self.state)
        self._story.deeds = self.deeds.done
        over = self._story.over(self.flow, self.state, self._number, started)
        return tuple(self._story.wrap_up), over

    def step(
        self, event: Event, timing: TurnTiming | None = None, reading: Reading | None = None
    ) -> None:
        """Take an event: log it, say and do what comes of it.

        Args:
            event: what happened.
            timing: of the caller's turn, where it is one.
            reading: what it was read from, where he said it.
        """
        started = time.perf_counter()
        asked = self.listening.slot
        if timing is not None and asked is not None:
            timing.asked = asked
        event = self._unheard.tell(event, self.speaker.being_said)
        stepped = self._speculation.turn(self.flow, self.state, event, reading)
        turn, now = stepped.turn, stepped.at
        if turn.reply == "already_closed":
            self._journal.note("ignored", reason="after the end")
            return
        if not turn.taken:  # it led nowhere: nothing that is going on is disturbed
            self._journal.event(event, turn, now, asked)
            self.state = turn.state
            return
        answers = isinstance(event, Heard | Digits)
        if isinstance(event, ToolDone):  # the answer to what the caller said waited for this
            timing, self._waiting = self._waiting, None
            answers = timing is not None
        if timing is not None:
            timing.dialogue_ms += (time.perf_counter() - started) * 1000
            timing.prepared = timing.prepared or stepped.ahead
        self._journal.event(event, turn, now, asked)
        self.state, self.listening = turn.state, turn.listen
        anew = f"states.{turn.state.current}" in turn.taken
        ways = ways_of_asking(self.flow.flow.spec, turn.state.current, turn.state.last_question)
        self.asked.asks(ways, anew=anew)
        self._owner.listen(turn.listen)
        self.floor.listen(turn.listen, ended=turn.state.ended)
        self.speaker.forget_cut()
        self._speak(turn, timing, answers=answers)
        self.deeds.take(turn, self.flow)
        if turn.next_flow is not None:
            self._go_on(turn.next_flow.flow, turn.next_flow.note)

    def _go_on(self, name: str, note: HandoffNote | None) -> None:
        """The call goes on in another flow, which is given the note and what it holds."""
        flow = self._flows.after(self.flow.flow, name)
        entry = {**self._entry, **(note.key_facts if note else {})}
        try:
            bound = self.flow.hand_over(flow, self.state.language, entry)
        except ConfigError as error:  # a fact that it requires was not learned
            _log.error("call not handed over", call=self._leg.key, why=str(error))
            self._owner.hang_up("handover")
            return
        self._story.leaves(self.flow, self.state)
        self.flow = bound
        self._journal.follow(bound)
        self._journal.note(
            "handover", flow=flow.name, flow_hash=flow.hash, outcome=self.state.outcome,
            wrap_up=flow.spec.wrap_up,
        )  # fmt: skip
        self.state = self.flow.open(self.state.notes)
        self.step(CallStarted())

    def _speak(self, turn: Turn, timing: TurnTiming | None, *, answers: bool) -> None:
        """Say what a turn says; an answer replaces what it answers, anything else follows it."""
        self._last_words = turn.say[-1].id if turn.say else ""
        if not turn.say:
            self._waiting = timing if turn.state.doing else None
            self._journal.turn(turn)
            return
        self._waiting = None
        self._journal.sounded()
        if answers and not self._holding_on:
            self.floor.make_room()
        # Behind other prompts the first audio comes when they end: no measure of speed.
        behind = self.speaker.speaking and not self._holding_on
        self._journal.turn_to_sound(turn, None if behind else timing)
        self._unheard.say(turn.say)
        self.floor.say(turn.say)

    def began(self) -> None:
        """The first audio of a turn went to the line: its timing is known."""
        self._journal.sounded()

    def said(self, said: Said) -> None:
        """A prompt ended or was interrupted."""
        part = self.speaker.heard(said)
        self._journal.said(said, part)
        self._unheard.heard(part)

    def holding(self) -> str | None:
        """What asks for patience in the flow, if anything does."""
        return self.flow.holding(self.state)

    def hold_on(self, phrase: Phrase, wait: Wait) -> None:
        """The caller has waited long enough for this to be told so."""
        prompt = self.flow.waiting(phrase, self.state)
        if prompt is not None and prompt.id != self._last_words:  # else the flow just said so
            self._journal.note("held_up", wait=wait)
            self.speaker.say_aside(prompt)

    @property
    def _holding_on(self) -> bool:
        """Whether nothing is being said but that something takes long: an answer follows that."""
        return self.speaker.says_only_asides

    def held_up(self) -> None:
        """A sentence was late."""
        self._journal.note("held_up", wait="voice")

    def voice_failed(self, why: str, *, protected: bool) -> None:
        """A sentence could not be spoken; the dialogue says what it can instead.

        Without a disclosure that must be said the call cannot go on.
        """
        self._journal.note("error", stage="tts")
        _log.warning("sentence not spoken", call=self._leg.key, why=why)
        if protected:
            self._owner.hang_up("protected prompt cannot be spoken")
        elif not self.state.ended:
            self.step(EngineFailed("tts"))

    def deed_done(self, action: Action, result: Result) -> None:
        """An action came to its outcome; the dialogue may be waiting for it."""
        facts = tuple(sorted(result.facts.items()))
        self._outcomes.append(ToolDone(action.name, result.outcome, action.key, facts))
        self.take_outcomes()

    @property
    def outcomes_wait(self) -> bool:
        """Whether something has come of an action that the dialogue has not gone on with."""
        return bool(self._outcomes)

    def take_outcomes(self, *, now: bool = False) -> None:
        """Go on with what came of actions, unless the caller is saying something about it.

        What follows would be said over him, and might end the call; `now`: whatever he does.
        """
        while self._outcomes and (now or not self._owner.must_wait):
            self.step(self._outcomes.popleft())

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that ends with the call."""
        self._owner.spawn(work)
