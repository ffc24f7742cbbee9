"""The voices of a box by the names that flows give them, each with its rendered prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from appliance.tts.cache import PromptCache


class Voices:
    """A name that nobody configured is spoken by the default voice."""

    def __init__(
        self,
        default: PromptCache,
        named: Mapping[str, PromptCache] | None = None,
        deadline_s: float = 5.0,
    ) -> None:
        """`deadline_s`: a sentence that takes longer to synthesize has failed."""
        self.deadline_s = deadline_s
        self._default = default
        self._named = dict(named or {})

    def of(self, name: str | None) -> PromptCache:
        """The prompts in a voice."""
        return self._named.get(name or "", self._default)

    def prepare(
        self, texts: Iterable[str], names: Iterable[str], progress: Callable[[int, int], None]
    ) -> None:
        """Have every fixed text ready in each of these voices (in the default one if none).

        Raises:
            EngineError: a voice cannot speak one of them.
        """
        wanted = list(texts)
        caches = list(dict.fromkeys(self.of(name) for name in names)) or [self._default]
        total = len(wanted) * len(caches)
        for before, cache in enumerate(caches):
            start = before * len(wanted)
            cache.prepare(wanted, lambda done, _, start=start: progress(start + done, total))  # type: ignore[misc]
