"""What a voice costs on this box: measured once by `appliance voices try`, shown by `list`.

Kept by the contents of its files, so a changed voice has no figures until it is tried again.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

from appliance.audio.level import active_level_dbm0, to_float
from appliance.errors import ConfigError
from appliance.tts.sentences import split_sentences
from appliance.tts.settings import settings_of
from appliance.tts.voice import Voice
from appliance.types import BYTES_A_SECOND

_TIMES = 3


@dataclass(frozen=True, slots=True)
class Figures:
    """What speaking a text cost.

    Attributes:
        real_time_factor: seconds that a second of sound takes; more where the box is busy.
        processor_factor: seconds of processor time for a second of sound, busy or not.
        first_audio_ms: from the text to the sound of its first sentence.
        audio_s: how long the sound is.
        level_dbm0: of its speech.
        threads: that one synthesis may use.
    """

    real_time_factor: float
    processor_factor: float
    first_audio_ms: float
    audio_s: float
    level_dbm0: float
    threads: int


def measure(voice: Voice, text: str, threads: int) -> tuple[Figures, bytes]:
    """Speak a text as a call would, sentence by sentence; also returns the telephone audio.

    The first time is slow and does not count; of three others the median does.

    Raises:
        EngineError: the voice cannot speak it.
    """
    sentences = split_sentences(text)
    said = [voice.synthesize(each) for each in sentences]
    first, whole, worked = [], [], []
    for _ in range(_TIMES):
        started, before = time.perf_counter(), time.process_time()
        voice.synthesize(sentences[0])
        first.append(time.perf_counter() - started)
        for each in sentences[1:]:
            voice.synthesize(each)
        whole.append(time.perf_counter() - started)
        worked.append(time.process_time() - before)
    pcm = b"".join(said)
    audio_s = len(pcm) / BYTES_A_SECOND
    return Figures(
        real_time_factor=round(median(whole) / audio_s, 4),
        processor_factor=round(median(worked) / audio_s, 4),
        first_audio_ms=round(median(first) * 1000, 1),
        audio_s=round(audio_s, 2),
        level_dbm0=round(active_level_dbm0(to_float(pcm)), 1),
        threads=threads,
    ), pcm


def keep_figures(folder: Path, voice: Path, figures: Figures) -> None:
    """Remember what a voice costs here.

    Raises:
        ConfigError: the folder cannot be written.
    """
    path = _path(folder, voice)
    beside = path.with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps({"voice": voice.name, **asdict(figures)}) + "\n", "utf-8")
        beside.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error


def find_figures(folder: Path, voice: Path) -> Figures | None:
    """What was measured of a voice with these contents, if it was."""
    try:
        said = json.loads(_path(folder, voice).read_text("utf-8"))
        return Figures(**{each.name: said[each.name] for each in fields(Figures)})
    except (OSError, ValueError, KeyError, TypeError):  # never measured, or no figures of ours
        return None


def _path(folder: Path, voice: Path) -> Path:
    whole = hashlib.sha256(voice.read_bytes())
    whole.update(settings_of(voice).read_bytes())
    return folder / f"{whole.hexdigest()[:32]}.json"
