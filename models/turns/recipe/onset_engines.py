"""Words and acknowledgements by speech engines: what the corpora have too little of.

The corpora begin with few of the words that callers interrupt with, and have no native Spanish.
espeak-ng and flite say them, with voices that are not held out (models/stt/recipe/speakers.py).
"""

# ruff: noqa: SIM905  (lists of words are data)

from __future__ import annotations

import subprocess
import tempfile

import numpy as np
import soundfile
from scipy.signal import resample_poly

from models.stt.recipe.speakers import ESPEAK_ACCENTS, ESPEAK_VARIANTS

from .corpora import RATE_HZ

WORDS = {
    "en": (
        "stop|stop it|stop calling me|wait|wait a minute|no|no no|no thanks|nope|yes|yes it is|"
        "yeah|yep|my name is John|my zip code is|my account|I|I do not|I want|I am|I'd like|me|"
        "more|maybe|may I|Monday|Mister Miller|Mary|Michael|nine|nine four|Nancy|Nick|now|"
        "never|not now|one|two|three|four|five|six|seven|eight|zero|oh|hello|hi|hey|hold on|"
        "how much|who is this|what|what is this|why|when|where|excuse me|sorry|sure|okay|"
        "please|can I|could you|do you|is this a robot|operator|agent|human|speak to a person|"
        "let me|listen|look|actually|another day|under my name|up to you|other than that|"
        "us|until Friday|usually|nobody|none|anyone|all right|right|repeat that|that is right|"
        "this is|they|the|tomorrow|today|Tuesday|thank you|thanks|goodbye|bye|go on|great|"
        "good|hang on|he is|she is|we|you|your|yesterday|help|wrong number|remove me|"
        "take me off|cancel|change|just a moment|John|George|Lisa|Robert|Victor|eleven|twenty"
    ).split("|"),
    "es": (
        "no|no gracias|no quiero|sí|sí señor|mi nombre es|mi código|me llamo|mañana|muy bien|más|"
        "mire|nada|nunca|nueve|no sé|necesito|yo|yo no|ya|ya pagué|uno|dos|tres|cuatro|cinco|seis|"
        "siete|ocho|cero|diez|espere|espera|un momento|una pregunta|hola|buenas|bueno|oiga|oye|"
        "perdón|disculpe|pare|basta|alto|quién|qué|cuánto|cuándo|dónde|por qué|por favor|claro|"
        "correcto|está bien|esto es|el lunes|la semana|lo siento|hable|habla María|a ver|ahora|"
        "ahora no|aquí|así es|adiós|gracias|tengo|todo|también|usted|es usted|soy|soy yo|señora|"
        "operador|persona|quiero hablar|quítenme|repita|otra vez|vale|de acuerdo|miércoles|martes|"
        "número equivocado|Juan|José|Miguel|Nicolás|Natalia|Marta"
    ).split("|"),
}
# espeak-ng's phoneme codes: m h with syllables as they may be.
HUMS = (
    "[[m:hm:]]", "[[mhm]]", "[[m'hm:]]", "[[mm,hmm]]", "[[mm:]]", "[[h@m]]", "[[hm:]]",
    "[[VhV]]", "[[V,h'V:]]", "[[@h'@:]]", "[[Vh'Vm]]", "[[mh@m]]",
)  # fmt: skip
FLITE_VOICES = ("awb", "rms", "kal16", "kal")
FLITE_HUMS = (
    "pau m hh m pau", "pau m pau", "pau hh m pau", "pau ah hh ah pau", "pau m m hh m m pau",
    "pau ax hh ah pau", "pau m m m pau",
)  # fmt: skip


def espeak(rng: np.random.Generator, text: str, language: str) -> np.ndarray:
    """A text by a random voice and pitch; float32 at RATE_HZ, trimmed of digital silence."""
    accents = ESPEAK_ACCENTS[language]
    variant = ESPEAK_VARIANTS[rng.integers(len(ESPEAK_VARIANTS))]
    name = f"{accents[rng.integers(len(accents))]}+{variant}"
    speed, pitch = rng.integers(110, 210), rng.integers(15, 85)
    command = ["espeak-ng", "-v", name, "-s", str(speed), "-p", str(pitch), "--stdout", text]
    done = subprocess.run(command, capture_output=True, check=True)
    wave = np.frombuffer(done.stdout[44:], "<i2").astype(np.float32) / 32768
    return _trimmed(resample_poly(wave, 160, 441) if len(wave) else wave)


def flite(rng: np.random.Generator, text: str, *, phones: bool = False) -> np.ndarray:
    """A text, or flite's phones, by a random voice; see `espeak`."""
    voice = FLITE_VOICES[rng.integers(len(FLITE_VOICES))]
    with tempfile.NamedTemporaryFile(suffix=".wav") as out:
        command = [
            "flite",
            "-voice",
            voice,
            "--setf",
            f"duration_stretch={rng.uniform(0.8, 1.5):.2f}",
        ]
        command += ["--setf", f"int_f0_target_mean={rng.integers(85, 200)}"]
        command += ["-p" if phones else "-t", text, "-o", out.name]
        subprocess.run(command, capture_output=True, check=True)
        wave, rate_hz = soundfile.read(out.name, dtype="float32")
    return _trimmed(resample_poly(wave, RATE_HZ, rate_hz))


def warped(rng: np.random.Generator, wave: np.ndarray) -> np.ndarray:
    """By somebody larger or smaller: the engines have few voices, and flite's are men's."""
    up = int(rng.integers(76, 112))
    return np.asarray(resample_poly(wave, up, 100), np.float32) if len(wave) else wave


def word(rng: np.random.Generator) -> np.ndarray:
    """A word or a few, in English or Spanish."""
    return warped(rng, _word(rng))


def hum(rng: np.random.Generator) -> np.ndarray:
    """An acknowledgement."""
    return warped(rng, _hum(rng))


def _word(rng: np.random.Generator) -> np.ndarray:
    language = "es" if rng.random() < 0.45 else "en"
    text = WORDS[language][rng.integers(len(WORDS[language]))]
    if language == "en" and rng.random() < 0.4:
        return flite(rng, text)
    return espeak(rng, text, language)


def _hum(rng: np.random.Generator) -> np.ndarray:
    if rng.random() < 0.5:
        return flite(rng, FLITE_HUMS[rng.integers(len(FLITE_HUMS))], phones=True)
    return espeak(rng, HUMS[rng.integers(len(HUMS))], "en")


def _trimmed(wave: np.ndarray) -> np.ndarray:
    wave = np.asarray(wave, np.float32)
    loud = np.flatnonzero(np.abs(wave) > 0.005 * np.abs(wave).max(initial=0.0))
    return wave[max(0, loud[0] - 80) : loud[-1] + 80] if len(loud) else wave
