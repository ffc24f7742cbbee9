"""Turns approved prompts into sound in the right order, without waiting where none is needed.

    Prompt.speech -> sentences ─┬─ never varies: rendered before the call ─────────> Playout
                                └─ has slots ─┬─ its head, rendered before ────────> Playout
                                              └─ all of it, in a worker ── joined ─> Playout

While the head plays, the sentence is rendered with its values, and playout goes over into it in
the middle of a sound (`tts.joins`). What comes later than the caller's patience is announced by
the flow's holding phrase and then said anew; what comes later than the deadline has failed. What is
likely to be said soon can be prepared (`prepare`): then there is no gap, and no seam.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Protocol

from appliance.dialogue.turn import Prompt
from appliance.errors import EngineError
from appliance.session.heard import HeardPart, Script
from appliance.session.playout import Clip, Playout, Said
from appliance.session.rendering import Job, Renderer, Sentence, sentences_of
from appliance.tts.joins import Continuation
from appliance.tts.sentences import split_sentences
from appliance.tts.voices import Voices
from appliance.types import BYTES_A_SECOND, FRAME_BYTES, FRAME_MS, FRAME_SAMPLES

_AMPLE_S = 1.5
"""So much sound before a sentence is time enough to render it in (some 100 ms on a free core)."""


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


@dataclass(slots=True, eq=False)
class _Rendering:
    """The sentence that is waited for, and what of it is being played already."""

    sentence: Sentence
    job: Job
    silent_ms: int = 0
    held_up: bool = False


class Speaker:
    """One call's voice; used from the event loop only."""

    def __init__(self, playout: Playout, voices: Voices, workers: Executor, owner: Owner) -> None:
        self._playout = playout
        self._voices = voices
        self._renderer = Renderer(workers)
        self._owner = owner
        self._waiting: deque[Sentence] = deque()
        self._rendering: _Rendering | None = None
        self._script = Script()
        self._silent = True
        self._apologized = False

    @property
    def speaking(self) -> bool:
        """Whether something is playing or on its way."""
        return self._playout.speaking or bool(self._waiting)

    def say(self, prompts: Sequence[Prompt]) -> None:
        """Speak after what is being said now."""
        self._script.cut.clear()
        self._silent, self._apologized = True, False
        self._queue(prompts)

    def say_aside(self, prompt: Prompt) -> None:
        """Speak in between: what was cut off before can still be gone on with."""
        self._queue((prompt,), aside=True)

    @property
    def being_said(self) -> frozenset[str]:
        """The prompts that are playing or on their way."""
        return frozenset((*self._playout.names, *(each.prompt for each in self._waiting)))

    @property
    def says_only_asides(self) -> bool:
        """Whether something is being said, and nothing of it is of a turn."""
        sayings = [*self._playout.sayings, *(each.saying for each in self._waiting)]
        return bool(sayings) and all(map(self._script.is_aside, sayings))

    def _queue(self, prompts: Sequence[Prompt], *, aside: bool = False) -> None:
        for prompt in prompts:
            sentences = sentences_of(prompt, self._voices)
            saying = self._script.begin(prompt, sentences, aside=aside)
            self._waiting.extend(replace(each, saying=saying) for each in sentences)
        self._advance()

    def resume(self) -> bool:
        """Go on with what the last stop cut off, each prompt from the sentence it was cut in.

        For a stop that was wrong after all: it was noise, or only "mhm". Whether there is anything
        to go on with; not where something else is being said by now.
        """
        cut, replaced = list(self._script.cut), self.speaking and not self.says_only_asides
        self._script.cut.clear()
        if replaced:
            return False
        for saying, index in cut:
            self._waiting.extend(self._script.go_on(saying, index))
        self._advance()
        return bool(cut)

    def forget_cut(self) -> None:
        """What was cut off is answered, or no longer true: nothing goes on with it."""
        self._script.cut.clear()

    def heard(self, said: Said) -> HeardPart:
        """What of a prompt was heard, in words."""
        return self._script.hear(said)

    def prepare(self, prompts: Sequence[Prompt]) -> None:
        """Render ahead what could not begin at once, should this be said next.

        That is the first sentence that varies, unless so much is played before it that it will be
        rendered meanwhile. Nothing is played, and nothing is told to the owner.
        """
        self._renderer.drop()
        ready_bytes = 0
        for prompt in prompts:
            for sentence in sentences_of(prompt, self._voices):
                audio = sentence.cache.find(sentence.speech)
                if audio is None:
                    self._renderer.prepare(sentence)
                    return
                ready_bytes += len(audio)
                if ready_bytes >= _AMPLE_S * BYTES_A_SECOND:
                    return

    def drop_prepared(self) -> None:
        """What was prepared will not be said."""
        self._renderer.drop()

    @property
    def protected(self) -> bool:
        """Whether something uninterruptible is playing or on its way."""
        return bool(self._playout.protected) or any(each.uninterruptible for each in self._waiting)

    def stop(self, *, keep_protected: bool = False) -> None:
        """Fall silent; with `keep_protected`, after the last uninterruptible prompt."""
        if self.speaking and not self.says_only_asides:
            self._script.cut.clear()
        begun = set(self._playout.sayings)
        numbered = enumerate(self._waiting, 1)
        waiting = max((number for number, each in numbered if each.uninterruptible), default=0)
        if not keep_protected:
            waiting = keep = 0
            self._renderer.drop()
        else:
            keep = len(self._playout.names) if waiting else self._playout.protected
        dropped = list(self._waiting)[waiting:]
        self._waiting = deque(list(self._waiting)[:waiting])
        if self._rendering is not None and self._rendering.sentence not in self._waiting:
            self._give_up_rendering()
        self._playout.stop(keep)
        for saying, name in dict.fromkeys((each.saying, each.prompt) for each in dropped):
            if saying not in begun:
                self._owner.said(Said(name, 0, 0, interrupted=True, saying=saying))

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
            if audio is not None:
                self._waiting.popleft()
                self._play(sentence, audio, last=sentence.last)
            elif not self._begin(sentence):
                return

    def _begin(self, sentence: Sentence) -> bool:
        """Play what there is of a sentence; whether that is all of it."""
        job = self._renderer.begin(sentence)
        parts = sentence.parted(job.parts)
        self._waiting.popleft()
        self._waiting.extendleft(reversed(parts))
        ready = job.ready
        if ready is not None:
            self._waiting.popleft()
            self._play(parts[0], ready.whole, last=parts[0].last)
            return True
        self._rendering = _Rendering(parts[0], job)
        if job.head is not None:
            self._play(parts[0], job.head.pcm, last=False, whole=False)
        self._owner.spawn(self._render(self._rendering))
        return False

    async def _render(self, rendering: _Rendering) -> None:
        sentence = rendering.sentence
        if self._rendering is not rendering:  # it was stopped before this began
            return
        try:
            async with asyncio.timeout(self._voices.deadline_s):
                rendered = await rendering.job.sound
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
        head = rendering.job.head
        if head is None or rendering.held_up:
            return rendered.whole
        samples = len(head.pcm) // 2
        frames = -(-len(head.pcm) // FRAME_BYTES)
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
        if self._rendering is not None:
            self._rendering.job.sound.cancel()
            self._rendering = None

    def _fail(self, sentence: Sentence, why: str) -> None:
        """Leave the prompt out, and all that is not protected."""
        self._waiting = deque(each for each in self._waiting if each.prompt != sentence.prompt)
        self._playout.cut(sentence.prompt)
        if sentence.saying not in self._playout.sayings:
            self._owner.said(Said(sentence.prompt, 0, 0, interrupted=True, saying=sentence.saying))
        self.stop(keep_protected=True)
        self._advance()
        self._owner.voice_failed(why, protected=sentence.uninterruptible)

    def _play(
        self,
        sentence: Sentence,
        audio: bytes,
        *,
        last: bool,
        aside: bool = False,
        whole: bool = True,
    ) -> None:
        """`whole`: this is all that is left of the sentence."""
        self._playout.add(
            Clip(
                sentence.prompt, audio, sentence.uninterruptible, last, aside,
                saying=sentence.saying, sentence=sentence.index, whole=whole and sentence.whole,
            )
        )  # fmt: skip
        if self._silent:
            self._silent = False
            self._owner.began()
