"""Festival's diphone voices, many sentences a run; Spanish by voices of other languages.

No free Spanish voice of a recorded person is at hand. Italian, Czech and Finnish have plain vowels
and the trilled r, so their voices speak Spanish phone by phone: espeak-ng gives the phones, `_MS`
the durations, and the pitch falls over the sentence and rises on stressed vowels. Sentences with a
sound that a voice lacks (the Italian ones have no "jota") are left out.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile

from .speakers import Voice

_ITALIAN = {
    "a": "a", "e": "e", "ɛ": "E", "i": "i", "o": "o", "u": "u", "j": "j", "w": "w", "p": "p",
    "t": "t", "k": "k", "b": "b", "d": "d", "ɡ": "g", "β": "v", "ð": "d", "ɣ": "g", "f": "f",
    "s": "s", "tʃ": "tS", "ʝ": "j", "ɲ": "J", "m": "m", "n": "n", "ŋ": "ng", "l": "l", "ɾ": "r",
    "r": "r", "ʃ": "S", "ʎ": "L",
}  # fmt: skip
_CZECH = {
    "a": "a", "e": "e", "ɛ": "e", "i": "i", "o": "o", "u": "u", "j": "j", "w": "u", "p": "p",
    "t": "t", "k": "k", "b": "b", "d": "d", "ɡ": "g", "β": "b", "ð": "d", "ɣ": "g", "f": "f",
    "s": "s", "tʃ": "c~", "ʝ": "j", "ɲ": "n~", "m": "m", "n": "n", "ŋ": "n*", "l": "l", "ɾ": "r",
    "r": "r", "ʃ": "s~", "ʎ": "l", "x": "ch",
}  # fmt: skip
_FINNISH = {
    "a": "a", "e": "e", "ɛ": "e", "i": "i", "o": "o", "u": "u", "j": "j", "w": "u", "p": "p",
    "t": "t", "k": "k", "b": "b", "d": "d", "ɡ": "g", "β": "v", "ð": "d", "ɣ": "g", "f": "f",
    "s": "s", "tʃ": "t S", "ʝ": "j", "ɲ": "n j", "m": "m", "n": "n", "ŋ": "N", "l": "l", "ɾ": "r",
    "r": "r:", "ʃ": "S", "ʎ": "l", "x": "h",
}  # fmt: skip
SPANISH_VOICES = {
    "lp_diphone": _ITALIAN,
    "pc_diphone": _ITALIAN,
    "czech_dita": _CZECH,
    "czech_krb": _CZECH,
    "czech_machac": _CZECH,
    "czech_ph": _CZECH,
    "suo_fi_lj_diphone": _FINNISH,
    "hy_fi_mv_diphone": _FINNISH,
}
_GLIDES = {"eɪ": "ej", "aɪ": "aj", "oɪ": "oj", "eʊ": "ew", "aʊ": "aw", "oʊ": "ow", "ts": "ts"}
_MS = dict.fromkeys("aeɛiou", 78.0) | dict.fromkeys("jw", 55.0) | dict.fromkeys("ptk", 88.0)
_MS |= dict.fromkeys("bdɡ", 64.0) | dict.fromkeys("βðɣ", 52.0) | dict.fromkeys("fsxʃ", 95.0)
_MS |= dict.fromkeys("mnŋlʎ", 66.0) | {"tʃ": 115.0, "ɲ": 78.0, "ɾ": 38.0, "r": 90.0, "ʝ": 62.0}
_VOWELS = frozenset("aeɛiou")


def speak(jobs: list[tuple[str, Voice]]) -> list[tuple[np.ndarray, int] | None]:
    """Speaks sentences by the voices of one language.

    Args:
        jobs: (text as a voice gets it, voice): Spanish for `SPANISH_VOICES`, else English.

    Returns:
        (float32 wave, samples a second) in the order of the jobs; None where a voice lacks a sound.
    """
    waves: list[tuple[np.ndarray, int] | None] = [None] * len(jobs)
    by_voice: dict[str, list[int]] = {}
    for place, (_, voice) in enumerate(jobs):
        by_voice.setdefault(voice.name, []).append(place)
    phones = _phones([text if voice.name in SPANISH_VOICES else "" for text, voice in jobs])
    for name, places in by_voice.items():
        with tempfile.TemporaryDirectory() as folder:
            script = [f"(voice_{name})"]
            for place in places:
                text, voice = jobs[place]
                spanish = name in SPANISH_VOICES
                wanted = order(phones[place], voice) if spanish else _english(text, voice)
                if wanted is not None:
                    wave = f"{folder}/{place}.wav"
                    script.append(f'(utt.save.wave (utt.synth {wanted}) "{wave}" \'riff)')
            Path(folder, "run.scm").write_text("\n".join(script), encoding="utf-8")
            # Festival ends at the first sentence that it cannot speak; those before it are there.
            subprocess.run(
                ["festival", "-b", f"{folder}/run.scm"], capture_output=True, check=False
            )
            for place in places:
                if Path(folder, f"{place}.wav").exists():
                    waves[place] = soundfile.read(f"{folder}/{place}.wav", dtype="float32")
    return waves


def _phones(texts: list[str]) -> list[str]:
    """espeak-ng's phones of Spanish sentences, a line each; empty for empty texts."""
    full = [text for text in texts if text]
    lines = _transcribe(full)
    if len(lines) != len(full):  # espeak-ng writes two lines for a very long sentence.
        lines = [" ".join(_transcribe([text])) for text in full]
    found = iter(lines)
    return [next(found) if text else "" for text in texts]


def _transcribe(texts: list[str]) -> list[str]:
    if not texts:
        return []
    done = subprocess.run(
        ["espeak-ng", "-q", "--ipa", "--sep=_", "-v", "es-419", "--stdin"],
        input="\n\n".join(texts) + "\n",
        capture_output=True,
        check=True,
        text=True,
    )
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def order(line: str, voice: Voice) -> str | None:
    """A festival utterance of phones with durations and pitch; None if a sound is missing.

    Args:
        line: espeak-ng's phones of a Spanish sentence, with stress marks.
        voice: one of `SPANISH_VOICES`.
    """
    rng = random.Random(f"{line}{voice}")
    names, parts = SPANISH_VOICES[voice.name], _parts(line)
    if any(phone not in names for phone, _ in parts):
        return None
    last_vowel = max((i for i, (p, _) in enumerate(parts) if p in _VOWELS), default=0)
    end = 1.3 if rng.random() < 0.15 else 0.8  # Some sentences are questions.
    rows = [f"(# 0.12 (0.01 {voice.pitch}))"]
    for place, (phone, stressed) in enumerate(parts):
        seconds = _MS[phone] / 1000 * voice.speed * rng.uniform(0.86, 1.16)
        sounds = names[phone].split()
        if phone not in _VOWELS:
            rows += [f"({sound} {seconds / len(sounds):.3f})" for sound in sounds]
            continue
        seconds *= (1.25 if stressed else 1.0) * (1.4 if place == last_vowel else 1.0)
        fall = 1.1 - 0.2 * place / len(parts)
        rise = rng.uniform(1.05, 1.2) if stressed else rng.uniform(0.95, 1.03)
        hertz = voice.pitch * (end if place == last_vowel else fall * rise)
        rows.append(f"({sounds[0]} {seconds:.3f} ({seconds / 2:.3f} {hertz:.0f}))")
    return f"(Utterance Segments ({' '.join(rows)} (# 0.12 (0.1 {voice.pitch * 0.8:.0f}))))"


def _parts(line: str) -> list[tuple[str, bool]]:
    """(phone, whether stressed) of espeak-ng's line, diphthongs taken apart."""
    parts: list[tuple[str, bool]] = []
    for part in line.replace(" ", "_").split("_"):
        phone = part.strip("ˈˌ‿ʲ̩ː")
        for place, single in enumerate(_GLIDES.get(phone, "") or ([phone] if phone else [])):
            parts.append((single, "ˈ" in part and place == 0))
    return parts


def _english(text: str, voice: Voice) -> str:
    """A festival utterance of English text at the voice's pace and pitch, set before it."""
    plain = text.replace('"', "")
    means = f"(target_f0_mean {voice.pitch}) (target_f0_std {voice.pitch * 0.13:.0f})"
    return (
        f"(begin (Parameter.set 'Duration_Stretch {voice.speed:.2f})"
        f" (set! int_lr_params '({means} (model_f0_mean 170) (model_f0_std 34)))"
        f' (Utterance Text "{plain}"))'
    )
