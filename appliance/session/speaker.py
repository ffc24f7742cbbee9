"""Turns approved prompts into sound in the right order, without waiting where none is needed.

    Prompt -> sentences -> [cached: at once | else: rendered in a worker] -> Playout

The first sentence is nearly always cached, so it starts while those with an amount or a date
in them are still being synthesized.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Protocol

from appliance.dialogue.turn import Prompt
from appliance.errors import EngineError
from appliance.session.playout import Clip, Playout, Said
from appliance.tts.cache import PromptCache
from appliance.tts.sentences import split_sentences
from appliance.tts.voices import Voices


class Owner(Protocol):
    """What a speaker asks of the call that it speaks for."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task that ends with the call."""
        ...

    def began(self) -> None:
        """The first audio of what was said last went to the line."""
        ...

    def said(self, said: Said) -> None:
        """A prompt was played to its end, or was interrupted."""
        ...

    def voice_failed(self, why: str, *, protected: bool) -> None:
        """A sentence could not be synthesized; what is not protected is dropped.

        `protected`: it belonged to an uninterruptible prompt, which is now not said in full.
        """
        ...


@dataclass(slots=True, eq=False)
class _Sentence:
    prompt: str
    text: str
    uninterruptible: bool
    last: bool
    cache: PromptCache


class Speaker:
    """One call's voice; used from the event loop only."""

    def __init__(self, playout: Playout, voices: Voices, workers: Executor, owner: Owner) -> None:
        self._playout = playout
        self._voices = voices
        self._workers = workers
        self._owner = owner
        self._waiting: deque[_Sentence] = deque()
        self._rendering: _Sentence | None = None
        self._job: asyncio.Future[bytes] | None = None
        self._silent = True

    @property
    def speaking(self) -> bool:
        """Whether something is playing or on its way."""
        return self._playout.speaking or bool(self._waiting)

    def say(self, prompts: Sequence[Prompt]) -> None:
        """Speak after what is being said now."""
        self._silent = True
        for prompt in prompts:
            sentences = split_sentences(prompt.text)
            for index, text in enumerate(sentences, 1):
                last = index == len(sentences)
                cache = self._voices.of(prompt.voice)
                self._waiting.append(
                    _Sentence(prompt.id, text, prompt.uninterruptible, last, cache)
                )
        self._advance()

    @property
    def protected(self) -> bool:
        """Whether something uninterruptible is playing or on its way."""
        return bool(self._playout.protected) or any(each.uninterruptible for each in self._waiting)

    def stop(self, *, keep_protected: bool = False) -> None:
        """Fall silent; with `keep_protected`, after the last uninterruptible prompt."""
        begun = self._playout.names
        numbered = enumerate(self._waiting, 1)
        waiting = max((number for number, each in numbered if each.uninterruptible), default=0)
        if not keep_protected:
            waiting = keep = 0
        else:
            keep = len(begun) if waiting else self._playout.protected
        dropped = list(self._waiting)[waiting:]
        self._waiting = deque(list(self._waiting)[:waiting])
        if self._rendering is not None and self._rendering not in self._waiting:
            self._give_up_rendering()
        self._playout.stop(keep)
        for name in dict.fromkeys(each.prompt for each in dropped):
            if name not in begun:
                self._owner.said(Said(name, 0, 0, interrupted=True))

    def _advance(self) -> None:
        while self._waiting and self._rendering is None:
            sentence = self._waiting[0]
            audio = sentence.cache.find(sentence.text)
            if audio is None:
                self._rendering = sentence
                self._owner.spawn(self._render(sentence))
                return
            self._waiting.popleft()
            self._play(sentence, audio)

    async def _render(self, sentence: _Sentence) -> None:
        loop = asyncio.get_running_loop()
        self._job = loop.run_in_executor(self._workers, sentence.cache.render, sentence.text)
        try:
            async with asyncio.timeout(self._voices.deadline_s):
                audio = await self._job
        except (EngineError, TimeoutError) as error:
            if self._rendering is sentence:
                self._rendering = None
                self._fail(sentence, str(error) or "no sound by the deadline")
            return
        if self._rendering is sentence:
            self._rendering = None
            self._waiting.popleft()
            self._play(sentence, audio)
            self._advance()

    def _give_up_rendering(self) -> None:
        """Nobody waits for it any more; a job that has not begun is not begun."""
        self._rendering = None
        if self._job is not None:
            self._job.cancel()

    def _fail(self, sentence: _Sentence, why: str) -> None:
        """Leave the prompt out, and all that is not protected."""
        self._waiting = deque(each for each in self._waiting if each.prompt != sentence.prompt)
        self._playout.complete(sentence.prompt)
        self.stop(keep_protected=True)
        self._advance()
        self._owner.voice_failed(why, protected=sentence.uninterruptible)

    def _play(self, sentence: _Sentence, audio: bytes) -> None:
        self._playout.add(Clip(sentence.prompt, audio, sentence.uninterruptible, sentence.last))
        if self._silent:
            self._silent = False
            self._owner.began()
