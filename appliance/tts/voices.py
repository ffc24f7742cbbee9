"""The voices of a box by the names that flows give them, each with its rendered prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from appliance.tts.cache import PromptCache, Wanted


class Voices:
    """A name that nobody configured is spoken by the default voice."""

    def __init__(
        self,
        default: PromptCache,
        named: Mapping[str, PromptCache] | None = None,
        deadline_s: float = 5.0,
        patience_ms: int = 600,
    ) -> None:
        """What the box speaks with.

        Args:
            default: speaks where no other is named.
            named: voices by name.
            deadline_s: a sentence that takes longer to synthesize has failed.
            patience_ms: a silence for a sentence that is not ready is not longer than this.
        """
        self.deadline_s = deadline_s
        self.patience_ms = patience_ms
        self._default = default
        self._named = dict(named or {})

    def of(self, name: str | None) -> PromptCache:
        """The prompts in a voice."""
        return self._named.get(name or "", self._default)

    @property
    def ready(self) -> int:
        """How many sentences, and heads of sentences, are ready in memory, of all voices."""
        return sum(cache.ready for cache in self._all)

    @property
    def rendered(self) -> int:
        """How many sentences were synthesized that vary, by all voices."""
        return sum(cache.rendered for cache in self._all)

    @property
    def _all(self) -> set[PromptCache]:
        return {self._default, *self._named.values()}

    def prepare(
        self, wanted: Iterable[Wanted], names: Iterable[str], progress: Callable[[int, int], None]
    ) -> None:
        """Have every sentence ready in each of these voices (in the default one if none).

        Raises:
            EngineError: a voice cannot speak one of them.
        """
        jobs = self.jobs(wanted, names)
        for done, job in enumerate(jobs, 1):
            job()
            progress(done, len(jobs))

    def jobs(self, wanted: Iterable[Wanted], names: Iterable[str]) -> list[Callable[[], None]]:
        """What is to be done so that `prepare` is, sentence by sentence.

        Whoever has calls to serve meanwhile runs them one by one: each is done in a moment, all
        of them take minutes. Each may raise `EngineError`.
        """
        each_once = list(dict.fromkeys(wanted))
        caches = self._caches(names)
        return [partial(cache.make_ready, each) for cache in caches for each in each_once]

    def retire(self, wanted: Iterable[Wanted], names: Iterable[str]) -> None:
        """Forget what is needed no more, in memory; see `PromptCache.retire`."""
        needed = list(wanted)
        for cache in self._caches(names):
            cache.retire(needed)

    def _caches(self, names: Iterable[str]) -> list[PromptCache]:
        return list(dict.fromkeys(self.of(name) for name in names)) or [self._default]
