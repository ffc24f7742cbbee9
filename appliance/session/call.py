"""One call, wired: what the line brings goes in, what the dialogue says and does comes out.

    Leg ── Audio ──> Ear ──── Reading ───┐
        ── Digit ──> Keypad ── entry ────┤
    silence, hang-up, results of tools ──┴─> step() ─> Turn ─> Speaker ─> Playout ─> Leg
                                               ^        └────> actions ─┐
                                               └──────── ToolDone ──────┘
A step may be taken ahead of time, at a pause of the caller (`speculation`).

All handlers run to their end in the event loop; only inference and storage are awaited, in
tasks that belong to the call and are gone when it ends. Time within a call is counted in the
line's 20 ms ticks, so no timer outlives anything.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from datetime import datetime
from typing import Any

import structlog

from appliance.actions.tools import Result
from appliance.actions.wrapup import CallOver
from appliance.audio.echo import EchoCanceller
from appliance.dialogue.events import (
    CallStarted,
    Digits,
    EngineFailed,
    Event,
    Heard,
    HungUp,
    NoInput,
    ToolDone,
)
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import Action, HandoffNote, Listen, Turn
from appliance.errors import ConfigError
from appliance.nlu.acknowledgements import only_hums
from appliance.session.afterwards import Story
from appliance.session.dead_air import DeadAir, Phrase, Wait
from appliance.session.deeds import Deeds
from appliance.session.ear import Ear, Reading
from appliance.session.floor import Floor
from appliance.session.heard import Unheard
from appliance.session.hints import names_in
from appliance.session.journal import Journal, TurnTiming, timing_of
from appliance.session.keypad import Keypad
from appliance.session.leg import Leg
from appliance.session.liveview import Glimpse
from appliance.session.playout import Playout, Said
from appliance.session.services import Services
from appliance.session.speaker import Speaker
from appliance.session.speculation import Speculation
from appliance.stt.agreement import Partial
from appliance.telephony.call import LineEvent
from appliance.telephony.messages import (
    Audio,
    CallDown,
    CallUp,
    Digit,
    Held,
    Resumed,
    TransferResult,
)
from appliance.types import (
    FRAME_MS,
    FRAME_SAMPLES,
    AudioFrame,
    Intent,
    SpeechEnded,
    SpeechStarted,
    Understanding,
)

_log = structlog.get_logger()


class CallSession:
    """Runs one call from its answer to its end."""

    def __init__(
        self, leg: Leg, flow: CallFlow, services: Services, journal: Journal, number: str = ""
    ) -> None:
        """`number`: the caller's; empty if it is not known."""
        self._leg = leg
        self._number = number
        self._story = Story()
        self._flow = flow
        self._services = services
        self._journal = journal
        self._flows = services.flows.current  # whatever is taken into use while it goes on
        self._entry = dict(flow.entry)
        self._state = flow.open()
        self._listen = Listen(expects_reply=False)
        self._echo = EchoCanceller()
        self._ear = Ear(services, self)
        self._keypad = Keypad()
        playout = Playout(leg.play, leg.flush, self.said)
        self._speaker = Speaker(playout, services.voices, services.speaking_workers, self)
        self._playout = playout
        self._floor = Floor(self._speaker, services.onsets)
        self._speculation = Speculation(
            self._speaker, services.clock, on=services.hearing.speculate
        )
        self._unheard = Unheard()
        self._dead_air = DeadAir(services.call, self)
        self._deeds = Deeds(leg, services, journal, self, number)
        self._waiting: TurnTiming | None = None
        self._held = False
        self._hanging_up = False
        self._quiet_ms = 0
        self._ticks = 0

    async def run(self) -> None:
        """Answer, converse, end. Returns when the call is down and its work is done."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            self._leg.answer()
            async for event in self._leg.inbox():
                if isinstance(event, CallDown):
                    await self._end(event)
                else:
                    self._receive(event)

    def over(self, started: datetime) -> tuple[tuple[str, ...], CallOver]:
        """What is to be done after the call, and what is told of it; once, when it is over."""
        self._story.leaves(self._flow, self._state)
        self._story.deeds = self._deeds.done
        over = self._story.over(self._flow, self._state, self._number, started)
        return tuple(self._story.wrap_up), over

    # What the line brings

    def _receive(self, event: LineEvent) -> None:
        match event:
            case Audio():
                self._tick(event)
            case Digit(digit=digit):
                self._pressed(digit)
            case CallUp(codec=codec):
                self._journal.note("up", codec=codec)
                self._step(CallStarted())
            case Held() | Resumed():
                self._speculation.void()
                self._held = isinstance(event, Held)
                self._journal.note("held" if self._held else "resumed")
            case TransferResult(code=code):
                self._deeds.transferred(code)
            case CallDown():
                pass  # see run()

    def _tick(self, audio: Audio) -> None:
        self._ticks += 1
        if self._ticks * FRAME_MS >= self._services.call.max_call_s * 1000:
            self._hang_up("max_call_s")
        if self._state.ended and (self._held or not self._speaker.speaking):
            self._hang_up(None)
        if self._dead_air.lost(received=audio.received) and not self._state.ended:
            self._journal.note("lost")
            self._step(HungUp())
        if self._held:
            self._deeds.tick(quiet=False)  # a transfer takes no longer for it
            return
        self._playout.tick(audio.played)
        self._speaker.tick()
        heard = self._echo.push(audio.pcm, audio.ours)
        frame = AudioFrame(heard.pcm, audio.at_ns, heard.echo)
        self._ear.push(frame)
        if self._floor.tick(frame, turn_open=self._ear.turn_open, talking=self._ear.talking):
            self._journal.note("interrupted", at_ns=audio.at_ns)
        typed = self._keypad.tick()
        if typed is not None:
            self._typed(typed)
        self._watch_silence()
        self._deeds.tick(quiet=not (self._speaker.speaking or self._ear.busy))
        self._dead_air.tick(
            self._waits_for, quiet=not (self._speaker.speaking or self._ear.turn_open)
        )

    @property
    def _waits_for(self) -> Wait | None:
        """What the caller waits for, if it is the appliance's turn."""
        if self._state.ended:
            return None
        if self._deeds.transferring:
            return "transfer"
        if self._ear.reading:
            return "reading"
        return "tool" if self._state.doing else None

    def _watch_silence(self) -> None:
        if not self._listen.expects_reply or self._speaker.speaking:
            self._quiet_ms = 0
        elif not (self._ear.busy or self._keypad.typing):
            self._quiet_ms += FRAME_MS
            if self._quiet_ms >= (self._listen.no_input_ms or self._services.call.no_input_ms):
                self._step(NoInput())

    async def _end(self, down: CallDown) -> None:
        """The call is down; what the caller said last still counts ("stop calling me", click)."""
        self._speculation.void()
        self._speaker.stop()
        self._story.ended_by = down.by
        await self._ear.finish()
        if not self._state.ended and down.by == "peer":
            self._step(HungUp())
        self._journal.end(
            self._state, by=down.by, code=down.code, dropped_frames=self._leg.dropped_frames,
            **self._speculation.counts,
        )  # fmt: skip

    # What the caller does

    @property
    def key(self) -> str:
        """Names the call in every log and record."""
        return self._leg.key

    @property
    def names(self) -> tuple[str, ...]:
        """Names that the caller may say back: those of the account, and his own."""
        return names_in(self._flow, self._state)

    def partial_heard(self, partial: Partial) -> None:
        """The caller is saying this; it is shown, masked, and goes into no log."""
        if self._services.live.is_on:
            masked = self._journal.masked(partial, self._listen.slot)
            self._services.live.show(Glimpse(self._leg.key, masked))

    def speech_started(self, event: SpeechStarted) -> None:
        """The caller speaks; whether a prompt stops for it, the floor decides."""
        over_prompt = self._floor.speech_started()
        self._journal.note("speech", at_ns=event.at_ns, barge_in=over_prompt)

    def turn_guessed(self, reading: Reading) -> None:
        """The caller pauses; if he says no more, this was his turn."""
        meant = self._counts(reading)
        if meant is not None and not self._state.ended:
            event = self._unheard.tell(Heard(meant), self._speaker.being_said)
            self._speculation.prepare(self._flow, self._state, event, reading)

    def guess_void(self) -> None:
        """The caller goes on, or begins again."""
        self._speculation.void()

    def turn_heard(self, end: SpeechEnded, reading: Reading) -> None:
        """The caller said something."""
        if reading.failed is not None:
            self._journal.note("error", stage=reading.failed)
            _log.warning("turn not read", call=self._leg.key, stage=reading.failed, why=reading.why)
            self._step(EngineFailed(reading.failed), timing_of(end, reading))
            return
        if not reading.understanding.text:
            self._heard_noise(end)
            return
        meant = self._counts(reading)
        if meant is None:
            self._journal.note("ignored", reason="spoken over a protected prompt")
            return
        if self._acknowledges(meant):
            self._journal.note("ignored", reason="acknowledgement")
            self._floor.noise_heard()
            return
        self._step(Heard(meant), timing_of(end, reading), reading)

    def _counts(self, reading: Reading) -> Understanding | None:
        """What counts of what was said; over a protected prompt only universal intents do."""
        meant = reading.understanding
        universal = self._universal(meant)
        if not meant.text or (self._floor.uninterruptible and not universal):
            return None
        if reading.transcript.confidence < self._services.hearing.min_confidence:
            return Understanding(meant.text, universal, unsure=True)
        return meant

    def _acknowledges(self, meant: Understanding) -> bool:
        """Whether the caller only shows that he listens; a universal request is never that."""
        humming = only_hums(meant.text)
        if self._universal(meant) and not humming:
            return False
        return self._floor.is_acknowledgement(meant.text, humming=humming)

    def last_words_heard(self, reading: Reading) -> None:
        """He hung up in the middle of this: half an answer is none, but a stop request is one."""
        universal = self._universal(reading.understanding)
        if universal and not self._state.ended:
            self._step(Heard(Understanding(reading.understanding.text, universal)))

    def _heard_noise(self, end: SpeechEnded) -> None:
        """No words: it was as good as silence, and a prompt that it cut off is said again."""
        length_ms = len(end.pcm) // (2 * FRAME_SAMPLES) * FRAME_MS
        self._journal.note("noise", length_ms=length_ms)
        self._quiet_ms += length_ms
        self._floor.noise_heard()

    def _universal(self, meant: Understanding) -> tuple[Intent, ...]:
        """The intents that count at any time and however unclear: stop, a person, goodbye."""
        universal = self._flow.flow.spec.universal
        return tuple(intent for intent in meant.intents if intent.name in universal)

    def _pressed(self, digit: str) -> None:
        self._speculation.void()
        if not self._listen.accepts_digits:
            self._journal.note("ignored", reason="digit not asked for")
            return
        self._floor.key_pressed()
        typed = self._keypad.press(digit, self._listen)
        if typed is not None:
            self._typed(typed)

    def _typed(self, typed: str) -> None:
        self._ear.typed()
        self._step(Digits(typed), TurnTiming(over_ns=self._services.clock.monotonic_ns()))

    # What the dialogue decides

    def _step(
        self, event: Event, timing: TurnTiming | None = None, reading: Reading | None = None
    ) -> None:
        started = time.perf_counter()
        asked = self._listen.slot
        event = self._unheard.tell(event, self._speaker.being_said)
        stepped = self._speculation.turn(self._flow, self._state, event, reading)
        turn, now = stepped.turn, stepped.at
        if turn.reply == "already_closed":
            return
        if not turn.taken:  # it led nowhere: nothing that is going on is disturbed
            self._journal.event(event, turn, now, asked)
            self._state = turn.state
            return
        if isinstance(event, ToolDone):  # the answer to what the caller said waited for this
            timing, self._waiting = self._waiting, None
        if timing is not None:
            timing.dialogue_ms += (time.perf_counter() - started) * 1000
            timing.prepared = timing.prepared or stepped.ahead
        self._journal.event(event, turn, now, asked)
        self._state, self._listen, self._quiet_ms = turn.state, turn.listen, 0
        self._ear.listen(turn.listen)
        self._floor.listen(turn.listen, ended=turn.state.ended)
        self._keypad.clear()
        self._speak(turn, timing, answers=isinstance(event, Heard | Digits))
        self._deeds.take(turn, self._flow)
        if turn.next_flow is not None:
            self._go_on(turn.next_flow.flow, turn.next_flow.note)

    def _go_on(self, name: str, note: HandoffNote | None) -> None:
        """The call goes on in another flow, which is given the note and what it holds."""
        flow = self._flows.after(self._flow.flow, name)
        entry = {**self._entry, **(note.key_facts if note else {})}
        try:
            bound = self._flow.hand_over(flow, self._state.language, entry)
        except ConfigError as error:  # a fact that it requires was not learned
            _log.error("call not handed over", call=self._leg.key, why=str(error))
            self._hang_up("handover")
            return
        self._story.leaves(self._flow, self._state)
        self._flow = bound
        self._journal.follow(bound)
        self._journal.note(
            "handover", flow=flow.name, flow_hash=flow.hash, outcome=self._state.outcome,
            wrap_up=flow.spec.wrap_up,
        )  # fmt: skip
        self._state = self._flow.open(self._state.notes)
        self._step(CallStarted())

    def _speak(self, turn: Turn, timing: TurnTiming | None, *, answers: bool) -> None:
        """Say what a turn says; an answer replaces what it answers, anything else follows it."""
        if not turn.say:
            self._waiting = timing if turn.state.doing else None
            self._journal.turn(turn)
            return
        self._journal.sounded()
        if answers and not self._holding_on:
            self._floor.make_room()
        # Behind other prompts the first audio comes when they end: no measure of speed.
        behind = self._speaker.speaking and not self._holding_on
        self._journal.turn_to_sound(turn, None if behind else timing)
        self._unheard.say(turn.say)
        self._floor.say(turn.say)

    def began(self) -> None:
        """The first audio of a turn went to the line: its timing is known."""
        self._journal.sounded()

    def said(self, said: Said) -> None:
        """A prompt ended or was interrupted."""
        part = self._speaker.heard(said)
        self._journal.said(said, part)
        self._unheard.heard(part)

    def holding(self) -> str | None:
        """What asks for patience in the flow, if anything does."""
        return self._flow.holding(self._state)

    def hold_on(self, phrase: Phrase, wait: Wait) -> None:
        """The caller has waited long enough for this to be told so."""
        prompt = self._flow.waiting(phrase, self._state)
        if prompt is not None:
            self._journal.note("held_up", wait=wait)
            self._speaker.say_aside(prompt)

    @property
    def _holding_on(self) -> bool:
        """Whether nothing is being said but that something takes long: an answer follows that."""
        return self._speaker.says_only_asides

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
            self._hang_up("protected prompt cannot be spoken")
        elif not self._state.ended:
            self._step(EngineFailed("tts"))

    def deed_done(self, action: Action, result: Result) -> None:
        """An action came to its outcome; the dialogue may be waiting for it."""
        facts = tuple(sorted(result.facts.items()))
        self._step(ToolDone(action.name, result.outcome, action.key, facts))

    def _hang_up(self, why: str | None) -> None:
        if not self._hanging_up:
            self._hanging_up = True
            if why:
                self._journal.note("limit", reached=why)
            self._leg.hang_up()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that ends with the call."""
        self._tasks.create_task(work)
