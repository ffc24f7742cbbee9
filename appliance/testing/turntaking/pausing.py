"""The pauses of a reply, as a call meets them, and what a patience makes of them.

    Reply -> voice detector + Endpointer -> Pause… (each read and judged once)
    Pause… + Wait (how long at this one?) -> Outcome: cut off or not, dead air

The recognizer runs once a pause; any number of patiences is then tried on what it found. What a
decode takes is not counted: `scripts/bench_latency.py` measures that on the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from appliance.audio.ending import EndJudge
from appliance.audio.endpointing import Endpointer, Patience
from appliance.dialogue.schema import Slot
from appliance.dialogue.turn import Listen
from appliance.dialogue.waits import WAITS
from appliance.nlu.understander import Context, Understander
from appliance.session.hints import hint_of
from appliance.stt.recognizer import Recognizer
from appliance.types import (
    FRAME_BYTES,
    FRAME_MS,
    AudioFrame,
    SpeechPaused,
    SpeechResumed,
    Understanding,
)

AFTER_MS = 3000
"""Of quiet that a reply must have after its end: the longest patience."""
_LONG_MS = 1_000_000
_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Reply:
    """What a caller answers. `pcm`: s16le with AFTER_MS of the line's own quiet after it.

    `ends_ms`: the end of the last sound, from the start of `pcm`. `kind`: what was asked for.
    `source`: where the sound comes from. `hesitates`: made with a pause inside.
    """

    kind: Slot | None
    source: str
    text: str
    pcm: bytes
    ends_ms: int
    hesitates: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause that a call notices. `lasts_ms`: None where nothing comes after it.

    `heard`, `continues`, `stretched`: what `patience_ms` is told of the turn so far.
    """

    quiet_from_ms: int
    lasts_ms: int | None
    heard: Understanding
    continues: float
    stretched: bool


@dataclass(frozen=True, slots=True)
class Ears:
    """What hears: a detector for each reply, one recognizer, understanding and judge for all."""

    detector: Callable[[], Callable[[bytes], bool]]
    recognizer: Recognizer
    understander: Understander
    judge: EndJudge
    pause_ms: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a reply. `dead_air_ms`: from its last sound to the end of the turn."""

    cut_off: bool
    dead_air_ms: int


Wait = Callable[[Listen, Pause], int]
"""The patience at a pause, in milliseconds."""


def listening(kind: Slot | None) -> Listen:
    """What a question of this kind listens for, with the defaults of its kind."""
    waits = WAITS[kind]
    return Listen(slot=kind, patience_ms=waits.patience_ms, unfinished_ms=waits.unfinished_ms)


def pauses_of(reply: Reply, ears: Ears) -> list[Pause]:
    """Hear a reply to its end, and read it at every pause."""
    waits = Patience(pause_ms=ears.pause_ms, patience_ms=_LONG_MS, max_turn_ms=_LONG_MS)
    endpointer = Endpointer(ears.detector(), waits)
    found: list[tuple[int, int | None, bytes]] = []
    for index in range(len(reply.pcm) // FRAME_BYTES):
        pcm = reply.pcm[index * FRAME_BYTES : (index + 1) * FRAME_BYTES]
        frame = AudioFrame(pcm, index * FRAME_MS * _NS_PER_MS)
        for event in endpointer.push(frame):
            if isinstance(event, SpeechPaused):
                quiet_from = event.ended_ns // _NS_PER_MS + FRAME_MS
                found.append((quiet_from, None, event.pcm))
            elif isinstance(event, SpeechResumed):
                quiet_from, _, pcm = found[-1]
                found[-1] = (quiet_from, index * FRAME_MS - quiet_from, pcm)
    return [_read(each, reply.kind, ears) for each in found]


def outcome(reply: Reply, pauses: Sequence[Pause], wait: Wait, pause_ms: int) -> Outcome:
    """How the turn ends under a patience; the caller is cut off if he had more to say."""
    listen = listening(reply.kind)
    for pause in pauses:
        patience = max(pause_ms, wait(listen, pause))
        if pause.lasts_ms is None or pause.lasts_ms > patience:
            ends = pause.quiet_from_ms + patience
            return Outcome(ends < reply.ends_ms, max(0, ends - reply.ends_ms))
    return Outcome(False, AFTER_MS)  # the detector has not noticed the end


def _read(found: tuple[int, int | None, bytes], kind: Slot | None, ears: Ears) -> Pause:
    quiet_from, lasts, pcm = found
    listen = listening(kind)
    words = ears.recognizer.recognize(pcm, hint_of(listen))
    meant = ears.understander.understand(words.text, Context.of(listen))
    return Pause(quiet_from, lasts, meant, ears.judge.continues(pcm), words.stretched)
