"""Rendered prompts of one voice: fixed text is synthesized once, kept on disk and in memory.

    prepare ─> whole sentences that never vary, and the heads of those with slots
    find, head ─> what is ready, at once        render ─> what varies: synthesized now, not kept

What a call says of an account is never kept: no file, no memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import structlog

from appliance.dialogue.markup import plain
from appliance.errors import StoreError
from appliance.tts.clauses import split_clauses
from appliance.tts.joins import Continuation, cut_head, playable
from appliance.tts.pace import Pace
from appliance.tts.renderings import Kind, Renderings
from appliance.tts.slots import SlotSentence, template_of
from appliance.tts.voice import Spoken, Voice
from appliance.types import BYTES_A_SECOND

Wanted = str | SlotSentence
"""A marked sentence that never varies, or one with slots."""

_AT_ONCE_S = 0.3
"""A sentence that is expected to take longer is rendered clause by clause."""
_MARGIN_S = 0.2  # of a head's length: what was sent ahead, and a seam
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Head:
    """The start of a sentence as it was rendered; `pcm` is it as it is played."""

    spoken: Spoken
    pcm: bytes


class PromptCache:
    """Audio by text. What renders is called in worker threads; lookups never synthesize.

    Attributes:
        rendered: how many sentences were synthesized that vary.
    """

    def __init__(self, voice: Voice, folder: Path, *, must_keep: bool = False) -> None:
        """`must_keep`: what cannot be written is an error, not just a slower next start."""
        self._voice, self._must_keep = voice, must_keep
        self._files = Renderings(folder, voice.identity)
        self._memory: dict[str, bytes] = {}
        self._heads: dict[str, Head | None] = {}
        self._before: frozenset[Wanted] = frozenset()
        self.pace = Pace()
        self.rendered = 0

    def find(self, speech: str) -> bytes | None:
        """Audio of a fixed sentence that was rendered before, or None if it was not."""
        return self._memory.get(speech)

    @property
    def ready(self) -> int:
        """How many sentences, and heads of sentences, are ready in memory."""
        return len(self._memory) + len(self._heads)

    def head(self, speech: str) -> Head | None:
        """What a sentence with slots begins with, or None if it must be waited for."""
        return self._heads.get(template_of(speech))

    def render(self, speech: str, head: Head | None = None) -> Continuation:
        """Audio of a sentence that varies: synthesized now and not kept (it may be personal).

        Args:
            speech: the sentence, marked.
            head: what of it is being played already.

        Raises:
            EngineError: the voice cannot speak it.
        """
        if head is None and (audio := self._memory.get(speech)):
            return Continuation(None, Spoken(audio))
        self.rendered += 1
        return Continuation(head.spoken if head else None, self._speak(speech))

    def pieces(self, speech: str, head: Head | None = None) -> list[str]:
        """A sentence as it is best rendered: whole, or in clauses where that takes too long.

        What plays meanwhile, its head, gives it time. The first piece holds all that the head
        says, for it goes on from there: it ends where a slot is.
        """
        time_s = max(_AT_ONCE_S, len(head.pcm) / BYTES_A_SECOND - _MARGIN_S if head else 0.0)
        if self.pace.expected_s(len(plain(speech))) <= time_s:
            return [speech]
        clauses = split_clauses(speech)
        if head is None:
            return clauses
        first = next((at for at, each in enumerate(clauses) if "<slot " in each), 0)
        return [" ".join(clauses[: first + 1]), *clauses[first + 1 :]]

    def prepare(self, wanted: Iterable[Wanted], progress: Callable[[int, int], None]) -> None:
        """Have every sentence ready; `progress(done, total)` after each.

        Raises:
            EngineError: the voice cannot speak one of them.
            StoreError: with `must_keep`, one cannot be written.
        """
        each_once = list(dict.fromkeys(wanted))
        for done, each in enumerate(each_once, 1):
            self.make_ready(each)
            progress(done, len(each_once))

    def make_ready(self, wanted: Wanted) -> None:
        """Have one sentence ready, from disk or from the voice.

        Raises:
            EngineError: the voice cannot speak it.
            StoreError: with `must_keep`, it cannot be written.
        """
        if isinstance(wanted, SlotSentence):
            if wanted.template not in self._heads:
                head = self._kept("head", wanted.template, lambda: self._head(wanted))
                self._heads[wanted.template] = Head(head, playable(head)) if head.pcm else None
        elif wanted not in self._memory:
            self._memory[wanted] = self._kept("whole", wanted, lambda: self._speak(wanted)).pcm

    def path(self, wanted: Wanted) -> Path:
        """Where a sentence's audio is on disk, or would be."""
        if isinstance(wanted, SlotSentence):
            return self._files.path("head", wanted.template)
        return self._files.path("whole", wanted)

    def retire(self, wanted: Iterable[Wanted]) -> None:
        """Forget what neither these sentences nor those of the last time need any more.

        Those of the last time stay: calls that began with them are still going on.
        """
        now = frozenset(wanted)
        needed = now | self._before
        templates = {each.template for each in needed if isinstance(each, SlotSentence)}
        self._memory = {text: pcm for text, pcm in self._memory.items() if text in needed}
        self._heads = {text: head for text, head in self._heads.items() if text in templates}
        self._before = now

    def _kept(self, kind: Kind, text: str, render: Callable[[], Spoken]) -> Spoken:
        spoken = self._files.read(kind, text)
        if spoken is None:
            spoken = render()
            try:
                self._files.write(kind, text, spoken)
            except StoreError as error:  # it is in memory
                if self._must_keep:
                    raise
                _log.warning("prompt not cached", why=str(error))
        return spoken

    def _head(self, wanted: SlotSentence) -> Spoken:
        first = self._speak(wanted.samples[0])
        if not first.phones:
            return Spoken(b"")
        return cut_head(first, self._speak(wanted.samples[1])) or Spoken(b"")

    def _speak(self, speech: str) -> Spoken:
        started = time.perf_counter()
        spoken = self._voice.timed(speech)
        self.pace.note(len(plain(speech)), time.perf_counter() - started, spoken.pcm)
        return spoken
