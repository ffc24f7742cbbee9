"""Stage 1: read the recordings, clean them, compute features, hold sentences out.

    python -m models.voice.recipe.prepare --speech FOLDER --work FOLDER --voice NAME

FOLDER of --speech holds the corpus (`kathleen.tar`, `kathleen.tsv`); the results go to a folder of
the voice's name in --work.
"""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path

import numpy as np
import soundfile

from models.voice.recipe.conversion import convert
from models.voice.recipe.corpus import Recording, held_out_files, read_archive, read_list
from models.voice.recipe.dataset import Utterance, save_utterances
from models.voice.recipe.features import active_rms, clean, log_mel, pitch
from models.voice.recipe.settings import SAMPLE_RATE_HZ, AudioSettings, VoiceSettings, load_settings
from models.voice.recipe.text import PHONE_SETS, Vocabulary, phonemize


def prepare_one(
    recording: Recording,
    content: bytes,
    held_out: bool,
    settings: AudioSettings,
    voice: VoiceSettings,
) -> Utterance:
    """Features of one recording.

    Raises:
        ValueError: the file is not 16 kHz.
    """
    audio, rate_hz = soundfile.read(io.BytesIO(content), dtype="float32")
    if rate_hz != SAMPLE_RATE_HZ:
        raise ValueError(f"{recording.file} has {rate_hz} Hz, not {SAMPLE_RATE_HZ}")
    audio = clean(audio, settings)
    if voice.mean_hz is not None:
        audio = convert(audio, voice.mean_hz, voice.throat)
        audio = np.clip(audio * (settings.active_rms / active_rms(audio)), -0.99, 0.99)
    log_f0, voiced = pitch(audio, voice.pitch_hz)
    return Utterance(
        file=recording.file,
        text=recording.text,
        tokens=("^", *phonemize(recording.text, PHONE_SETS[voice.language]), "$"),
        held_out=held_out,
        samples=(audio * 32767).astype(np.int16),
        mel=log_mel(audio),
        log_f0=log_f0,
        voiced=voiced,
        durations=None,
    )


def main() -> None:
    """Write `utterances.json`, `features.npz` and `vocabulary.json`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--voice", required=True)
    arguments = parser.parse_args()
    settings = load_settings()
    voice = settings.voices[arguments.voice]
    work: Path = arguments.work / arguments.voice
    recordings = read_list(arguments.speech / f"{voice.corpus}.tsv", voice.sentence)
    held = held_out_files(recordings, settings.corpus.held_out_sentences, settings.corpus.seed)
    by_file = {recording.file: recording for recording in recordings}
    utterances = [
        prepare_one(by_file[file], content, file in held, settings.audio, voice)
        for file, content in read_archive(arguments.speech / f"{voice.corpus}.tar")
        if file in by_file
    ]
    work.mkdir(parents=True, exist_ok=True)
    save_utterances(work, utterances)
    vocabulary = Vocabulary.build((u.tokens for u in utterances), PHONE_SETS[voice.language])
    path = work / "vocabulary.json"
    path.write_text(json.dumps(vocabulary.to_json(), ensure_ascii=False), encoding="utf-8")
    minutes = sum(u.frames for u in utterances) * 0.016 / 60
    print(
        f"{len(utterances)} utterances, {minutes:.1f} min, {len(held)} held out, "
        f"{len(vocabulary.bases)} phones and marks, {len(vocabulary.ids)} tokens"
    )


if __name__ == "__main__":
    main()
