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

    def voice_failed(self) -> None:
        """A sentence could not be synthesized; the rest of what was to be said is dropped."""
        ...


@dataclass(slots=True)
class _Sentence:
    prompt: str
    text: str
    uninterruptible: bool
    last: bool


class Speaker:
    """One call's voice; used from the event loop only."""

    def __init__(
        self, playout: Playout, cache: PromptCache, workers: Executor, owner: Owner
    ) -> None:
        self._playout = playout
        self._cache = cache
        self._workers = workers
        self._owner = owner
        self._waiting: deque[_Sentence] = deque()
        self._rendering: _Sentence | None = None
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
                self._waiting.append(_Sentence(prompt.id, text, prompt.uninterruptible, last))
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
        self._playout.stop(keep)
        for name in dict.fromkeys(each.prompt for each in dropped):
            if name not in begun:
                self._owner.said(Said(name, 0, 0, interrupted=True))

    def _advance(self) -> None:
        while self._waiting and self._rendering is None:
            sentence = self._waiting[0]
            audio = self._cache.find(sentence.text)
            if audio is None:
                self._rendering = sentence
                self._owner.spawn(self._render(sentence))
                return
            self._waiting.popleft()
            self._play(sentence, audio)

    async def _render(self, sentence: _Sentence) -> None:
        loop = asyncio.get_running_loop()
        try:
            audio = await loop.run_in_executor(self._workers, self._cache.render, sentence.text)
        except EngineError:
            audio = None
        self._rendering = None
        if self._waiting and self._waiting[0] is sentence:
            if audio is None:
                self._waiting.clear()
                self._playout.stop()
                self._owner.voice_failed()
                return
            self._waiting.popleft()
            self._play(sentence, audio)
        self._advance()

    def _play(self, sentence: _Sentence, audio: bytes) -> None:
        self._playout.add(Clip(sentence.prompt, audio, sentence.uninterruptible, sentence.last))
        if self._silent:
            self._silent = False
            self._owner.began()
