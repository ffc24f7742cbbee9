"""Measure a voice: speed, level, and how well recognizers understand it.

    python -m models.voice.recipe.evaluate --voice voice.onnx --work FOLDER [--stt FOLDER]
                       [--json FILE]
                       [--against OTHER.onnx] [--pictures FOLDER]

The texts are the held-out sentences, one recording of each. Every figure is for one thread. Word
error rates tell whether the voice is understood, not whether it sounds natural.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from piper import PiperVoice, SynthesisConfig
from piper.config import PiperConfig

from models.voice.recipe.corpus import plain_words
from models.voice.recipe.dataset import Floats, Utterance, load_utterances
from models.voice.recipe.features import active_rms, log_mel
from models.voice.recipe.recognition import (
    Recognizer,
    pocketsphinx_recognizer,
    telephone,
    whisper_recognizer,
    word_error_rate,
)
from models.voice.recipe.settings import SAMPLE_RATE_HZ

PROMPTS = (
    "Could you please confirm your five digit zip code?",
    "Your balance is four hundred and twenty dollars and fifty cents.",
    "Thank you for calling. How can I help you today?",
    "I can transfer you to a representative, or call you back tomorrow at nine thirty.",
)
"""Sentences as the appliance says them; none is in the recordings."""
TEN_WORDS = "Thank you, I have found your account in our system."


def load_voice(path: Path) -> PiperVoice:
    """The voice on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(path), sess_options=options, providers=["CPUExecutionProvider"]
    )
    data = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    return PiperVoice(session=session, config=PiperConfig.from_dict(data))


def speak(voice: PiperVoice, text: str) -> Floats:
    """All sentences of `text`, at the model's own level."""
    chunks = voice.synthesize(text, SynthesisConfig(normalize_audio=False))
    return np.concatenate([chunk.audio_float_array for chunk in chunks])


def speed(voice: PiperVoice, texts: Sequence[str]) -> dict[str, float]:
    """Real-time factor over `texts`, and ms to the audio of a sentence of ten words (median)."""
    speak(voice, TEN_WORDS)
    start = time.perf_counter()
    samples = sum(len(speak(voice, text)) for text in texts)
    factor = (time.perf_counter() - start) / (samples / SAMPLE_RATE_HZ)
    first_ms = []
    for _ in range(20):
        start = time.perf_counter()
        next(iter(voice.synthesize(TEN_WORDS)))
        first_ms.append((time.perf_counter() - start) * 1000)
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


def error_rates(
    recognize: Recognizer, texts: Sequence[str], sources: dict[str, Sequence[Floats]]
) -> dict[str, float]:
    """Word error rate of every source, clean and after the telephone."""
    channels: dict[str, Callable[[Floats], Floats]] = {"": lambda x: x, ", telephone": telephone}
    return {
        name + suffix: word_error_rate(texts, [recognize(channel(audio)) for audio in audios])
        for name, audios in sources.items()
        for suffix, channel in channels.items()
    }


def measure(arguments: argparse.Namespace) -> dict[str, object]:
    """Everything, as it goes into the JSON."""
    voice = load_voice(arguments.voice)
    takes = one_take_each(load_utterances(arguments.work))[: arguments.sentences]
    texts = [take.text for take in takes]
    spoken = [speak(voice, text) for text in texts]
    result: dict[str, object] = {
        "megabytes": arguments.voice.stat().st_size / 1e6,
        "sentences": len(texts),
        "speed": speed(voice, texts),
        "level": levels(spoken),
        "length_over_recording": sum(map(len, spoken)) / sum(len(t.samples) for t in takes),
    }
    if arguments.against:
        result["difference"] = difference(voice, load_voice(arguments.against), texts)
    sources = {"recordings": [take.audio for take in takes], "voice": spoken}
    result["word_errors_pocketsphinx"] = error_rates(pocketsphinx_recognizer(), texts, sources)
    if arguments.stt:
        recognizer = whisper_recognizer(arguments.stt)
        result["word_errors_stt"] = error_rates(recognizer, texts, sources)
    if arguments.pictures:
        from models.voice.recipe.pictures import draw_comparison, draw_prompts

        draw_comparison(takes[:4], spoken[:4], arguments.pictures / "held_out.png")
        prompts = {text: speak(voice, text) for text in PROMPTS}
        draw_prompts(prompts, arguments.pictures / "prompts.png")
    return result


def print_table(result: dict[str, object], prefix: str = "") -> None:
    """One line for every figure."""
    for name, value in result.items():
        if isinstance(value, dict):
            print_table(value, f"{prefix}{name}: ")
        else:
            print(f"{prefix + name:55s} {value:.4g}")


def main() -> None:
    """Print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voice", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=1000, help="at most so many")
    parser.add_argument("--stt", type=Path, help="a faster-whisper model folder")
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
