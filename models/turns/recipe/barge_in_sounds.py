"""Makes what callers utter in barge-in trials, from real speakers who are held out.

    python -m models.turns.recipe.barge_in_sounds ../speech OUT

OUT/speech: openings of utterances; OUT/acknowledgement: "mhm" and its kin, put together from
nasals and vowels of real speakers; OUT/noise: coughs, breaths, knocks, tones and recorded noise.
All WAV at 8 kHz, for `scripts/bench_barge_in.py --sounds OUT`. None of it is in the project, since
the recordings are not ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import numpy as np
import soundfile
import typer

from appliance.audio.channel import active_level
from appliance.testing.turntaking.interjections import telephone_sound

from .corpora import RATE_HZ, clips, sounds
from .onset_acknowledgements import acknowledge, voice_of
from .onset_noises import any_noise

_SPEECH = ("librispeech_train-clean-100", "librispeech_train-clean-100_1utt",
           "speechocean762_adult", "speech_commands_v001", "picovoice_wakeword")  # fmt: skip
_VOICES = ("speechocean762_adult", "librispeech_train-clean-100_1utt", "mycroft_precise")
_LEAST_S, _MOST_S = 0.5, 2.5
_SEED = 7
_FRAME = RATE_HZ // 50
_CLEAN_DB = 35.0  # the quietest frames of a recording are so far below its speech
_ONSET_DB = 25.0  # as the trials count: -45 dBm0 where speech is at -20


def openings(speech: Path, count: int) -> Iterator[tuple[str, np.ndarray]]:
    """First seconds of held-out utterances, by as many speakers as there are."""
    for corpus in _SPEECH:
        for clip in clips(speech, corpus, limit=count, held_out=True):
            wave = _from_onset(clip.wave)
            if len(wave) >= _LEAST_S * RATE_HZ:
                yield f"{corpus}-{Path(clip.file).stem}", wave[: int(_MOST_S * RATE_HZ)]


def _from_onset(wave: np.ndarray) -> np.ndarray:
    """The recording from its first frame of speech on; empty where noise hides where that is.

    A stop time counts from the first packet that holds speech, so that must be speech.
    """
    frames = wave[: len(wave) // _FRAME * _FRAME].reshape(-1, _FRAME)
    level_db = 10 * np.log10(np.square(frames, dtype=np.float64).mean(axis=1) + 1e-12)
    below_db = level_db - active_level(wave)
    if not len(below_db) or np.percentile(below_db, 5) > -_CLEAN_DB:
        return wave[:0]
    return wave[int((below_db > -_ONSET_DB).argmax()) * _FRAME :]


def acknowledgements(speech: Path, count: int) -> Iterator[tuple[str, np.ndarray]]:
    """Hums with the voices of held-out speakers."""
    rng = np.random.default_rng(_SEED)
    by_speaker: dict[str, list[np.ndarray]] = defaultdict(list)
    for corpus in _VOICES:
        for clip in clips(speech, corpus, limit=120, held_out=True):
            by_speaker[clip.speaker].append(clip.wave)
    voices = [voice_of(waves) for waves in by_speaker.values()]
    usable = [voice for voice in voices if voice.is_usable]
    for number in range(count):
        yield f"hum-{number:03}", acknowledge(rng, usable[number % len(usable)])


def noises(speech: Path, count: int) -> Iterator[tuple[str, np.ndarray]]:
    """Noises of a caller and of the place where he is."""
    rng, around = np.random.default_rng(_SEED), sounds(speech)
    for number in range(count):
        yield f"noise-{number:03}", any_noise(rng, around)


def main(
    speech: Annotated[Path, typer.Argument(help="Folder of the corpora")],
    out: Annotated[Path, typer.Argument(help="Where the sounds go")],
    count: Annotated[int, typer.Option(help="Of each kind, about")] = 200,
) -> None:
    """Write the three folders."""
    kinds = {
        "speech": openings(speech, count // len(_SPEECH)),
        "acknowledgement": acknowledgements(speech, count),
        "noise": noises(speech, count),
    }
    for kind, made in kinds.items():
        (out / kind).mkdir(parents=True, exist_ok=True)
        for name, wave in made:
            with suppress(ValueError):  # too low to be heard on a telephone
                telephone_sound(wave)
                soundfile.write(out / kind / f"{name}.wav", wave, RATE_HZ, subtype="PCM_16")


if __name__ == "__main__":
    typer.run(main)
