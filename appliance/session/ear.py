"""From a call's frames to what the caller meant.

    frame -> Endpointer -> pause -> decode + understand (a guess, while the caller may go on)
                        -> more  -> the guess is void
                        -> end   -> Reading (the guess, if nothing was added to it)
                        -> speech so far -> Follower -> Partial (what he is saying)

The guess also sets the patience (`patience`): a reply that holds what was asked for ends its turn
after `listen.patience_ms`; one that is plainly not over may pause for `listen.unfinished_ms`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from appliance.audio.endpointing import Endpointer, Patience
from appliance.audio.vad import VoiceDetector
from appliance.dialogue.said_digits import SaidDigits
from appliance.dialogue.turn import Listen
from appliance.errors import EngineError
from appliance.nlu.understander import Context
from appliance.session.follower import Audience, Follower
from appliance.session.hints import hint_of
from appliance.session.patience import UNJUDGED, patience_ms
from appliance.session.services import Services
from appliance.stt.recognizer import Hint
from appliance.stt.silero import SileroVoice
from appliance.types import (
    BYTES_A_SECOND,
    AudioFrame,
    SpeechEnded,
    SpeechPaused,
    SpeechResumed,
    SpeechStarted,
    Stage,
    Transcript,
    Understanding,
)

_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Reading:
    """One turn of the caller, read. `failed` names the stage that could not read it.

    `continues`: how likely he goes on, by the sound of its end (`EndJudge`).
    """

    understanding: Understanding
    transcript: Transcript
    understanding_ms: float = 0.0
    continues: float = UNJUDGED
    failed: Stage | None = None
    why: str = ""


class Owner(Audience, Protocol):
    """What an ear asks of the call that it listens for."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that ends with the call."""
        ...

    def speech_started(self, event: SpeechStarted) -> None:
        """The caller speaks."""
        ...

    def turn_guessed(self, reading: Reading) -> None:
        """The caller pauses: this is his turn if he says no more."""
        ...

    def guess_void(self) -> None:
        """What was guessed, if anything, is not his turn: he goes on, or begins again."""
        ...

    def turn_heard(self, end: SpeechEnded, reading: Reading) -> None:
        """The caller's turn is over and was read."""
        ...

    def last_words_heard(self, reading: Reading) -> None:
        """The caller was broken off (hang-up, hold); this is what there was, if it was read."""
        ...


class Ear:
    """One call's hearing; used from the event loop only."""

    def __init__(self, services: Services, owner: Owner) -> None:
        self._services = services
        config = services.hearing
        self._owner = owner
        self._listen = Listen()
        self._said = SaidDigits()
        self._waits = Patience(
            start_ms=config.barge_in_ms,
            pause_ms=config.pause_ms,
            max_turn_ms=config.max_turn_ms,
        )
        detector = VoiceDetector(
            config.vad_mode, services.voice_model, SileroVoice(services.silero)
        )
        self._endpointer = Endpointer(detector.is_speech, self._waits)
        self._follower = Follower(services, owner)
        self._guess: asyncio.Task[Reading] | None = None
        self._guessed_for = self._listen
        self._reading = 0
        self._in_order = asyncio.Lock()
        self._all_read = asyncio.Event()
        self._all_read.set()

    @property
    def busy(self) -> bool:
        """Whether the caller speaks or a turn of his is still being read."""
        return self._endpointer.speaking or self._reading > 0

    @property
    def turn_open(self) -> bool:
        """Whether the caller speaks, or has only paused."""
        return self._endpointer.speaking

    @property
    def reading(self) -> bool:
        """Whether a turn of his is over and still being read."""
        return self._reading > 0

    @property
    def talking(self) -> bool:
        """Whether the caller speaks at this moment."""
        return self._endpointer.speaking and not self._endpointer.paused

    def listen(self, listen: Listen) -> None:
        """What the dialogue waits for from now on; a guess for something else is made anew."""
        self._listen = self._said.listen(listen)
        self._wait(listen.unfinished_ms)
        if self._guess is not None and self._listen != self._guessed_for:
            self._guess.cancel()
            self._begin_guess(self._endpointer.so_far())

    def typed(self) -> None:
        """The caller has typed digits in place of saying them."""
        self._said.typed()
        self._listen = self._said.listen(self._listen)

    def push(self, frame: AudioFrame) -> None:
        """Take the next frame."""
        for event in self._endpointer.push(frame):
            match event:
                case SpeechStarted():
                    self._forget()
                    self._follower.begin()
                    self._owner.speech_started(event)
                case SpeechPaused():
                    self._begin_guess(event.pcm)
                case SpeechResumed():
                    self._forget()
                case SpeechEnded():
                    guess, self._guess = self._guess, None
                    self._follower.end()
                    self._wait(self._listen.unfinished_ms)
                    self._end(event, guess)
        if self.talking:
            self._follower.frame(self._endpointer.so_far, self._listen)

    async def finish(self) -> None:
        """The call is over: wait for turns being read, and read what the caller had begun."""
        self.break_off()
        await self._all_read.wait()

    def break_off(self) -> None:
        """What the caller has begun to say ends here; it is still read, as his last words."""
        self._forget()
        self._follower.end()
        begun = self._endpointer.break_off()
        if begun:
            self._finish(asyncio.create_task(self._read(begun)), self._owner.last_words_heard)

    def _end(self, end: SpeechEnded, guess: asyncio.Task[Reading] | None) -> None:
        """The turn is over: as it was guessed if it was read by now, else when it is read."""
        if guess is not None and guess.done() and not self._reading:
            self._hear(end, guess.result())
            return
        reading = guess or asyncio.create_task(self._read(end.pcm))
        self._finish(reading, partial(self._hear, end))

    def _begin_guess(self, pcm: bytes) -> None:
        self._guessed_for = self._listen
        self._guess = asyncio.create_task(self._prepare(pcm))

    async def _prepare(self, pcm: bytes) -> Reading:
        due_ms = max(0, self._listen.patience_ms - self._waits.pause_ms)
        turn = self._follower.turn
        reading = await self._read(pcm, due_ms)
        if reading.failed is not None:
            return reading
        self._follower.heard(turn, reading.transcript.text)
        if self._guess is asyncio.current_task():  # it is not over
            stretched = reading.transcript.stretched
            meant, continues = reading.understanding, reading.continues
            self._wait(patience_ms(self._listen, meant, continues, stretched=stretched))
            self._owner.turn_guessed(reading)
        return reading

    def _finish(self, reading: asyncio.Task[Reading], hear: Callable[[Reading], None]) -> None:
        """Hear it when it is read, after what was said before."""
        self._reading += 1
        self._all_read.clear()
        self._owner.spawn(self._hear_in_order(reading, hear))

    async def _hear_in_order(
        self, reading: asyncio.Task[Reading], hear: Callable[[Reading], None]
    ) -> None:
        try:
            async with self._in_order:
                read = await reading
                self._reading -= 1
                hear(read)
        finally:
            if not self._reading:
                self._all_read.set()

    def _hear(self, end: SpeechEnded, reading: Reading) -> None:
        self._said.heard(reading.understanding)
        self._listen = self._said.listen(self._listen)
        self._owner.turn_heard(end, reading)

    async def _read(self, pcm: bytes, due_ms: float = 0.0) -> Reading:
        """Recognize and understand; a failure is a result here, since a guess must not raise.

        `due_ms`: from now to the end of the turn at the earliest.
        """
        work = partial(self._heard, pcm, self._listen, hint_of(self._listen, self._owner.names))
        due_ns = self._services.clock.monotonic_ns() + int(due_ms * _NS_PER_MS)
        seconds = len(pcm) / BYTES_A_SECOND
        decode = self._services.scheduler.final(self._owner.key, seconds, due_ns, work)
        try:
            async with asyncio.timeout(self._services.hearing.deadline_s):
                return await asyncio.wrap_future(decode)
        except EngineError as error:
            why = str(error)
        except TimeoutError:
            self._services.scheduler.give_up(decode, due_ns)
            why = "no transcript by the deadline"
        return Reading(Understanding(""), Transcript("", 0.0), failed="stt", why=why)

    def _heard(self, pcm: bytes, listen: Listen, hint: Hint) -> Reading:
        """In a worker's thread: a model that reads for milliseconds must not hold up other calls.

        Raises:
            EngineError: the recognizer failed.
        """
        transcript = self._services.recognizers[listen.language].recognize(pcm, hint)
        started = time.perf_counter()
        try:
            meant = self._services.understander.understand(transcript.text, Context.of(listen))
        except EngineError as error:
            return Reading(Understanding(""), transcript, failed="nlu", why=str(error))
        understanding_ms = (time.perf_counter() - started) * 1000
        return Reading(meant, transcript, understanding_ms, self._services.ends.continues(pcm))

    def _forget(self) -> None:
        """What was prepared is void; a decode under way in a thread runs out unheard."""
        if self._guess is not None:
            self._guess.cancel()
            self._guess = None
        self._owner.guess_void()
        self._wait(self._listen.unfinished_ms)

    def _wait(self, patience_ms: int) -> None:
        self._endpointer.patience = dataclasses.replace(self._waits, patience_ms=patience_ms)
