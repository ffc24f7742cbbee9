"""Random telephone calls for training: draws over the parts of `appliance.audio.channel`.

    speech -> speed -> room -> level -> silence around -> hiss, noises, babble, hum, prompt echo
           -> clipping -> band -> codec -> packet loss

One random generator in, one array out, so that every draw can be repeated. The ranges are those of
ordinary calls: levels between -35 and -15 dBFS, noise 8 to 50 dB below, one call in seven from a
mobile (GSM, AMR), one in twenty in wide band. Cost of a draw: ``python -m
models.stt.recipe.channel --data DIR``.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path

import numpy as np

from appliance.audio import channel, codecs, sounds

RATE_HZ = 8000
LEVEL_DBFS = (-35.0, -15.0)
# GSM, AMR and G.722 cost milliseconds where G.711 costs microseconds: their shares set the price
# of a draw.
CODEC_SHARES: dict[codecs.Codec, float] = {
    "pcmu": 0.50, "pcma": 0.22, "linear": 0.08, "gsm": 0.08, "amr": 0.07, "g722": 0.05,
}  # fmt: skip
_CODECS, _SHARES = list(CODEC_SHARES), list(CODEC_SHARES.values())


@dataclasses.dataclass(frozen=True)
class Kit:
    """Sounds for the simulation: float32 arrays at 8 kHz, any of them may be empty.

    Attributes:
        noises: recorded noises.
        rooms: impulse responses.
        tones: recorded tones and music.
        babble: tracks of people talking at once (training speakers only).
        prompts: the appliance's own voice, for its echo.
    """

    noises: tuple[np.ndarray, ...] = ()
    rooms: tuple[np.ndarray, ...] = ()
    tones: tuple[np.ndarray, ...] = ()
    babble: tuple[np.ndarray, ...] = ()
    prompts: tuple[np.ndarray, ...] = ()


def simulate(rng: np.random.Generator, speech: np.ndarray, kit: Kit) -> np.ndarray:
    """Sends one clean utterance through a random telephone call.

    Args:
        rng: source of every random choice.
        speech: float32 mono at 8 kHz, without silence around it.
        kit: sounds to draw from.

    Returns:
        float32 in [-1, 1], longer than the input by 0-0.6 s before and 0-3 s after (and shorter or
        longer by the change of speed).
    """
    if rng.random() < 0.5:
        speech = change_speed(speech, rng.uniform(0.88, 1.25))
    if rng.random() < 0.25:
        speech = channel.reverberate(speech, _room(rng, kit), rng.uniform(0.1, 0.7))
    level = rng.uniform(*LEVEL_DBFS)
    speech = channel.set_level(speech, level)
    after = rng.uniform(0.05, 0.5) if rng.random() < 0.7 else rng.uniform(0, 3.0)
    wave = channel.surround(speech, rng.uniform(0, 0.6), after)
    wave = wave + _background(rng, len(wave), level, kit)
    if kit.prompts and rng.random() < 0.06:
        wave = _echo(rng, wave, level - rng.uniform(12, 30), kit)
    return transmit(rng, wave)


def simulate_no_speech(rng: np.random.Generator, kit: Kit) -> np.ndarray:
    """A call on which nobody speaks to us, 0.4 to 4 s: silence, noise, tones, music, echo."""
    length = int(rng.uniform(0.4, 4.0) * RATE_HZ)
    kind = rng.random()
    if kind < 0.08:
        wave = np.zeros(length, np.float32)
    elif kind < 0.30:
        wave = channel.set_level(_tone(rng, length, kit), rng.uniform(-40, -12))
    elif kind < 0.42:
        wave = channel.set_level(sounds.music(rng, length), rng.uniform(-45, -12))
    elif kind < 0.52 and kit.babble:
        wave = channel.set_rms(_cut(rng, kit.babble, length), rng.uniform(-55, -28))
    elif kind < 0.60 and kit.prompts:
        wave = channel.set_level(_cut(rng, kit.prompts, length), rng.uniform(-60, -38))
    else:
        wave = channel.set_rms(_noise(rng, length, kit), rng.uniform(-65, -20))
    hiss = channel.set_rms(sounds.noise(rng, length), rng.uniform(-75, -50))
    return transmit(rng, wave + hiss)


def change_speed(wave: np.ndarray, factor: float) -> np.ndarray:
    """Plays faster (above 1) or slower by interpolation; pitch moves along."""
    places = np.arange(int(len(wave) / factor)) * factor
    return np.interp(places, np.arange(len(wave)), wave).astype(np.float32)


def transmit(rng: np.random.Generator, wave: np.ndarray) -> np.ndarray:
    """Clipping, band limits, codec and packet loss; keeps the length."""
    if rng.random() < 0.05:
        wave = channel.clip(np.clip(wave, -1, 1), rng.uniform(0.2, 0.8))
    codec = _CODECS[rng.choice(len(_CODECS), p=_SHARES)]
    if codec == "g722":
        wave = channel.band_limit(wave, *channel.WIDE_BAND_HZ)
    elif rng.random() < 0.9:
        tilt_db = rng.uniform(-6, 6) if rng.random() < 0.5 else 0.0
        wave = channel.band_limit(wave, rng.uniform(80, 350), rng.uniform(3000, 3900), tilt_db)
    wave = codecs.round_trip(wave, codec)
    if rng.random() < 0.15:
        wave = channel.lose_packets(rng, wave, rng.uniform(0.005, 0.08))
    return wave


def _background(rng: np.random.Generator, length: int, level: float, kit: Kit) -> np.ndarray:
    """Noise 8 to 25 dB below a third of the callers, else 25 to 50; now and then mains hum."""
    ratio = rng.uniform(8, 25) if rng.random() < 0.35 else rng.uniform(25, 50)
    around = channel.set_rms(_noise(rng, length, kit), level - ratio)
    if rng.random() < 0.05:
        around = channel.add(around, sounds.hum(rng, length), level - rng.uniform(10, 25))
    return around


def _noise(rng: np.random.Generator, length: int, kit: Kit) -> np.ndarray:
    kind = rng.random()
    if kind < 0.4 and kit.noises:
        return _cut(rng, kit.noises, length)
    if kind < 0.55 and kit.babble:
        return _cut(rng, kit.babble, length)
    return sounds.noise(rng, length, slope=rng.uniform(0, 0.9))


def _tone(rng: np.random.Generator, length: int, kit: Kit) -> np.ndarray:
    if kit.tones and rng.random() < 0.4:
        return _cut(rng, kit.tones, length)
    return sounds.tone(rng, sounds.TONES[rng.integers(len(sounds.TONES))], length)


def _echo(rng: np.random.Generator, wave: np.ndarray, level: float, kit: Kit) -> np.ndarray:
    """Our own prompt comes back from the far end; the playout stops soon after speech began."""
    length = int(rng.uniform(0.2, 1.5) * RATE_HZ)
    return channel.add(wave, _cut(rng, kit.prompts, length), level)


def _room(rng: np.random.Generator, kit: Kit) -> np.ndarray:
    if kit.rooms and rng.random() < 0.5:
        return kit.rooms[rng.integers(len(kit.rooms))]
    # Exponentially decaying noise: Polack's model of late reverberation.
    fade_s = rng.uniform(0.1, 0.6)  # time to -60 dB
    places = np.arange(int(fade_s * RATE_HZ)) / RATE_HZ
    tail = rng.standard_normal(len(places)) * np.exp(-6.9 * places / fade_s)
    tail[0] = 4.0
    return tail.astype(np.float32)


def _cut(rng: np.random.Generator, tracks: tuple[np.ndarray, ...], length: int) -> np.ndarray:
    track = tracks[rng.integers(len(tracks))]
    start = int(rng.integers(max(1, len(track) - length)))
    return np.resize(track[start : start + length], length).astype(np.float32)


def main() -> None:
    """Prints what a draw costs."""
    from . import mixture, shards

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of shards")
    parser.add_argument("--draws", type=int, default=400)
    args = parser.parse_args()
    kit, rng = mixture.load_kit(args.data), np.random.default_rng(1)
    audio, _ = shards.read_shard(shards.list_shards(args.data / "train")[-1])
    for name, draw in {
        "speech": lambda n: simulate(rng, audio[n % len(audio)].astype(np.float32) / 32768, kit),
        "no speech": lambda _: simulate_no_speech(rng, kit),
    }.items():
        began, times = time.process_time(), []
        for number in range(args.draws):
            draw(number)
            times.append((time.process_time() - began) * 1e3)
            began = time.process_time()
        print(f"{name}: {np.mean(times):.2f} ms a draw, p95 {np.percentile(times, 95):.1f} ms")


if __name__ == "__main__":
    main()
