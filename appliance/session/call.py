"""One call, wired: what the line brings goes in, what the dialogue says and does comes out.

    Leg ── Audio ─> EchoCanceller ─> Ear ── Reading ──┐
        ── Digit ─> Keypad ── entry ──────────────────┼─> Conversation ─> words and deeds
    silence, hold, hang-up, a silent line ────────────┘         │
             Ear <── what is listened for ──────────────────────┘

All handlers run to their end in the event loop; only inference and storage are awaited, in
tasks that belong to the call and are gone when it ends. Time within a call is counted in the
line's 20 ms ticks, so no timer outlives anything.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from appliance.actions.wrapup import CallOver
from appliance.audio.echo import EchoCanceller
from appliance.dialogue.events import (
    CallStarted,
    Digits,
    EngineFailed,
    Heard,
    HungUp,
    NoInput,
)
from appliance.dialogue.flow import CallFlow
from appliance.dialogue.turn import Listen
from appliance.session.conversation import Conversation
from appliance.session.dead_air import DeadAir, Wait
from appliance.session.ear import Ear, Reading
from appliance.session.heeding import ACKNOWLEDGEMENT, heard_surely, ignored, universal_in
from appliance.session.hints import names_in
from appliance.session.interruptions import Talk
from appliance.session.journal import Journal, TurnTiming, timing_of
from appliance.session.keypad import Keypad
from appliance.session.leg import Leg
from appliance.session.liveview import Glimpse
from appliance.session.services import Services
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
    SpeechEnded,
    SpeechStarted,
    Understanding,
)

_log = structlog.get_logger()


_HEARD_OUT_MS = 3000
"""What is due is put off so long, at most, while the caller speaks: he may be asking for a stop."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """What there was when a turn of the caller's began. `knew`: see `Asked.known`."""

    talk: Talk
    knew: int | None


class CallSession:
    """Runs one call from its answer to its end."""

    def __init__(
        self, leg: Leg, flow: CallFlow, services: Services, journal: Journal, number: str = ""
    ) -> None:
        """`number`: the caller's; empty if it is not known."""
        self._leg = leg
        self._services = services
        self._journal = journal
        self._dialogue = Conversation(leg, flow, services, journal, self, number)
        self._floor = self._dialogue.floor
        self._speaker = self._dialogue.speaker
        self._echo = EchoCanceller()
        self._ear = Ear(services, self)
        self._keypad = Keypad()
        self._dead_air = DeadAir(services.call, self._dialogue)
        self._ended_by = "appliance"
        self._held = False
        self._hanging_up = False
        self._quiet_ms = 0
        self._ticks = 0
        self._turns: deque[_Turn] = deque()  # begun, and not read yet
        self._waited_ms = 0

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
        return self._dialogue.over(started, self._ended_by)

    # What the line brings

    def _receive(self, event: LineEvent) -> None:
        match event:
            case Audio():
                self._tick(event)
            case Digit(digit=digit):
                self._pressed(digit)
            case CallUp(codec=codec):
                self._journal.note("up", codec=codec)
                self._dialogue.step(CallStarted())
            case Held() | Resumed():
                self._hold(held=isinstance(event, Held))
                self._journal.note("held" if self._held else "resumed")
            case TransferResult(code=code):
                self._dialogue.deeds.transferred(code)
            case CallDown():
                pass  # see run()

    def _hold(self, *, held: bool) -> None:
        """What was begun ends here: what comes after is another conversation."""
        self._dialogue.void()
        self._keypad.clear()
        self._ear.break_off()
        self._held = held

    @property
    def must_wait(self) -> bool:
        """Whether the caller is to be heard out before anything ends or begins by itself."""
        return self._ear.busy and not self._held and self._waited_ms < _HEARD_OUT_MS

    def _tick(self, audio: Audio) -> None:
        self._ticks += 1
        if self._ticks * FRAME_MS >= self._services.call.max_call_s * 1000:
            self.hang_up("max_call_s")
        all_said = self._dialogue.state.ended and (self._held or not self._speaker.speaking)
        due = all_said or self._dialogue.outcomes_wait
        self._waited_ms = self._waited_ms + FRAME_MS if due else 0
        if all_said and not self.must_wait:
            self.hang_up(None)
        if self._dead_air.lost(received=audio.received) and not self._dialogue.state.ended:
            self._journal.note("lost")
            self._dialogue.step(HungUp())
        if self._held:
            self._dialogue.deeds.tick(quiet=False)  # a transfer takes no longer for it
            return
        self._dialogue.tick(audio.played)
        heard = self._echo.push(audio.pcm, audio.ours)
        frame = AudioFrame(heard.pcm, audio.at_ns, heard.echo)
        self._ear.push(frame)
        if self._floor.tick(frame, turn_open=self._ear.turn_open, talking=self._ear.talking):
            self._journal.note("interrupted", at_ns=audio.at_ns)
        typed = self._keypad.tick()
        if typed is not None:
            self._typed(typed)
        self._watch_silence()
        speaking = self._speaker.speaking or self._floor.given_up
        self._dialogue.deeds.tick(quiet=not (speaking or self._ear.busy))
        self._dead_air.tick(self._waits_for, quiet=not (speaking or self._ear.turn_open))

    @property
    def _waits_for(self) -> Wait | None:
        """What the caller waits for, if it is the appliance's turn."""
        if self._dialogue.state.ended:
            return None
        if self._dialogue.deeds.transferring:
            return "transfer"
        if self._ear.reading:
            return "reading"
        return "tool" if self._dialogue.state.doing else None

    def _watch_silence(self) -> None:
        if not self._dialogue.listening.expects_reply or self._speaker.speaking:
            self._quiet_ms = 0
        elif not (self._ear.busy or self._keypad.typing):
            self._quiet_ms += FRAME_MS
            if self._quiet_ms >= (
                self._dialogue.listening.no_input_ms or self._services.call.no_input_ms
            ):
                self._dialogue.step(NoInput())

    async def _end(self, down: CallDown) -> None:
        """The call is down; what the caller said last still counts ("stop calling me", click)."""
        self._dialogue.void()
        self._speaker.stop()
        self._ended_by = down.by
        await self._ear.finish()
        self._dialogue.take_outcomes(now=True)
        if not self._dialogue.state.ended and down.by == "peer":
            self._dialogue.step(HungUp())
        self._journal.end(
            self._dialogue.state, by=down.by, code=down.code,
            dropped_frames=self._leg.dropped_frames, **self._dialogue.counts, **self._echo.found,
        )  # fmt: skip

    # What the caller does

    @property
    def key(self) -> str:
        """Names the call in every log and record."""
        return self._leg.key

    @property
    def names(self) -> tuple[str, ...]:
        """Names that the caller may say back: those of the account, and his own."""
        return names_in(self._dialogue.flow, self._dialogue.state)

    def partial_heard(self, partial: Partial) -> None:
        """The caller is saying this; it is shown, masked, and goes into no log."""
        if self._services.live.is_on:
            masked = self._journal.masked(partial, self._dialogue.listening.slot)
            self._services.live.show(Glimpse(self._leg.key, masked))

    def speech_started(self, event: SpeechStarted) -> None:
        """The caller speaks; whether a prompt stops for it, the floor decides."""
        turn = _Turn(self._floor.speech_started(), self._dialogue.asked.known)
        self._turns.append(turn)
        self._journal.note("speech", at_ns=event.at_ns, barge_in=turn.talk.over)

    def turn_guessed(self, reading: Reading) -> None:
        """The caller pauses; if he says no more, this was his turn."""
        turn = self._turns[-1]
        if reading.understanding.text and self._ignored(turn, reading) is None:
            self._dialogue.prepare(self._counting(turn, reading), reading)

    def guess_void(self) -> None:
        """The caller goes on, or begins again."""
        self._dialogue.void()

    def turn_heard(self, end: SpeechEnded, reading: Reading) -> None:
        """The caller said something."""
        turn = self._turns.popleft()
        if reading.failed is not None:
            self._journal.note("error", stage=reading.failed)
            _log.warning("turn not read", call=self._leg.key, stage=reading.failed, why=reading.why)
            self._dialogue.step(EngineFailed(reading.failed), timing_of(end, reading))
            return
        if not reading.understanding.text:
            self._heard_noise(end)
            return
        why = self._ignored(turn, reading)
        if why is None:
            heard = self._counting(turn, reading)
            self._dialogue.step(heard, timing_of(end, reading), reading)
            return
        self._dialogue.void()
        self._journal.note("ignored", reason=why)
        if why == ACKNOWLEDGEMENT:
            self._floor.noise_heard()

    def _ignored(self, turn: _Turn, reading: Reading) -> str | None:
        return ignored(reading.understanding, self._dialogue.flow, turn.talk)

    def _counting(self, turn: _Turn, reading: Reading) -> Heard:
        sure = self._services.hearing.min_confidence
        meant = heard_surely(reading, self._dialogue.flow, sure)
        return self._dialogue.heard(meant, turn.knew)

    def last_words_heard(self, reading: Reading) -> None:
        """It was broken off in the middle: half an answer is none, but a stop request is one."""
        self._turns.popleft()
        universal = universal_in(reading.understanding, self._dialogue.flow)
        if universal:
            self._dialogue.step(Heard(Understanding(reading.understanding.text, universal)))

    def _heard_noise(self, end: SpeechEnded) -> None:
        """No words: it was as good as silence, and a prompt that it cut off is said again."""
        length_ms = len(end.pcm) // (2 * FRAME_SAMPLES) * FRAME_MS
        self._journal.note("noise", length_ms=length_ms)
        self._quiet_ms += length_ms
        self._floor.noise_heard()

    def _pressed(self, digit: str) -> None:
        self._dialogue.void()
        if not self._dialogue.listening.accepts_digits:
            self._journal.note("ignored", reason="digit not asked for")
            return
        self._floor.key_pressed()
        typed = self._keypad.press(digit, self._dialogue.listening)
        if typed is not None:
            self._typed(typed)

    def _typed(self, typed: str) -> None:
        self._ear.typed()
        self._dialogue.step(Digits(typed), TurnTiming(over_ns=self._services.clock.monotonic_ns()))

    def listen(self, listen: Listen) -> None:
        """The dialogue waits for this from now on; what was typed for something else is void."""
        self._quiet_ms = 0
        self._ear.listen(listen)
        self._keypad.clear()

    def hang_up(self, why: str | None) -> None:
        """End the call; `why` is noted where it is a limit."""
        if not self._hanging_up:
            self._hanging_up = True
            if why:
                self._journal.note("limit", reached=why)
            self._leg.hang_up()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that ends with the call."""
        self._tasks.create_task(work)
