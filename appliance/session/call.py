"""One call, wired: what the line brings goes in, what the dialogue says and does comes out.

    Leg ── Audio ──> Ear ──── Reading ───┐
        ── Digit ──> Keypad ── entry ────┤
    silence, hang-up, results of tools ──┴─> step() ─> Turn ─> Speaker ─> Playout ─> Leg
                                               ^        └────> actions ─┐
                                               └──────── ToolDone ──────┘

All handlers run to their end in the event loop; only inference and storage are awaited, in
tasks that belong to the call and are gone when it ends. Time within a call is counted in the
line's 20 ms ticks, so no timer outlives anything.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from appliance.actions.host import DONE, FAILED
from appliance.dialogue.engine import END_CALL, step
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
from appliance.dialogue.turn import Action, Listen, Turn
from appliance.session.ear import Ear, Reading
from appliance.session.journal import Journal, TurnTiming, timing_of
from appliance.session.keypad import Keypad
from appliance.session.leg import Leg
from appliance.session.playout import Playout, Said
from appliance.session.services import Services
from appliance.session.speaker import Speaker
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
    AudioFrame,
    Intent,
    SpeechEnded,
    SpeechStarted,
    Understanding,
)

ESCALATE = "escalate_to_human"
"""The tool that becomes a transfer where the operator configured a person's number."""


class CallSession:
    """Runs one call from its answer to its end."""

    def __init__(self, leg: Leg, flow: CallFlow, services: Services, journal: Journal) -> None:
        self._leg = leg
        self._flow = flow
        self._services = services
        self._journal = journal
        self._state = flow.open()
        self._listen = Listen(expects_reply=False)
        self._ear = Ear(services, self)
        self._keypad = Keypad()
        playout = Playout(leg.play, leg.flush, journal.said)
        self._speaker = Speaker(playout, services.prompts, services.speaking_workers, self)
        self._playout = playout
        self._turn: Turn | None = None
        self._timing: TurnTiming | None = None
        self._pending_transfer: Action | None = None
        self._held = False
        self._hanging_up = False
        self._quiet_ms = 0
        self._ticks = 0

    @property
    def outcome(self) -> str | None:
        """The flow's outcome, once the call has one."""
        return self._state.outcome

    async def run(self) -> None:
        """Answer, converse, end. Returns when the call is down and its work is done."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            self._leg.answer()
            async for event in self._leg.inbox():
                self._receive(event)
            self._ear.close()

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
                self._held = isinstance(event, Held)
                self._journal.note("held" if self._held else "resumed")
            case TransferResult(code=code):
                self._transferred(code)
            case CallDown():
                self._down(event)

    def _tick(self, audio: Audio) -> None:
        self._ticks += 1
        if self._ticks * FRAME_MS >= self._services.call.max_call_s * 1000:
            self._hang_up("max_call_s")
        if self._held:
            return
        self._playout.tick(audio.played)
        self._ear.push(AudioFrame(audio.pcm, audio.at_ns))
        typed = self._keypad.tick()
        if typed is not None:
            self._typed(typed)
        self._watch_silence()
        if self._state.ended and not self._speaker.speaking:
            self._hang_up(None)
        if self._pending_transfer is not None and not self._speaker.speaking:
            self._transfer(self._pending_transfer)

    def _watch_silence(self) -> None:
        waiting = self._listen.expects_reply and not self._speaker.speaking
        if not waiting or self._ear.busy or self._keypad.typing:
            self._quiet_ms = 0
            return
        self._quiet_ms += FRAME_MS
        if self._quiet_ms >= self._services.call.no_input_ms:
            self._quiet_ms = 0
            self._step(NoInput())

    def _down(self, down: CallDown) -> None:
        self._speaker.stop()
        if not self._state.ended:
            self._step(HungUp())
        self._journal.note(
            "end", outcome=self._state.outcome, by=down.by, code=down.code,
            facts=dict(self._state.facts), dropped_frames=self._leg.dropped_frames,
        )  # fmt: skip

    # What the caller does

    def speech_started(self, event: SpeechStarted) -> None:
        """The caller speaks: an interruptible prompt stops, a protected one plays on."""
        interrupts = self._speaker.speaking and not self._uninterruptible and not self._state.ended
        self._journal.note("speech", at_ns=event.at_ns, barge_in=interrupts)
        if interrupts:
            self._speaker.stop()

    def turn_heard(self, end: SpeechEnded, reading: Reading) -> None:
        """The caller said something; over a protected prompt only universal intents count."""
        if reading.failed is not None:
            self._journal.note("error", stage=reading.failed)
            self._step(EngineFailed(reading.failed), timing_of(end, reading))
            return
        if not reading.understanding.text:
            self._journal.note("noise", ms_long=len(end.pcm) // 16)
            return
        meant = reading.understanding
        if self._uninterruptible and not self._universal(meant):
            self._journal.note("ignored", reason="spoken over a protected prompt")
            return
        if reading.transcript.confidence < self._services.hearing.min_confidence:
            meant = Understanding(meant.text, self._universal(meant))
        self._step(Heard(meant), timing_of(end, reading))

    @property
    def _uninterruptible(self) -> bool:
        if not self._speaker.speaking:
            return False
        return self._speaker.protected or not self._listen.interruptible

    def _universal(self, meant: Understanding) -> tuple[Intent, ...]:
        """The intents that count at any time and however unclear: stop, a person, goodbye."""
        universal = self._flow.flow.spec.universal
        return tuple(intent for intent in meant.intents if intent.name in universal)

    def _pressed(self, digit: str) -> None:
        if not self._listen.accepts_digits:
            self._journal.note("ignored", reason="digit not asked for")
            return
        if not self._uninterruptible:
            self._speaker.stop()
        typed = self._keypad.press(digit, self._listen)
        if typed is not None:
            self._typed(typed)

    def _typed(self, typed: str) -> None:
        self._step(Digits(typed), TurnTiming(over_ns=self._services.clock.monotonic_ns()))

    # What the dialogue decides

    def _step(self, event: Event, timing: TurnTiming | None = None) -> None:
        now = self._services.clock.now()
        started = time.perf_counter()
        turn = step(self._flow, self._state, event, now)
        if timing is not None:
            timing.dialogue_ms = (time.perf_counter() - started) * 1000
        self._journal.event(event, turn, now)
        self._state, self._listen, self._quiet_ms = turn.state, turn.listen, 0
        self._turn, self._timing = turn, timing
        self._ear.listen(turn.listen)
        if turn.say:
            if isinstance(event, Heard | Digits):  # an answer replaces what it answers
                self._speaker.stop(keep_protected=True)
            self._speaker.say(turn.say)
        else:
            self.began()
        for action in turn.actions:
            self._act(action)

    def began(self) -> None:
        """The first audio of a turn went to the line: its timing is known."""
        if self._turn is not None:
            self._journal.turn(self._turn, self._timing)
            self._turn = None

    def said(self, said: Said) -> None:
        """A prompt ended or was interrupted."""
        self._journal.said(said)

    def voice_failed(self) -> None:
        """A sentence could not be spoken; the dialogue says what it can instead."""
        self._journal.note("error", stage="tts")
        if not self._state.ended:
            self._step(EngineFailed("tts"))

    def _act(self, action: Action) -> None:
        if action.name == END_CALL:
            self._journal.action(action, DONE)  # carried out when the last prompt has been played
        elif action.name == ESCALATE and self._services.call.human:
            self._pending_transfer = action
        else:
            self.spawn(self._perform(action))

    async def _perform(self, action: Action) -> None:
        loop = asyncio.get_running_loop()
        account = str(self._flow.account.get("account_id", ""))
        perform = self._services.actions.perform
        outcome = await loop.run_in_executor(
            self._services.store_worker, perform, self._leg.key, account, action
        )
        if action.name == ESCALATE:  # noted, but there is nobody to send the caller to
            outcome = FAILED
        self._finished(action, outcome)

    def _finished(self, action: Action, outcome: str) -> None:
        self._journal.action(action, outcome)
        if not self._state.ended:
            self._step(ToolDone(action.name, outcome))

    def _transfer(self, action: Action) -> None:
        target = self._services.call.human
        assert target is not None
        self._pending_transfer = None
        self._transferring = action
        self._leg.transfer(target)

    def _transferred(self, code: int) -> None:
        self._finished(self._transferring, DONE if 200 <= code < 300 else FAILED)

    def _hang_up(self, why: str | None) -> None:
        if not self._hanging_up:
            self._hanging_up = True
            if why:
                self._journal.note("limit", reached=why)
            self._leg.hang_up()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that ends with the call."""
        self._tasks.create_task(work)
