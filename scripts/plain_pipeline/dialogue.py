"""The appliance's dialogue as a processor: the turn's words in, what is to be spoken out.

    TranscriptionFrame… ─┐
    UserStoppedSpeaking ─┴─> understand -> step -> tools ──> TTSSpeakFrame…

Flow, understanding and tools are the appliance's, the same objects that `appliance chat` uses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pipecat.frames.frames import (
    BotStoppedSpeakingFrame,
    InputDTMFFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameProcessor

from plain_pipeline.laps import Laps
from plain_pipeline.talk import Said, Talk


class DialogueProcessor(FrameProcessor):
    """Answers a turn when it is over and its words are there, whichever comes last."""

    def __init__(self, talk: Talk, hang_up: Callable[[], None], laps: Laps) -> None:
        super().__init__()
        self._talk, self._hang_up, self._laps = talk, hang_up, laps
        self._words: list[str] = []
        self._turn_over = False
        self._one_at_a_time = asyncio.Lock()

    async def process_frame(self, frame: Any, direction: Any) -> None:
        """See the class."""
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        match frame:
            case VADUserStoppedSpeakingFrame():
                self._laps.quiet()
            case UserStartedSpeakingFrame():
                self._turn_over = False
            case TranscriptionFrame(text=text):
                self._words.append(text.strip())
                self._laps.mark("transcript")
            case UserStoppedSpeakingFrame():
                self._turn_over = True
                self._laps.mark("turn_over")
            case InputDTMFFrame(button=button):
                self.create_task(self.answer(self._talk.presses, button.value))
            case BotStoppedSpeakingFrame() if self._talk.over:
                self._hang_up()
            case _:
                return
        if self._turn_over and self._words:
            words, self._words, self._turn_over = " ".join(self._words), [], False
            # A task: an interruption cancels what a processor is at, and a step must not be halved.
            self.create_task(self.answer(self._talk.says, words))

    async def begin(self) -> None:
        """The call is up: greet."""
        await self.answer(self._talk.begins)

    async def silence(self) -> None:
        """Nothing was heard for long."""
        await self.answer(self._talk.is_silent)

    async def answer(self, doing: Callable[..., Said], *given: str) -> None:
        """Take a step of the dialogue in a thread, and have what it says spoken."""
        silent = True
        async with self._one_at_a_time:
            said = doing(*given)
            while (prompts := await asyncio.to_thread(next, said, None)) is not None:
                self._laps.mark("decided")
                for prompt in prompts:
                    silent = False
                    await self.push_frame(TTSSpeakFrame(prompt.text))
        if self._talk.over and silent:
            self._hang_up()
