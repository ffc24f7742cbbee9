"""How long espeak-ng says each phone of a Spanish sentence.

The diphone voice that speaks the Spanish corpus has no Spanish durations. espeak-ng has them, as
rules: its own synthesis is made here, by its C library, for the times only; its sound is thrown
away. One library holds one voice, so this module speaks Latin American Spanish and nothing else.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from dataclasses import dataclass
from typing import Any

VOICE = "es-419+f3"
"""Latin American Spanish by a woman's formants, for its durations differ a little."""
WORDS_PER_MINUTE = 160

# speak_lib.h of espeak-ng 1.51
_SYNCHRONOUS, _PHONEME_EVENTS, _PHONEME_IPA = 2, 1 << 0, 1 << 1
_EVENT_END, _EVENT_PHONEME = 0, 7
_UTF8, _END_PAUSE, _RATE = 1, 0x1000, 1


class _Id(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("text", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int), ("unique", ctypes.c_uint), ("text_position", ctypes.c_int),
        ("length", ctypes.c_int), ("audio_position", ctypes.c_int), ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p), ("id", _Id),
    )  # fmt: skip


_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
)


@dataclass(frozen=True)
class Timed:
    """One phone as espeak-ng says it; `phone` is IPA, or "" for a pause."""

    phone: str
    seconds: float


class Clock:
    """espeak-ng's synthesis of Spanish, of which only the times are kept.

    Raises:
        OSError: the library is not installed.
        RuntimeError: it has no Spanish voice.
    """

    def __init__(self) -> None:
        self._library = ctypes.CDLL(ctypes.util.find_library("espeak-ng") or "libespeak-ng.so.1")
        options = _PHONEME_EVENTS | _PHONEME_IPA
        self._rate_hz: int = self._library.espeak_Initialize(_SYNCHRONOUS, 0, None, options)
        if self._library.espeak_SetVoiceByName(VOICE.encode()) != 0:
            raise RuntimeError(f"espeak-ng has no voice {VOICE}")
        self._library.espeak_SetParameter(_RATE, WORDS_PER_MINUTE, 0)
        self._samples = 0
        self._events: list[tuple[str, int]] = []
        self._callback = _Callback(self._take)  # The library keeps only a bare pointer to it.
        self._library.espeak_SetSynthCallback(self._callback)

    def say(self, text: str) -> list[Timed]:
        """The phones of a text, and pauses, with their durations.

        Raises:
            RuntimeError: the library refuses the text.
        """
        self._samples, self._events = 0, []
        data = text.encode()
        flags = _UTF8 | _END_PAUSE
        if self._library.espeak_Synth(data, len(data) + 1, 0, 0, 0, flags, None, None) != 0:
            raise RuntimeError(f"espeak-ng cannot say {text!r}")
        ends = [*(sample for _, sample in self._events[1:]), self._samples]
        return [
            Timed(phone, (end - start) / self._rate_hz)
            for (phone, start), end in zip(self._events, ends, strict=True)
        ]

    def _take(self, _: object, count: int, events: Any) -> int:
        self._samples += count
        place = 0
        while events[place].type != _EVENT_END:
            event = events[place]
            if event.type == _EVENT_PHONEME:
                self._events.append((bytes(event.id.text).decode(), event.sample))
            place += 1
        return 0


@functools.cache
def clock() -> Clock:
    """The one `Clock` of this process; the library cannot be opened twice."""
    return Clock()
