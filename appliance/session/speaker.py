"""Turns approved prompts into sound in the right order, without waiting where none is needed.

    Prompt.speech -> sentences ─┬─ never varies: rendered before the call ─────────> Playout
                                └─ has slots ─┬─ its head, rendered before ────────> Playout
                                              └─ all of it, in a worker ── joined ─> Playout

While the head plays, the sentence is rendered with its values, and playout goes over into it in
the middle of a sound (`tts.joins`). What comes later than the caller's patience is announced by
the flow's holding phrase and then said anew; what comes later than the deadline has failed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Protocol

from appliance.dialogue.turn import Prompt
from appliance.errors import EngineError
from appliance.session.playout import Clip, Playout, Said
from appliance.tts.cache import Head, PromptCache
from appliance.tts.joins import Continuation
from appliance.tts.sentences import split_sentences
from appliance.tts.voices import Voices
from appliance.types import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES


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

    def holding(self) -> str | None:
        """The marked text that asks for patience, rendered before; None if the flow has none."""
        ...

    def held_up(self) -> None:
        """The holding phrase is said now, for the rest is late."""
        ...

    def voice_failed(self, why: str, *, protected: bool) -> None:
        """A sentence could not be synthesized; what is not protected is dropped.

        `protected`: it belonged to an uninterruptible prompt, which is now not said in full.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _Sentence:
    """A sentence, or a clause of one, that is to be played. `last` ends its prompt."""

    prompt: str
    speech: str
    uninterruptible: bool
    last: bool
    cache: PromptCache


@dataclass(slots=True, eq=False)
class _Rendering:
    """The sentence that is waited for, and what of it is being played already."""

    sentence: _Sentence
    head: Head | None
    silent_ms: int = 0
    held_up: bool = False


class Speaker:
    """One call's voice; used from the event loop only."""

    def __init__(self, playout: Playout, voices: Voices, workers: Executor, owner: Owner) -> None:
        self._playout = playout
        self._voices = voices
        self._workers = workers
        self._owner = owner
        self._waiting: deque[_Sentence] = deque()
        self._rendering: _Rendering | None = None
        self._job: asyncio.Future[Continuation] | None = None
        self._silent = True
        self._apologized = False

    @property
    def speaking(self) -> bool:
        """Whether something is playing or on its way."""
        return self._playout.speaking or bool(self._waiting)

    def say(self, prompts: Sequence[Prompt]) -> None:
        """Speak after what is being said now."""
        self._silent, self._apologized = True, False
        for prompt in prompts:
            whole = _Sentence(
                prompt.id,
                prompt.speech,
                prompt.uninterruptible,
                True,
                self._voices.of(prompt.voice),
            )
            sentences = _parted(split_sentences, prompt.speech)
            for index, text in enumerate(sentences, 1):
                self._waiting.append(replace(whole, speech=text, last=index == len(sentences)))
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
        if self._rendering is not None and self._rendering.sentence not in self._waiting:
            self._give_up_rendering()
        self._playout.stop(keep)
        for name in dict.fromkeys(each.prompt for each in dropped):
            if name not in begun:
                self._owner.said(Said(name, 0, 0, interrupted=True))

    def tick(self) -> None:
        """A frame's time has passed, and playout knows of it."""
        rendering = self._rendering
        if rendering is None or not self._playout.dry:
            return
        before, rendering.silent_ms = rendering.silent_ms, rendering.silent_ms + FRAME_MS
        if before < self._voices.patience_ms <= rendering.silent_ms:
            self._ask_for_patience(rendering)

    def _advance(self) -> None:
        while self._waiting and self._rendering is None:
            sentence = self._waiting[0]
            audio = sentence.cache.find(sentence.speech)
            if audio is None:
                self._begin(sentence)
                return
            self._waiting.popleft()
            self._play(sentence, audio, last=sentence.last)

    def _begin(self, sentence: _Sentence) -> None:
        """Play what there is of a sentence, and have it rendered."""
        head = sentence.cache.head(sentence.speech)
        first, *others = _parted(
            lambda speech: sentence.cache.pieces(speech, head), sentence.speech
        )
        if others:
            parts = [replace(sentence, speech=each, last=False) for each in (first, *others)]
            parts[-1] = replace(parts[-1], last=sentence.last)
            self._waiting.popleft()
            self._waiting.extendleft(reversed(parts))
            sentence = parts[0]
        self._rendering = _Rendering(sentence, head)
        if head is not None:
            self._play(sentence, head.pcm, last=False)
        self._owner.spawn(self._render(self._rendering))

    async def _render(self, rendering: _Rendering) -> None:
        sentence, loop = rendering.sentence, asyncio.get_running_loop()
        if self._rendering is not rendering:  # it was stopped before this began
            return
        self._job = loop.run_in_executor(
            self._workers, sentence.cache.render, sentence.speech, rendering.head
        )
        try:
            async with asyncio.timeout(self._voices.deadline_s):
                rendered = await self._job
        except (EngineError, TimeoutError) as error:
            if self._rendering is rendering:
                self._rendering = None
                self._fail(sentence, str(error) or "no sound by the deadline")
            return
        if self._rendering is rendering:
            self._rendering = None
            self._waiting.popleft()
            self._play(sentence, self._rest(rendering, rendered), last=sentence.last)
            self._advance()

    def _rest(self, rendering: _Rendering, rendered: Continuation) -> bytes:
        """What is still to be played of a sentence; of its head, what was not sent is dropped."""
        if rendering.head is None or rendering.held_up:
            return rendered.whole
        samples = len(rendering.head.pcm) // 2
        frames = -(-len(rendering.head.pcm) // FRAME_BYTES)
        sent = frames - self._playout.take_back(frames)
        return rendered.after(min(sent * FRAME_SAMPLES, samples))

    def _ask_for_patience(self, rendering: _Rendering) -> None:
        """Fill the silence, once for all that is said now.

        The sentence is said anew then: nobody remembers how it began.
        """
        phrase = None if self._apologized else self._owner.holding()
        found = [rendering.sentence.cache.find(each) for each in split_sentences(phrase or "")]
        if found and all(found):
            rendering.held_up = self._apologized = True
            phrase_pcm = b"".join(each or b"" for each in found)
            self._play(rendering.sentence, phrase_pcm, last=False, aside=True)
            self._owner.held_up()

    def _give_up_rendering(self) -> None:
        """Nobody waits for it any more; a job that has not begun is not begun."""
        self._rendering = None
        if self._job is not None:
            self._job.cancel()

    def _fail(self, sentence: _Sentence, why: str) -> None:
        """Leave the prompt out, and all that is not protected."""
        self._waiting = deque(each for each in self._waiting if each.prompt != sentence.prompt)
        self._playout.cut(sentence.prompt)
        self.stop(keep_protected=True)
        self._advance()
        self._owner.voice_failed(why, protected=sentence.uninterruptible)

    def _play(self, sentence: _Sentence, audio: bytes, *, last: bool, aside: bool = False) -> None:
        self._playout.add(Clip(sentence.prompt, audio, sentence.uninterruptible, last, aside))
        if self._silent:
            self._silent = False
            self._owner.began()


def _parted(part: Callable[[str], list[str]], speech: str) -> list[str]:
    """A text in parts; one with faulty marks in one, which the voice refuses in its turn."""
    try:
        return part(speech)
    except ValueError:
        return [speech]
