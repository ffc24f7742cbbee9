"""Spanish phones spoken by a Czech diphone voice: names, joins that it lacks, festival's input.

`czech_dita` (Debian's festvox-czech-dita, GPL-3 or later) is a woman; Czech has plain vowels, the
trilled r, "ch" for the jota and the palatal n, so every Spanish sound has a close one. The voice
holds pairs of sounds. Pairs that Czech never says (a voiced before a voiceless stop, two vowels of
which one is i) are spoken by their neighbours; a sentence with any other pair is refused.
"""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile
import soxr

Sound = tuple[str, float, list[tuple[float, float]]]
"""(festival's phone, seconds, pitch targets as (seconds into it, semitones))."""

VOICE = "czech_dita"
RATE_HZ = 16000
MIDDLE_HZ = 196.0
_NAMES = {
    "a": "a", "e": "e", "ɛ": "e", "i": "i", "ɪ": "i", "o": "o", "u": "u", "ʊ": "u", "j": "j",
    "w": "u", "p": "p", "t": "t", "k": "k", "b": "b", "d": "d", "ɡ": "g", "β": "b", "ð": "d",
    "ɣ": "g", "f": "f", "s": "s", "tʃ": "c~", "ʝ": "j", "ɲ": "n~", "m": "m", "n": "n", "ŋ": "n*",
    "l": "l", "ɾ": "r", "r": "r", "ʃ": "s~", "ʎ": "l", "x": "ch", "ʒ": "z~", "dʒ": "d~",
}  # fmt: skip
_GLIDES = {"ɪ": "j", "ʊ": "u"}
_PLAIN_VOWELS = frozenset("aeiou")
_VOICED = {"p": "b", "t": "d", "k": "g", "s": "z", "s~": "z~", "f": "v", "ch": "h", "c~": "dz~"}
_VOICELESS = {voiced: plain for plain, voiced in _VOICED.items()}
_SILENCE = "#"


def sounds(phone: str, seconds: float, targets: list[tuple[float, float]]) -> list[Sound]:
    """The sounds of one Spanish phone; a diphthong is a vowel (62 %) and a glide.

    Raises:
        KeyError: no sound is near.
    """
    if phone in _NAMES:
        return [(_NAMES[phone], seconds, targets)]
    first, second = phone[0], phone[1:]
    if second not in _GLIDES:
        raise KeyError(phone)
    cut = 0.62 * seconds
    late = [(time - cut, level) for time, level in targets if time >= cut]
    return [
        (_NAMES[first], cut, [target for target in targets if target[0] < cut]),
        (_GLIDES[second], seconds - cut, late),
    ]


def speakable(chain: Sequence[Sound]) -> list[Sound]:
    """A chain of sounds with the joins repaired that the voice lacks; silence at both ends."""
    done = list(chain)
    for place in range(len(done) - 2, -1, -1):
        name, seconds, targets = done[place]
        done[place] = (_beside(name, done[place + 1][0]), seconds, targets)
    result = done[:1]
    for name, seconds, targets in done[1:]:
        last = result[-1][0]
        if last in _PLAIN_VOWELS and name in _PLAIN_VOWELS and "i" in (last, name):
            glide = 0.3 * seconds
            result.append(("j", glide, [t for t in targets if t[0] < glide]))
            rest = [(time - glide, level) for time, level in targets if time >= glide]
            result.append((name, seconds - glide, rest))
        else:
            result.append((name, seconds, targets))
    return result


def _beside(name: str, after: str) -> str:
    """The sound as Czech says it before another one."""
    if name in ("n", "n*"):
        return "n*" if after in ("k", "g") else ("m" if after in ("f", "v") else "n")
    if name in _VOICED and (after in _VOICELESS) and after != "v":
        return _VOICED[name]
    if name in _VOICELESS and (after in _VOICED or after in ("c", _SILENCE)):
        return _VOICELESS[name]
    return name


def order(chain: Sequence[Sound]) -> str:
    """festival's expression for an utterance of these sounds."""
    rows = []
    for name, seconds, targets in chain:
        pitch = "".join(
            f" ({time:.3f} {MIDDLE_HZ * 2 ** (level / 12):.1f})" for time, level in targets
        )
        rows.append(f"({name} {seconds:.4f}{pitch})")
    return f"(Utterance Segments ({' '.join(rows)}))"


def speak(orders: Sequence[str]) -> list[np.ndarray | None]:
    """Waves (float32, 16 kHz) of utterances by `order`; None where the voice lacks a join.

    Raises:
        FileNotFoundError: festival is not installed.
        RuntimeError: it speaks none of them, as without the package of the voice.
    """
    if not orders:
        return []
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"(voice_{VOICE})"]
        for place, wanted in enumerate(orders):
            wave = f'"{folder}/{place}.wav"'
            lines.append(f"(utt.save.wave (utt.synth {wanted}) {wave} 'riff)")
        script = Path(folder, "run.scm")
        script.write_text("\n".join(lines), encoding="utf-8")
        done = subprocess.run(
            ["festival", "-b", str(script)], capture_output=True, check=False, text=True
        )
        waves: list[np.ndarray | None] = []
        for place in range(len(orders)):
            path = Path(folder, f"{place}.wav")
            waves.append(_read(path) if path.exists() else None)
    if all(wave is None for wave in waves):
        raise RuntimeError(f"festival's {VOICE} says nothing: {done.stderr.strip()[-200:]}")
    return waves


def _read(path: Path) -> np.ndarray:
    audio, rate_hz = soundfile.read(io.BytesIO(path.read_bytes()), dtype="float32")
    return np.asarray(soxr.resample(audio, rate_hz, RATE_HZ), np.float32)
