"""Measure a voice: likeness, pitch, questions, speed, level, and how well recognizers understand.

    python -m models.voice.recipe.evaluate --voice-file models/voice/en/bob.onnx --work FOLDER
        [--originals kathleen] [--vocoder adversarial.pt] [--json FILE] [--pictures FOLDER]

The voice's work folder is that of its name. The texts are its held-out sentences, one recording of
each. "Recordings" are what the voice was trained on: a person's, or those of a teacher;
`--originals` names the voice that has a person's recordings of the same sentences, where this one's
are made from them. Every figure is for one thread (OMP_NUM_THREADS=1). `recipe/report.py` makes the
model card's tables of the JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnxruntime
from piper import PiperVoice, SynthesisConfig
from piper.config import PiperConfig

from appliance.testing.figures import machine
from appliance.types import Language
from models.voice.recipe import copying, listening, prosody
from models.voice.recipe.corpus import plain_words
from models.voice.recipe.dataset import Floats, Utterance, load_utterances
from models.voice.recipe.features import active_rms, log_mel
from models.voice.recipe.recognition import (
    Recognizer,
    appliance_recognizer,
    pocketsphinx_recognizer,
)
from models.voice.recipe.settings import SAMPLE_RATE_HZ
from models.voice.recipe.targets import targets

TEN_WORDS = {
    "en": "Thank you, I have found your account in our system.",
    "es": "Gracias, ya he encontrado su cuenta en nuestro sistema informático.",
}


def load_voice(path: Path) -> PiperVoice:
    """The voice on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(path), sess_options=options, providers=["CPUExecutionProvider"]
    )
    data = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    return PiperVoice(session=session, config=PiperConfig.from_dict(data))


def language_of(path: Path) -> Language:
    """The language that the voice's JSON names ("en_US" → "en")."""
    data = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    return cast(Language, str(data["language"]["code"])[:2])


def speak(voice: PiperVoice, text: str) -> Floats:
    """All sentences of `text`, at the model's own level."""
    chunks = voice.synthesize(text, SynthesisConfig(normalize_audio=False))
    return np.concatenate([chunk.audio_float_array for chunk in chunks])


def speed(voice: PiperVoice, texts: Sequence[str], ten_words: str) -> dict[str, float]:
    """Real-time factor over `texts`, and ms for a sentence of ten words (median).

    In processor time: the machine may have other work, and on a free core that is the time.
    """
    speak(voice, ten_words)
    start = time.process_time()
    samples = sum(len(speak(voice, text)) for text in texts)
    factor = (time.process_time() - start) / (samples / SAMPLE_RATE_HZ)
    first_ms = []
    for _ in range(20):
        start = time.process_time()
        next(iter(voice.synthesize(ten_words)))
        first_ms.append((time.process_time() - start) * 1000)
    return {"real_time_factor": factor, "first_audio_ms": float(np.median(first_ms))}


def levels(audios: Sequence[Floats]) -> dict[str, float]:
    """Active speech level and its spread in dB of full scale, highest peak, DC."""
    active_db = [20 * np.log10(active_rms(audio)) for audio in audios]
    return {
        "active_dbfs": float(np.mean(active_db)),
        "active_spread_db": float(np.std(active_db)),
        "peak": float(max(np.abs(audio).max() for audio in audios)),
        "dc": float(max(abs(audio.mean()) for audio in audios)),
    }


def one_take_each(utterances: Sequence[Utterance]) -> list[Utterance]:
    """The first recording of every held-out sentence."""
    takes: dict[str, Utterance] = {}
    for utterance in utterances:
        if utterance.held_out:
            takes.setdefault(plain_words(utterance.text), utterance)
    return list(takes.values())


def originals_of(work: Path, takes: Sequence[Utterance]) -> list[Floats]:
    """A recording of each of these sentences from another work folder.

    Raises:
        ValueError: one is missing there.
    """
    found = {plain_words(u.text): u for u in reversed(load_utterances(work))}
    try:
        return [found[plain_words(take.text)].audio for take in takes]
    except KeyError as error:
        raise ValueError(f"{work} has no recording of {error.args[0]!r}") from error


def difference(voice: PiperVoice, other: PiperVoice, texts: Sequence[str]) -> dict[str, float]:
    """How far another export of the same voice is off: mean log-mel distance, share of length.

    Sentences whose lengths differ count in the second figure only.
    """
    distances, same = [], 0
    for text in texts:
        a, b = speak(voice, text), speak(other, text)
        if len(a) == len(b):
            same += 1
            distances.append(float(np.abs(log_mel(a) - log_mel(b)).mean()))
    return {
        "log_mel_distance": float(np.mean(distances)) if distances else float("nan"),
        "same_length": same / len(texts),
    }


def listeners(language: Language, stt: Path) -> dict[str, Recognizer]:
    """Who listens. pocketsphinx's wheel has an English model only."""
    found = {"ours": appliance_recognizer(stt, language)}
    return {"pocketsphinx": pocketsphinx_recognizer(), **found} if language == "en" else found


def movement(voice: PiperVoice, language: str, sources: dict[str, list[Floats]]) -> dict[str, Any]:
    """`pitch` of every source and `questions` of the voice, as prosody.py has them."""
    ranges = {name: prosody.pitch_range(audios) for name, audios in sources.items()}
    pitch = {
        name: prosody.spread([prosody.track(audio, *ranges[name]) for audio in audios])
        for name, audios in sources.items()
    }
    questions = {
        kind: prosody.asked(texts, lambda text: speak(voice, text), ranges["voice"])
        for kind, texts in prosody.questions(language).items()
    }
    return {"pitch": pitch, "questions": questions}


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything, as it goes into the JSON."""
    path: Path = arguments.voice_file
    voice, language = load_voice(path), language_of(path)
    work: Path = arguments.work / path.stem
    takes = one_take_each(load_utterances(work))[: arguments.sentences]
    texts = [take.text for take in takes]
    sources = {"recordings": [take.audio for take in takes]}
    if arguments.originals:
        sources["originals"] = originals_of(arguments.work / arguments.originals, takes)
    result: dict[str, Any] = {
        "voice": path.stem,
        "language": language,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "megabytes": path.stat().st_size / 1e6,
        "sentences": len(texts),
        "machine": machine(),
    }
    if arguments.vocoder:
        sources["copy"] = copying.copies(work / arguments.vocoder, takes)
        result["copy"] = copying.likeness(takes, sources["copy"])
    spoken = sources["voice"] = [speak(voice, text) for text in texts]
    result["speed"] = speed(voice, texts, TEN_WORDS[language])
    result["level"] = levels(spoken)
    result["length_over_recording"] = sum(map(len, spoken)) / sum(len(t.samples) for t in takes)
    result |= movement(voice, language, sources)
    if arguments.against:
        result["difference"] = difference(voice, load_voice(arguments.against), texts)
    stt = arguments.stt or Path("models/stt") / language
    result["words"] = listening.listen(listeners(language, stt), texts, sources, language)
    result["targets"] = targets(result)
    if arguments.pictures:
        from models.voice.recipe.pictures import draw_voice

        draw_voice(path.stem, takes, sources, arguments.pictures)
    return result


def print_table(result: dict[str, Any], prefix: str = "") -> None:
    """One line for every figure."""
    for name, value in result.items():
        if isinstance(value, dict):
            print_table(value, f"{prefix}{name}: ")
        elif isinstance(value, list):
            for each in value:
                verdict = "kept" if each["kept"] else "MISSED"
                print(f"{each['name']}: {each['reached']} (wanted {each['wanted']}): {verdict}")
        else:
            print(f"{prefix + name:60s} {value:.4g}" if isinstance(value, float)
                  else f"{prefix + name:60s} {value}")  # fmt: skip


def main() -> None:
    """Print the figures, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voice-file", type=Path, required=True, help="an exported .onnx")
    parser.add_argument(
        "--work", type=Path, required=True, help="holds a folder of the voice's name"
    )
    parser.add_argument("--originals", help="voice that has a person's recordings")
    parser.add_argument("--vocoder", help="its checkpoint: copy synthesis too (needs torch)")
    parser.add_argument("--sentences", type=int, default=1000, help="at most so many")
    parser.add_argument("--stt", type=Path, help="recognizer; default: the shipped one")
    parser.add_argument("--against", type=Path, help="another export, to compare")
    parser.add_argument("--pictures", type=Path, help="folder for spectrograms")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    result = measure(arguments)
    print_table(result)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
