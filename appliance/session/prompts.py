"""The prompts that a box renders before its first call: what is wanted, there, and needed no more.

    configuration ─> flows ─> wanted_of ──┐
                 └─> voices ──────────────┴─> Voices ─> var/cache/prompts/<voice>/<text>.spoken

Used at start and by `appliance prompts`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from appliance.config import Config, SpeakingConfig
from appliance.dialogue.flow import Flow
from appliance.errors import StoreError
from appliance.flows.registry import flow_folder, read_flow
from appliance.flows.shelf import gather
from appliance.session.campaigns import campaign_of
from appliance.session.readiness import voices_of, wanted_of
from appliance.tts.cache import PromptCache, Wanted
from appliance.tts.loading import open_voice
from appliance.tts.pruning import Pruned, prune
from appliance.tts.renderings import read_rendering
from appliance.tts.slots import SlotSentence
from appliance.tts.voices import Voices
from appliance.types import BYTES_A_SECOND, Language

Progress = Callable[[int, int], None]
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class PromptState:
    """One wanted sentence in one voice. `seconds` of audio on disk; None if it is not there.

    `seconds` is 0 for a sentence that has no head: too short, or the voice knows no timings.
    """

    voice: str
    wanted: Wanted
    path: Path
    seconds: float | None

    @property
    def speech(self) -> str:
        """The marked sentence, with places for its slots."""
        return self.wanted.template if isinstance(self.wanted, SlotSentence) else self.wanted


def open_voices(config: SpeakingConfig, language: Language, *, must_keep: bool = False) -> Voices:
    """All voices of a box, nothing rendered yet.

    `must_keep`: what is rendered and cannot be written is an error (`PromptCache`).

    Raises:
        ConfigError: one of them cannot be loaded.
    """

    def opened(name: str | None) -> PromptCache:
        voice = open_voice(config, language, name)
        return PromptCache(voice, config.cache, must_keep=must_keep)

    default = opened(None)
    named = {name: opened(name) for name in config.voices}
    return Voices(default, named, config.deadline_s, config.patience_ms)


def read_flows(config: Config) -> tuple[Flow, ...]:
    """The flows that calls of this box may come to, not proven.

    Raises:
        ConfigError: one of them, or the campaign, cannot be read.
    """
    campaign, first = campaign_of(config), flow_folder(config.call.flow)
    flows = gather(first, lambda folder: read_flow(folder, campaign if folder == first else None))
    return flows.all()


class PromptBook:
    """The prompts of these flows in the voices that speak them."""

    def __init__(
        self, config: SpeakingConfig, voices: Voices, flows: Sequence[Flow], language: Language
    ) -> None:
        """Know what these flows want.

        Raises:
            ConfigError: a flow has no prompts in this language.
        """
        self._config, self._voices = config, voices
        self._wanted = wanted_of(flows, language)
        self._names = voices_of(flows)

    def states(self) -> list[PromptState]:
        """What there is of each sentence in each voice, in the order of the flows."""
        found = []
        for name in self._names or [""]:
            cache = self._voices.of(name)
            for wanted in self._wanted:
                path = cache.path(wanted)
                rendering = read_rendering(path, tell=False)
                seconds = len(rendering.spoken.pcm) / BYTES_A_SECOND if rendering else None
                found.append(PromptState(name or "default", wanted, path, seconds))
        return found

    def prepare(self, progress: Progress) -> None:
        """Have everything rendered, and forget what is needed no more.

        Raises:
            EngineError: a voice cannot speak one of the sentences.
            StoreError: the voices were opened with `must_keep`, and one cannot be written.
        """
        self._voices.prepare(self._wanted, self._names, progress)
        self._voices.retire(self._wanted, self._names)

    def discard(self) -> None:
        """Remove what there is of them on disk, to have it rendered anew.

        Raises:
            StoreError: a file cannot be removed.
        """
        for path in self.paths():
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise StoreError(f"prompt cache: {path}: {error.strerror}") from error

    def tidy(self) -> Pruned:
        """Keep the folder within its size: what nobody needs goes, the longest unused first."""
        limit = self._config.cache_mb * _MEGABYTE
        return prune(self._config.cache, self.paths(), at_most_bytes=limit)

    def paths(self) -> list[Path]:
        """The files of all of them, whether they are there or not."""
        caches = dict.fromkeys(self._voices.of(name) for name in self._names or [""])
        return [cache.path(wanted) for cache in caches for wanted in self._wanted]
