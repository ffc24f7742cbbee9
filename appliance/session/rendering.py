"""Renders sentences in workers, on demand or ahead of time.

    begin(sentence)  ──> Job: its head, its parts, and the sound to come
    prepare(sentence) ─> the same, and kept: `begin` with the same sentence takes that one
    drop()           ──> what was prepared is not wanted: not begun if it has not begun yet

At most one sentence is prepared at a time. Its sound is in memory until it is taken or dropped,
and nowhere else: it may be personal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from appliance.dialogue.turn import Prompt
from appliance.tts.cache import Head, PromptCache
from appliance.tts.joins import Continuation
from appliance.tts.sentences import split_sentences
from appliance.tts.voices import Voices


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence, or a clause of one, that is to be played. `last` ends its prompt.

    `saying` and `index` say which sentence it is (`heard.Script`); `whole`: it ends with this.
    """

    prompt: str
    speech: str
    uninterruptible: bool
    last: bool
    cache: PromptCache
    saying: int = 0
    index: int = 0
    whole: bool = True

    def parted(self, parts: list[str]) -> list[Sentence]:
        """The sentence in these parts."""
        clauses = [replace(self, speech=each, last=False, whole=False) for each in parts]
        clauses[-1] = replace(clauses[-1], last=self.last, whole=self.whole)
        return clauses


def sentences_of(prompt: Prompt, voices: Voices) -> list[Sentence]:
    """A prompt's sentences, in the voice that speaks it."""
    whole = Sentence(
        prompt.id, prompt.speech, prompt.uninterruptible, True, voices.of(prompt.voice)
    )
    parts = whole.parted(_parted(split_sentences, prompt.speech))
    return [replace(each, index=index, whole=True) for index, each in enumerate(parts)]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A sentence that is being rendered, maybe in parts: `sound` is that of the first of them.

    `head`: what it begins with, ready to be played meanwhile.
    """

    sentence: Sentence
    parts: list[str]
    head: Head | None
    sound: asyncio.Future[Continuation]

    @property
    def ready(self) -> Continuation | None:
        """The sound if it is there already; a failed one is not."""
        done = self.sound.done() and not self.sound.cancelled()
        return self.sound.result() if done and self.sound.exception() is None else None


class Renderer:
    """One call's jobs; used from the event loop only."""

    def __init__(self, workers: Executor) -> None:
        self._workers = workers
        self._prepared: Job | None = None

    def begin(self, sentence: Sentence) -> Job:
        """Have a sentence rendered, or take the job that was prepared for it."""
        job = self._prepared
        same = job is not None and (
            job.sentence.cache is sentence.cache and job.sentence.speech == sentence.speech
        )
        if job is None or not same:
            return self._begun(sentence)
        self._prepared = None
        return job

    def prepare(self, sentence: Sentence) -> None:
        """Have a sentence rendered that may be said soon; what was prepared before is dropped."""
        self.drop()
        self._prepared = self._begun(sentence)

    def drop(self) -> None:
        """What was prepared will not be said; a job under way runs out unheard."""
        job, self._prepared = self._prepared, None
        if job is not None:
            job.sound.cancel()

    def _begun(self, sentence: Sentence) -> Job:
        cache, speech = sentence.cache, sentence.speech
        head = cache.head(speech)
        parts = _parted(lambda whole: cache.pieces(whole, head), speech)
        loop = asyncio.get_running_loop()
        sound = loop.run_in_executor(self._workers, cache.render, parts[0], head)
        sound.add_done_callback(_failure_seen)
        return Job(sentence, parts, head, sound)


def _failure_seen(sound: asyncio.Future[Continuation]) -> None:
    """Whoever awaits it is told; where nobody does, it is of no matter that it failed."""
    if not sound.cancelled():
        sound.exception()


def _parted(part: Callable[[str], list[str]], speech: str) -> list[str]:
    """A text in parts; one with faulty marks in one, which the voice refuses in its turn."""
    try:
        return part(speech)
    except ValueError:
        return [speech]
