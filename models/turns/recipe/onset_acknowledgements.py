"""Says "mhm", "uh-huh", "mm" and "hm" with the voices of people who never said them to us.

No corpus at hand has acknowledgements. They are made of what they consist of, a nasal or an open
central vowel, a breath, a melody: stretches of real nasals and vowels of real speakers are taken
apart by WORLD (Morise et al. 2016) and put together anew with another length, pitch and loudness.

    recording -> WORLD -> nasal and central-vowel spectra of a speaker
    a form ("m h m") + spectra + a melody -> WORLD -> float32
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyworld

RATE_HZ = 8000
_STEP_MS = 5.0
_BINS = 257
# Sounds of a form: m nasal, v central vowel, n vowel half nasal, h breath, - closed glottis.
FORMS = (
    "mhm", "mhm", "mhm", "mhm", "m", "m", "hm", "hm", "m-m", "vhv", "vhv", "vhv", "nhn", "nhn",
    "vhm", "v-v", "mhn", "m", "mhmh", "n",
)  # fmt: skip
_LENGTHS_MS = {"m": (70, 260), "v": (60, 200), "n": (60, 220), "h": (25, 100), "-": (25, 80)}
_LAST_LONGER = 1.5
_BREATH_DB = (-32.0, -14.0)
_NASAL_LOSS_DB = 14.0
_ABOVE = np.clip(np.linspace(0, RATE_HZ / 2, _BINS) / 700 - 1, 0, 1)
"""A nasal loses so much from 700 Hz to 1400 Hz, beside what its resonances do."""


@dataclass(frozen=True)
class Voice:
    """What of a speaker is needed: power spectra in dB [n, _BINS], and the pitch in Hz."""

    nasals: np.ndarray
    vowels: np.ndarray
    pitch_hz: float

    @property
    def is_usable(self) -> bool:
        """Whether there is enough to hum with."""
        return len(self.nasals) > 0 and self.pitch_hz > 0


def voice_of(waves: list[np.ndarray]) -> Voice:
    """Looks for nasals and central vowels in a speaker's recordings (float32 at RATE_HZ)."""
    nasals, vowels, pitches = [], [], []
    for wave in waves:
        samples = np.asarray(wave, np.float64) + 1e-6 * np.random.default_rng(1).standard_normal(
            len(wave)
        )
        pitch, times = pyworld.dio(samples, RATE_HZ, f0_floor=70, f0_ceil=400)
        spectra = 10 * np.log10(pyworld.cheaptrick(samples, pitch, times, RATE_HZ) + 1e-12)
        voiced = pitch > 0
        if voiced.sum() < 10:
            continue
        pitches.append(np.median(pitch[voiced]))
        loud = _energy(spectra, 150, 3400)
        voiced &= loud > loud.max() - 24
        nasals += _stretches(spectra, voiced & _is_nasal(spectra))
        vowels += _stretches(spectra, voiced & _is_central(spectra))
    empty = np.empty((0, _BINS))
    return Voice(
        np.array(nasals) if nasals else empty,
        np.array(vowels) if vowels else empty,
        float(np.median(pitches)) if pitches else 0.0,
    )


def drawn_voice(rng: np.random.Generator) -> Voice:
    """Somebody who does not exist: resonances of nasals and central vowels drawn at random.

    The corpora have few hundred speakers whose nasals are clear; this fills the space between.
    """
    tract = rng.uniform(0.9, 1.25)
    nasals = [
        _envelope(rng, tract, ((255, 80), (1050, 260), (2250, 320))) - _NASAL_LOSS_DB * _ABOVE
        for _ in range(4)
    ]
    vowels = [_envelope(rng, tract, ((620, 90), (1220, 120), (2480, 170))) for _ in range(4)]
    return Voice(np.array(nasals), np.array(vowels), float(np.exp(rng.uniform(4.4, 5.55))))


def _envelope(
    rng: np.random.Generator, tract: float, resonances: tuple[tuple[float, float], ...]
) -> np.ndarray:
    """A cascade of resonators, each moved by some 10%, under a voice's tilt; dB [_BINS]."""
    hertz = np.linspace(1, RATE_HZ / 2, _BINS)
    gain = -rng.uniform(4, 11) * np.log2(np.maximum(hertz, 150) / 150)
    for centre, width in resonances:
        at = centre * tract * rng.uniform(0.88, 1.12)
        ratio, damping = hertz / at, width * rng.uniform(0.7, 1.6) / at
        gain -= 10 * np.log10((1 - ratio**2) ** 2 + (ratio * damping) ** 2)
    return np.asarray(gain)


def acknowledge(rng: np.random.Generator, voice: Voice) -> np.ndarray:
    """One acknowledgement, float32 at RATE_HZ, peak 0.5, with nothing around."""
    form = FORMS[rng.integers(len(FORMS))]
    if not len(voice.vowels):
        form = form.replace("v", "m").replace("n", "m")
    sounds = _sounds(rng, voice)
    spectra, aperiodic, spans = [], [], []
    for place, kind in enumerate(form):
        longer = _LAST_LONGER if place == len(form) - 1 and kind in "mvn" else 1.0
        count = max(3, int(rng.uniform(*_LENGTHS_MS[kind]) * longer / _STEP_MS))
        spectra.append(np.repeat(sounds[kind][None], count, axis=0))
        aperiodic.append(np.full(count, 1.0 if kind == "h" else rng.uniform(0.005, 0.08)))
        spans.append(count)
    track = _smooth(np.concatenate(spectra), int(rng.integers(2, 6)))
    noise = _smooth(np.concatenate(aperiodic)[:, None], 3)
    rises_with = np.linspace(0, 1, _BINS) ** 2 * rng.uniform(0, 0.4)
    aperiodicity = np.clip(noise + rises_with, 0.001, 1.0)
    level = track + _loudness(rng, spans, form)[:, None]
    wave = pyworld.synthesize(
        _melody(rng, voice.pitch_hz, len(track)),
        np.ascontiguousarray(10 ** (level / 10)),
        np.ascontiguousarray(aperiodicity),
        RATE_HZ,
        _STEP_MS,
    )
    return (0.5 * wave / (np.abs(wave).max() + 1e-9)).astype(np.float32)


def _sounds(rng: np.random.Generator, voice: Voice) -> dict[str, np.ndarray]:
    """The spectra that one acknowledgement is made of, all of one speaker, warped together."""
    warp = rng.uniform(0.9, 1.12)

    def one(kept: np.ndarray) -> np.ndarray:
        spectrum = kept[rng.integers(len(kept))]
        bins = np.arange(_BINS)
        warped = np.interp(bins * warp, bins, spectrum)
        return warped - 10 * np.log10((10 ** (warped / 10)).sum())

    nasal = one(voice.nasals)
    vowel = one(voice.vowels) if len(voice.vowels) else nasal
    breath = 0.5 * vowel + 0.5 * np.linspace(vowel.mean(), vowel.mean() - 6, _BINS)
    return {
        "m": nasal,
        "v": vowel,
        "n": 0.5 * (nasal + vowel),
        "h": breath + rng.uniform(*_BREATH_DB),
        "-": nasal - 45,
    }


def _loudness(rng: np.random.Generator, spans: list[int], form: str) -> np.ndarray:
    """dB along the whole: each voiced part swells, the last one falls away."""
    total = sum(spans)
    steps = np.zeros(total)
    at = 0
    for kind, count in zip(form, spans, strict=True):
        if kind in "mvn":
            steps[at : at + count] += rng.uniform(-6, 0)
        at += count
    rise = max(1, int(rng.uniform(10, 60) / _STEP_MS))
    fall = max(1, int(rng.uniform(30, 120) / _STEP_MS))
    rise, fall = min(rise, total // 2), min(fall, total // 2)
    steps = _smooth(steps[:, None], 4)[:, 0]
    steps[:rise] += np.linspace(-rng.uniform(15, 35), 0, rise)
    steps[total - fall :] += np.linspace(0, -rng.uniform(15, 40), fall)
    return steps


def _melody(rng: np.random.Generator, pitch_hz: float, count: int) -> np.ndarray:
    """Rising, falling, dipping or flat, in semitones around a pitch of the speaker."""
    around = np.clip(pitch_hz * 2 ** (rng.uniform(-5, 4) / 12), 70, 380)
    knots = rng.uniform(-4, 4, 3)
    if rng.random() < 0.5:
        knots = np.sort(knots)
    semitones = np.interp(np.linspace(0, 2, count), [0, 1, 2], knots)
    semitones += _smooth(rng.standard_normal((count, 1)), 4)[:, 0] * rng.uniform(0, 0.4)
    return np.ascontiguousarray(np.clip(around * 2 ** (semitones / 12), 65, 420))


def _energy(spectra: np.ndarray, low_hz: float, high_hz: float) -> np.ndarray:
    """dB of a band, for each row."""
    low, high = (round(hertz * 2 * (_BINS - 1) / RATE_HZ) for hertz in (low_hz, high_hz))
    return 10 * np.log10((10 ** (spectra[:, low:high] / 10)).sum(axis=1) + 1e-12)


def _is_nasal(spectra: np.ndarray) -> np.ndarray:
    """A low murmur with little above it."""
    low = _energy(spectra, 150, 500)
    return (_energy(spectra, 800, 2000) < low - 15) & (_energy(spectra, 2000, 3400) < low - 18)


def _is_central(spectra: np.ndarray) -> np.ndarray:
    """As "uh": the first resonance about 500 to 800 Hz, the second about 950 to 1500."""
    low, first = _energy(spectra, 150, 420), _energy(spectra, 480, 820)
    second, third = _energy(spectra, 950, 1500), _energy(spectra, 1700, 2200)
    high = _energy(spectra, 2400, 3400)
    ranked = (first > low + 1) & (second > third + 4) & (second < first - 1) & (second > first - 16)
    return ranked & (high < second + 2)


def _stretches(spectra: np.ndarray, wanted: np.ndarray) -> list[np.ndarray]:
    """The mean of each run of at least 30 ms."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], wanted.astype(int), [0]])))
    runs = zip(edges[::2], edges[1::2], strict=True)
    return [spectra[begin:end].mean(axis=0) for begin, end in runs if end - begin >= 6]


def _smooth(track: np.ndarray, width: int) -> np.ndarray:
    """A moving mean along the first axis."""
    kernel = np.ones(width) / width
    padded = np.pad(track, ((width // 2, width - 1 - width // 2), (0, 0)), mode="edge")
    return np.apply_along_axis(lambda column: np.convolve(column, kernel, "valid"), 0, padded)
