"""Rendered prompts: fixed text is synthesized once, kept on disk and in memory.

Content-addressed by voice and text, so a changed prompt or voice can never play old audio.
A file is complete or absent (written beside its name, then renamed) and holds a checksum;
one that fails it is rendered anew.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import structlog

from appliance.errors import StoreError
from appliance.tts.voice import Voice

_DIGEST_BYTES = 32
_log = structlog.get_logger()


class PromptCache:
    """Audio by text. `render` is called in worker threads; lookups never synthesize."""

    def __init__(self, voice: Voice, folder: Path) -> None:
        self._voice = voice
        self._folder = folder / voice.identity[:16]
        self._memory: dict[str, bytes] = {}

    def find(self, text: str) -> bytes | None:
        """Audio of a fixed text that was rendered before, or None if it was not."""
        return self._memory.get(text)

    def render(self, text: str) -> bytes:
        """Audio of a text that varies: synthesized now and not kept (it may be personal)."""
        return self._memory.get(text) or self._voice.synthesize(text)

    def prepare(self, texts: Iterable[str], progress: Callable[[int, int], None]) -> None:
        """Have every fixed text ready; `progress(done, total)` after each.

        Raises:
            EngineError: the voice cannot speak one of them.
        """
        wanted = list(dict.fromkeys(texts))
        for done, text in enumerate(wanted, 1):
            path = self._path(text)
            audio = _read(path)
            if audio is None:
                audio = self._voice.synthesize(text)
                try:
                    _write(path, audio)
                except StoreError as error:  # it is in memory; only the next start is slower
                    _log.warning("prompt not cached", why=str(error))
            self._memory[text] = audio
            progress(done, len(wanted))

    def _path(self, text: str) -> Path:
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()}.s16"


def _read(path: Path) -> bytes | None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        _log.warning("prompt not read from the cache", path=str(path), why=error.strerror)
        return None
    digest, audio = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return audio if audio and hashlib.sha256(audio).digest() == digest else None


def _write(path: Path, audio: bytes) -> None:
    beside = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(hashlib.sha256(audio).digest() + audio)
        beside.replace(path)
    except OSError as error:
        raise StoreError(f"prompt cache: {path}: {error.strerror}") from error
